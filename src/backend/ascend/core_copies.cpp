// What moves between memories, and products, as calls of Ascend C.

#include <fmt/format.h>

#include "backend/ascend/core_statements.h"
#include "ir/bursts.h"
#include "ir/index.h"
#include "ir/tile_match.h"

namespace tl {
namespace {

/// Bursts of one copy between a tensor and the unified buffer: the limit of arch 3510.
constexpr int64_t kMostBursts = 4095;

[[noreturn]] void refuse(const Op& op, std::string message, std::string help = {}) {
  throw CompileError(Diagnostic{Severity::kError, 90, std::move(message), op.loc, {}, std::move(help)});
}

/// How many units of `unit` a number has, a part of one included.
Expr units(const Expr& e, int64_t unit) {
  const auto value = as_int(e);
  return value ? make_int(DType::i64(), (*value + unit - 1) / unit)
               : ceildiv(widen_index(e), make_int(DType::i64(), unit));
}

/// Elements between the rows, and between the columns, of a tile of fractals in the tensor that it is copied from or
/// to; nothing along a dimension that has one.
struct PlainStrides {
  std::optional<Expr> row, column;
};

PlainStrides plain_strides(const Copy& op) {
  const bool loads = op.src.buffer->space == MemorySpace::kGlobal;
  const Region &plain = loads ? op.src : op.dst, &tile = loads ? op.dst : op.src;
  const std::vector<Expr> strides = strides_of(*plain.buffer);
  PlainStrides out;
  for (const MatchedDim& dim : match_dims(op)) {
    const std::optional<size_t> outside = loads ? dim.src : dim.dst, inside = loads ? dim.dst : dim.src;
    if (!inside || !outside || is_const_int(tile.extents[*inside], 1)) continue;
    if (*inside + 1 == tile.extents.size()) out.column = strides[*outside];
    if (*inside + 2 == tile.extents.size()) out.row = strides[*outside];
  }
  return out;
}

/// The policy of the second-level cache that the copy asks for. Stores of tiles of threads leave no lines by
/// themselves.
std::string cache_mode(const Copy& op) {
  const bool loads = op.src.buffer->space == MemorySpace::kGlobal;
  const int64_t by_itself = is_shared(op.src.buffer->space) ? 4 : 0;
  return fmt::format("static_cast<asc_{}_l2_cache_mode>({})", loads ? "load" : "store",
                     hint<int64_t>(op.hints, "l2_cache_ctrl", by_itself));
}

bool follow(const std::optional<Expr>& stride) { return !stride || is_const_int(*stride, 1); }

}  // namespace

std::string CoreStatements::bytes(const Expr& elements, DType t) {
  return t.bytes() == 1 ? ascend_.index(elements)
                        : ascend_.index(widen_index(elements) * make_int(DType::i64(), t.bytes()));
}

std::string CoreStatements::address(const Region& region, std::string_view element) {
  const BufferNode& b = *region.buffer;
  const std::string offset = ascend_.offset(b, region.offsets), name = ascend_.name(b);
  const std::string at = offset == "0" ? name : fmt::format("{} + ({})", name, offset);
  if (element.empty()) return at;
  std::string pointer = ascend_.pointer(DType::f32(), b.space);
  pointer.replace(pointer.find("float"), 5, element);
  return fmt::format("({})({})", pointer, at);
}

void CoreStatements::op(const Copy& op) {
  switch (*engine_of(op)) {
    case Engine::kMte2:
      return is_shared(op.dst.buffer->space) ? load_unified(op) : load_l1(op);
    case Engine::kMte3:
      return store_unified(op);
    case Engine::kMte1:
      return load_l0(op);
    default:
      return store_accumulator(op);
  }
}

void CoreStatements::copy_rows(const Copy& op, std::string_view call) {
  const std::optional<Bursts> bursts = bursts_of(op);
  TL_CHECK(bursts.has_value(), "a copy of one plane");
  const Bursts& b = *bursts;
  const bool split = !b.most_rows || *b.most_rows > kMostBursts;
  const DType t = op.src.buffer->dtype;
  const bool load = is_shared(op.dst.buffer->space);
  std::string dst = address(op.dst, "uint8_t"), src = address(op.src, "uint8_t"), rows = ascend_.index(b.rows);
  const std::string dst_pitch = bytes(b.dst_pitch, t), src_pitch = bytes(b.src_pitch, t);
  if (split) {
    open(fmt::format("for (int64_t tl_row = 0, tl_rows = {}; tl_row < tl_rows; tl_row += {}) {{", rows, kMostBursts));
    line(fmt::format("const int64_t tl_part = tl_rows - tl_row < {0} ? tl_rows - tl_row : {0};", kMostBursts));
    dst += fmt::format(" + tl_row * static_cast<int64_t>({})", dst_pitch);
    src += fmt::format(" + tl_row * static_cast<int64_t>({})", src_pitch);
    rows = "tl_part";
  }
  line(fmt::format("{}({}, {}, {}, {}, {}{}, {});", call, dst, src, rows, bytes(b.columns, t),
                   (load ? "0, 0, false, " : "") + cache_mode(op) + ", ", load ? src_pitch : dst_pitch,
                   load ? dst_pitch : src_pitch));
  if (split) close("}");
}

void CoreStatements::load_unified(const Copy& op) { copy_rows(op, "asc_copy_gm2ub_align"); }

void CoreStatements::store_unified(const Copy& op) {
  if (op.dst.buffer->space != MemorySpace::kGlobal) refuse(op, "a copy from UB to L1 is not available yet");
  copy_rows(op, "asc_copy_ub2gm_align");
}

std::string CoreStatements::fractal_address(const Region& region) {
  // Column c, the first of a fractal, begins at c * rows; row r as many elements behind it as r rows of a fractal hold.
  const BufferNode& b = *region.buffer;
  const size_t rank = b.rank();
  std::vector<Expr> first = region.offsets;
  const Expr row = widen_index(first[rank - 2]), column = widen_index(first[rank - 1]);
  first[rank - 2] = first[rank - 1] = Expr(0);
  std::string at = ascend_.name(b);
  if (const std::string offset = ascend_.offset(b, first); offset != "0") at += " + (" + offset + ")";
  if (!is_const_int(row, 0) || !is_const_int(column, 0)) {
    const Expr inside = column * fractal_height(b) + row * make_int(DType::i64(), fractal_columns(b));
    at += " + (" + ascend_.index(inside) + ")";
  }
  return at;
}

std::string CoreStatements::field(const Expr& e) {
  return as_int(e) ? std::to_string(*as_int(e)) : fmt::format("static_cast<uint64_t>({})", ascend_.index(e));
}

void CoreStatements::load_l1(const Copy& op) {
  const DType t = op.src.buffer->dtype;
  const PlainStrides strides = plain_strides(op);
  const bool rows = follow(strides.column);
  if (!rows && !follow(strides.row)) {
    refuse(op, "T.copy to L1: neither rows nor columns of the tensor have their elements side by side",
           "copy from a tensor with a stride of 1");
  }
  const size_t rank = op.dst.buffer->rank();
  line(fmt::format("asc_set_gm2l1_nz_para(1, 1, {}, 0);", ascend_.index(fractal_height(*op.dst.buffer))));
  line(fmt::format("asc_copy_gm2l1_{}({}, {}, {}, {}, {}, {}, 0, false);", rows ? "nd2nz" : "dn2nz",
                   fractal_address(op.dst), address(op.src, machine_type(t)),
                   bytes((rows ? strides.row : strides.column).value_or(Expr(1)), t), cache_mode(op),
                   ascend_.index(op.dst.extents[rank - 2]), ascend_.index(op.dst.extents[rank - 1])));
}

void CoreStatements::op(const Fill& op) {
  const Scalar* value = op.value.kind() == ExprKind::kConst ? &op.value.as<ConstNode>()->value : nullptr;
  if (value == nullptr || value->truthy()) refuse(op, "L1 is filled with zeros only");
  // Rows of a column of fractals follow each other, in blocks of 32 bytes.
  const BufferNode& b = *op.dst.buffer;
  const Expr rows = widen_index(op.dst.extents[b.rank() - 2]);
  const Expr fractals = units(op.dst.extents[b.rank() - 1], fractal_columns(b));
  line(fmt::format("asc_fill_l1((__cbuf__ uint16_t*)({}), 0, {{.repeat = {}, .blk_num = {}, .dst_gap = {}}});",
                   fractal_address(op.dst), field(fractals), field(rows), field(fractal_height(b) - rows)));
}

void CoreStatements::load_l0(const Copy& op) {
  // The part is told in fractals of the source; transposed, its columns become rows.
  const BufferNode &from = *op.src.buffer, &to = *op.dst.buffer;
  const size_t rank = from.rank();
  Region tile = op.src;
  tile.offsets[rank - 2] = tile.offsets[rank - 1] = Expr(0);
  const auto fractals = [&](const Expr& e, int64_t unit) { return ascend_.index(units(e, unit)); };
  // As many fractals as hold the rows or columns; of a load that transposes as many as make whole square blocks.
  const auto steps = [&](const Expr& e, int64_t unit) {
    const int64_t block = transposes(op) ? std::max(unit, transposed_block(from.dtype)) : unit, each = block / unit;
    const Expr blocks = units(e, block);
    if (const auto count = as_int(blocks)) return std::to_string(*count * each);
    return ascend_.index(each == 1 ? blocks : blocks * make_int(DType::i64(), each));
  };
  line(fmt::format(
      "asc_copy_l12l0{}{}({}, {}, {}, {}, {}, {}, {}, {});", to.space == MemorySpace::kL0A ? 'a' : 'b',
      transposes(op) ? "_transpose" : "", fractal_address(op.dst), fractal_address(tile),
      fractals(op.src.offsets[rank - 2], kFractalRows), fractals(op.src.offsets[rank - 1], fractal_columns(from)),
      steps(op.src.extents[rank - 2], kFractalRows), steps(op.src.extents[rank - 1], fractal_columns(from)),
      fractals(fractal_height(from), kFractalRows), fractals(fractal_height(to), kFractalRows)));
}

void CoreStatements::op(const Gemm& op) {
  TL_CHECK(!op.transpose_a && op.transpose_b, "operands as the cube unit reads them");
  const size_t rows = op.c.extents.size() - 2;
  line(fmt::format("asc_mmad({}, {}, {}, {}, {}, {}, 0, true, false, {});", fractal_address(op.c),
                   fractal_address(op.a), fractal_address(op.b), ascend_.index(op.c.extents[rows]),
                   ascend_.index(op.a.extents.back()), ascend_.index(op.c.extents[rows + 1]), ascend_.value(op.clear)));
}

void CoreStatements::store_accumulator(const Copy& op) {
  if (op.dst.buffer->space != MemorySpace::kGlobal) refuse(op, "a copy from L0C to UB is not available yet");
  const DType from = op.src.buffer->dtype, to = op.dst.buffer->dtype;
  // asc_quant_mode of arch 3510: no conversion, float to half, float to bfloat16.
  const int quant = from == to                              ? 0
                    : from.is_float(32) && to.is_float(16)  ? 1
                    : from.is_float(32) && to.is_bfloat16() ? 16
                                                            : -1;
  if (quant < 0) {
    refuse(op, fmt::format("T.copy from L0C does not convert {} to {}", from.name(), to.name()),
           "an accumulator of float32 becomes float32, float16 or bfloat16");
  }
  const PlainStrides strides = plain_strides(op);
  if (!follow(strides.column)) {
    refuse(op, "T.copy from L0C: columns of the tensor have not their elements side by side",
           "copy to a tensor whose last dimension has a stride of 1");
  }
  const size_t rank = op.src.buffer->rank();
  line("asc_set_l0c_copy_nz_para(1, 0, 0);");
  line(
      fmt::format("asc_copy_l0c2gm({}, {}, {}, {}, {}, {}, {}, "
                  "static_cast<asc_unit_flag_mode>(0), static_cast<asc_quant_mode>({}), "
                  "static_cast<asc_relu_pre_mode>(0), false, true, false, false);",
                  address(op.dst, machine_type(to)), fractal_address(op.src), ascend_.index(op.src.extents[rank - 1]),
                  ascend_.index(op.src.extents[rank - 2]), ascend_.index(strides.row.value_or(Expr(1))),
                  ascend_.index(fractal_height(*op.src.buffer)), cache_mode(op), quant));
}

}  // namespace tl
