// What moves between memories, and products, as calls of Ascend C.

#include <fmt/format.h>

#include "backend/ascend/core_statements.h"
#include "ir/index.h"

namespace tl {
namespace {

/// Bytes of a row of a fractal, and its rows.
constexpr int64_t kFractalRow = 32, kFractalRows = 16;

/// Bursts of one copy between a tensor and the unified buffer: the limit of arch 3510.
constexpr int64_t kMostBursts = 4095;

int64_t row_elements(DType t) { return kFractalRow / t.bytes(); }

/// Elements of a row of a fractal of a tile: 32 bytes of an operand, 16 sums of an accumulator.
int64_t row_elements(const BufferNode& b) {
  return b.space == MemorySpace::kL0C ? kFractalRows : row_elements(b.dtype);
}

[[noreturn]] void refuse(const Op& op, std::string message, std::string help = {}) {
  throw CompileError(Diagnostic{Severity::kError, 90, std::move(message), op.loc, {}, std::move(help)});
}

std::vector<size_t> long_dims(const Region& region) {
  std::vector<size_t> out;
  for (size_t d = 0; d < region.extents.size(); ++d) {
    if (!is_const_int(region.extents[d], 1)) out.push_back(d);
  }
  return out;
}

int64_t constant(const Expr& e, const Op& op, const char* what) {
  const auto value = as_int(e);
  if (!value) refuse(op, fmt::format("{} is known only at run time", what));
  return *value;
}

/// `e / by` for a multiple of `by`.
Expr simplify_quotient(const Expr& e, int64_t by) {
  const auto value = as_int(e);
  return value ? make_int(DType::i64(), *value / by) : floordiv(e, make_int(DType::i64(), by));
}

/// Rows of a tile of fractals: those of its buffer.
int64_t fractal_rows(const Region& region, const Op& op) {
  return constant(region.buffer->shape[region.buffer->rank() - 2], op, "the height of a tile of fractals");
}

}  // namespace

std::string CoreStatements::bytes(const Expr& elements, DType t) {
  return t.bytes() == 1 ? ascend_.index(elements)
                        : ascend_.index(widen_index(elements) * make_int(DType::i64(), t.bytes()));
}

std::string CoreStatements::address(const Region& region, std::string_view element) {
  const BufferNode& b = *region.buffer;
  const std::string offset = ascend_.offset(b, region.offsets), name = ascend_.name(b);
  const std::string at = offset == "0" ? name : fmt::format("{} + ({})", name, offset);
  if (is_shared(b.space)) check_aligned(region);
  if (element.empty()) return at;
  std::string pointer = ascend_.pointer(DType::f32(), b.space);
  pointer.replace(pointer.find("float"), 5, element);
  return fmt::format("({})({})", pointer, at);
}

void CoreStatements::check_aligned(const Region& region) {
  const std::vector<Expr> strides = strides_of(*region.buffer);
  int64_t elements = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    const auto first = as_int(region.offsets[d]), stride = as_int(strides[d]);
    if (!stride || (!first && *stride * region.buffer->dtype.bytes() % kFractalRow != 0)) return;
    if (first) elements += *first * *stride;
  }
  if (elements * region.buffer->dtype.bytes() % kFractalRow == 0) return;
  throw CompileError(
      Diagnostic{Severity::kError,
                 90,
                 fmt::format("a copy to or from `{}` begins at byte {} of the tile; engines move from multiples of {}",
                             region.buffer->name, elements * region.buffer->dtype.bytes(), kFractalRow),
                 region.buffer->loc,
                 {},
                 "copy the tile from its first column, or move the elements by T.Parallel in T.SimtVF"});
}

CoreStatements::Bursts CoreStatements::bursts_of(const Copy& op) const {
  const std::vector<size_t> from = long_dims(op.src), to = long_dims(op.dst);
  TL_CHECK(from.size() == to.size(), "a copy between regions of one shape");
  const std::vector<Expr> src = strides_of(*op.src.buffer), dst = strides_of(*op.dst.buffer);
  if (op.src.buffer->dtype != op.dst.buffer->dtype) refuse(op, "this copy does not convert between dtypes");
  Bursts out;
  if (from.empty()) {
    out.src_pitch = out.dst_pitch = Expr(1);
    return out;
  }
  const size_t last = from.size() - 1;
  const bool rows_move = is_const_int(src[from[last]], 1) && is_const_int(dst[to[last]], 1);
  if (from.size() > (rows_move ? 2u : 1u)) {
    refuse(op, "a copy of more than two dimensions is not available yet", "copy planes in a loop");
  }
  if (rows_move) out.columns = op.src.extents[from[last]];
  const size_t row = rows_move ? (from.size() == 2 ? 0 : from.size()) : 0;
  if (row < from.size()) {
    out.rows = op.src.extents[from[row]];
    const auto most = is_shared(op.src.buffer->space) ? as_int(op.src.buffer->shape[from[row]])
                                                      : as_int(op.dst.buffer->shape[to[row]]);
    out.split = !most || *most > kMostBursts;
    out.src_pitch = src[from[row]];
    out.dst_pitch = dst[to[row]];
  } else {
    out.src_pitch = out.dst_pitch = out.columns;
  }
  // Rows that follow each other on both sides are one.
  if (same(widen_index(out.src_pitch), widen_index(out.columns)) &&
      same(widen_index(out.dst_pitch), widen_index(out.columns))) {
    if (!is_const_int(out.rows, 1)) out.columns = widen_index(out.rows) * widen_index(out.columns);
    out.rows = Expr(1);
    out.split = false;
    out.src_pitch = out.dst_pitch = out.columns;
  }
  return out;
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

void CoreStatements::copy_rows(const Copy& op, std::string_view call, int cache) {
  const Bursts b = bursts_of(op);
  const DType t = op.src.buffer->dtype;
  const bool load = is_shared(op.dst.buffer->space);
  std::string dst = address(op.dst, "uint8_t"), src = address(op.src, "uint8_t"), rows = ascend_.index(b.rows);
  const std::string dst_pitch = bytes(b.dst_pitch, t), src_pitch = bytes(b.src_pitch, t);
  if (b.split) {
    open(fmt::format("for (int64_t tl_row = 0, tl_rows = {}; tl_row < tl_rows; tl_row += {}) {{", rows, kMostBursts));
    line(fmt::format("const int64_t tl_part = tl_rows - tl_row < {0} ? tl_rows - tl_row : {0};", kMostBursts));
    dst += fmt::format(" + tl_row * static_cast<int64_t>({})", dst_pitch);
    src += fmt::format(" + tl_row * static_cast<int64_t>({})", src_pitch);
    rows = "tl_part";
  }
  line(fmt::format("{}({}, {}, {}, {}, {}{}, {});", call, dst, src, rows, bytes(b.columns, t),
                   load ? fmt::format("0, 0, false, static_cast<asc_load_l2_cache_mode>({}), ", cache)
                        : fmt::format("static_cast<asc_store_l2_cache_mode>({}), ", cache),
                   load ? src_pitch : dst_pitch, load ? dst_pitch : src_pitch));
  if (b.split) close("}");
}

void CoreStatements::load_unified(const Copy& op) { copy_rows(op, "asc_copy_gm2ub_align", 0); }

void CoreStatements::store_unified(const Copy& op) {
  if (op.dst.buffer->space != MemorySpace::kGlobal) refuse(op, "a copy from UB to L1 is not available yet");
  copy_rows(op, "asc_copy_ub2gm_align", 4);
}

std::string CoreStatements::fractal_address(const Region& region) {
  // Column c, the first of a fractal, begins at c * rows; row r as many elements behind it as r rows of a fractal hold.
  const BufferNode& b = *region.buffer;
  const size_t rank = b.rank();
  std::vector<Expr> first = region.offsets;
  const Expr row = widen_index(first[rank - 2]), column = widen_index(first[rank - 1]);
  if (const auto begin = as_int(column); begin && *begin % row_elements(b) != 0) {
    throw CompileError(
        Diagnostic{Severity::kError,
                   90,
                   fmt::format("a copy to or from `{}` begins at column {}, inside of a fractal of {} columns", b.name,
                               *begin, row_elements(b)),
                   b.loc,
                   {},
                   "begin at the first column of a fractal"});
  }
  first[rank - 2] = first[rank - 1] = Expr(0);
  const Expr inside = column * widen_index(b.shape[rank - 2]) + row * make_int(DType::i64(), row_elements(b));
  std::string at = ascend_.name(b);
  if (const std::string offset = ascend_.offset(b, first); offset != "0") at += " + (" + offset + ")";
  if (!(is_const_int(first[rank - 2], 0) && is_const_int(row, 0) && is_const_int(column, 0))) {
    at += " + (" + ascend_.index(inside) + ")";
  }
  return at;
}

std::string CoreStatements::field(const Expr& e) {
  return as_int(e) ? std::to_string(*as_int(e)) : fmt::format("static_cast<uint64_t>({})", ascend_.index(e));
}

Expr CoreStatements::row_pitch(const Region& plain, const Region& tile) {
  const std::vector<size_t> from = long_dims(plain), to = long_dims(tile);
  TL_CHECK(from.size() == to.size(), "a copy between regions of one shape");
  const std::vector<Expr> strides = strides_of(*plain.buffer);
  const size_t row = tile.buffer->rank() - 2;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == row) return strides[from[d]];
  }
  return Expr(1);
}

void CoreStatements::load_l1(const Copy& op) {
  const DType t = op.src.buffer->dtype;
  if (t != op.dst.buffer->dtype) refuse(op, "a copy to L1 does not convert between dtypes");
  const int64_t rows = (fractal_rows(op.dst, op) + kFractalRows - 1) / kFractalRows * kFractalRows;
  line(fmt::format("asc_set_gm2l1_nz_para(1, 1, {}, 0);", rows));
  line(fmt::format("asc_copy_gm2l1_nd2nz({}, {}, {}, static_cast<asc_load_l2_cache_mode>(0), {}, {}, 0, false);",
                   fractal_address(op.dst), address(op.src, machine_type(t)), bytes(row_pitch(op.src, op.dst), t),
                   ascend_.index(op.dst.extents[op.dst.buffer->rank() - 2]),
                   ascend_.index(op.dst.extents[op.dst.buffer->rank() - 1])));
}

void CoreStatements::op(const Fill& op) {
  const Scalar* value = op.value.kind() == ExprKind::kConst ? &op.value.as<ConstNode>()->value : nullptr;
  if (value == nullptr || value->truthy()) refuse(op, "L1 is filled with zeros only");
  // Rows of a column of fractals follow each other, in blocks of 32 bytes.
  const size_t rank = op.dst.buffer->rank();
  const DType t = op.dst.buffer->dtype;
  const Expr rows = widen_index(op.dst.extents[rank - 2]), columns = widen_index(op.dst.extents[rank - 1]);
  const Expr height = make_int(DType::i64(), fractal_rows(op.dst, op));
  const Expr fractals = simplify_quotient(columns, row_elements(t));
  line(fmt::format("asc_fill_l1((__cbuf__ uint16_t*)({}), 0, {{.repeat = {}, .blk_num = {}, .dst_gap = {}}});",
                   fractal_address(op.dst), field(fractals), field(rows), field(height - rows)));
}

void CoreStatements::load_l0(const Copy& op) {
  const size_t rank = op.src.buffer->rank();
  const DType t = op.src.buffer->dtype;
  const int64_t rows = constant(op.src.extents[rank - 2], op, "the height of a tile"),
                columns = constant(op.src.extents[rank - 1], op, "the width of a tile");
  Region tile = op.src;
  const Expr row = tile.offsets[rank - 2], column = tile.offsets[rank - 1];
  tile.offsets[rank - 2] = tile.offsets[rank - 1] = Expr(0);
  const int64_t first_row = constant(row, op, "the first row of a tile"),
                first_column = constant(column, op, "the first column of a tile");
  const bool left = op.dst.buffer->space == MemorySpace::kL0A;
  line(fmt::format("asc_copy_l12l0{}({}, {}, {}, {}, {}, {}, {}, {});", left ? 'a' : 'b', fractal_address(op.dst),
                   fractal_address(tile), first_row / kFractalRows, first_column / row_elements(t), rows / kFractalRows,
                   columns / row_elements(t), fractal_rows(op.src, op) / kFractalRows, rows / kFractalRows));
}

void CoreStatements::op(const Gemm& op) {
  if (op.transpose_a || !op.transpose_b) {
    refuse(op, "T.gemm: an operand in L0 that is the other way round is not available yet",
           "take A as (M, K) and B as (N, K), with transpose_B=True");
  }
  const auto a = static_extents(op.a), b = static_extents(op.b);
  TL_CHECK(a && b, "a product of tiles of constant size");
  const int64_t m = (*a)[a->size() - 2], k = a->back(), n = (*b)[b->size() - 2];
  line(fmt::format("asc_mmad({}, {}, {}, {}, {}, {}, 0, true, false, {});", fractal_address(op.c),
                   fractal_address(op.a), fractal_address(op.b), m, k, n, ascend_.value(op.clear)));
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
  const size_t rank = op.src.buffer->rank();
  line("asc_set_l0c_copy_nz_para(1, 0, 0);");
  line(
      fmt::format("asc_copy_l0c2gm({}, {}, {}, {}, {}, {}, static_cast<asc_store_l2_cache_mode>(0), "
                  "static_cast<asc_unit_flag_mode>(0), static_cast<asc_quant_mode>({}), "
                  "static_cast<asc_relu_pre_mode>(0), false, true, false, false);",
                  address(op.dst, machine_type(to)), fractal_address(op.src), ascend_.index(op.src.extents[rank - 1]),
                  ascend_.index(op.src.extents[rank - 2]), ascend_.index(row_pitch(op.dst, op.src)),
                  fractal_rows(op.src, op), quant));
}

}  // namespace tl
