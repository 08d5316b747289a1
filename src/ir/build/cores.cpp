// Launches of AI cores: regions of vector threads, and what may stand in and outside of them. Outside of a region a
// core runs as one: engines move tiles between its memories, the cube unit multiplies, and scalar code decides.

#include <fmt/format.h>

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/build/describe.h"
#include "ir/build/linear.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[TileLang Semantic Check] ";
constexpr int64_t kMaxRegionThreads = 2048;

/// Where an engine of the core moves tiles from and to.
struct DataPath {
  MemorySpace from, to;
};
constexpr DataPath kPaths[] = {
    {MemorySpace::kGlobal, MemorySpace::kShared}, {MemorySpace::kShared, MemorySpace::kGlobal},
    {MemorySpace::kGlobal, MemorySpace::kL1},     {MemorySpace::kShared, MemorySpace::kL1},
    {MemorySpace::kL1, MemorySpace::kL0A},        {MemorySpace::kL1, MemorySpace::kL0B},
    {MemorySpace::kL0C, MemorySpace::kGlobal},    {MemorySpace::kL0C, MemorySpace::kShared},
};

MemorySpace one_shared(MemorySpace space) { return is_shared(space) ? MemorySpace::kShared : space; }

bool has_path(MemorySpace from, MemorySpace to) {
  return std::any_of(std::begin(kPaths), std::end(kPaths),
                     [&](const DataPath& p) { return p.from == one_shared(from) && p.to == one_shared(to); });
}

/// "shared or l1": where a tile of a memory can go; empty where it cannot leave.
std::string ways_from(MemorySpace from) {
  std::string out;
  for (const DataPath& p : kPaths) {
    if (p.from == one_shared(from)) out += (out.empty() ? "" : " or ") + std::string(space_name(p.to));
  }
  return out;
}

/// Memories of the cube unit, which vector threads do not reach.
bool is_of_cube(MemorySpace space) {
  return space == MemorySpace::kL1 || space == MemorySpace::kL0A || space == MemorySpace::kL0B ||
         space == MemorySpace::kL0C;
}

/// What the engine that empties L0C makes of its sums.
bool converts_sums(DType from, DType to) {
  if (from == to) return true;
  return from.is_float(32) && (to == DType::f16() || to == DType::bf16() || to.is_float8());
}

[[noreturn]] void refuse(int code, std::string message, std::string help, std::initializer_list<Buffer> about) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.help = std::move(help);
  for (const Buffer& buffer : about) with_declaration(d, buffer);
  throw CompileError(std::move(d));
}

void check_origin(const Region& region) {
  const MemorySpace space = region.buffer->space;
  if (!is_of_cube(space) || space == MemorySpace::kL1) return;
  const size_t rank = region.offsets.size();
  for (size_t i = rank < 2 ? 0 : rank - 2; i < rank; ++i) {
    if (is_const_int(region.offsets[i], 0)) continue;
    refuse(46,
           fmt::format("T.copy: a tile of {} memory is moved from its first row and column on, not from {}",
                       space_name(space), region_text(region)),
           "use the tile from 0 on; leading dimensions may be indexed", {region.buffer});
  }
}

bool equal_wide_extents(const Region& a, const Region& b) {
  const auto wide = [](std::vector<Expr> extents) {
    std::erase_if(extents, [](const Expr& e) { return is_const_int(e, 1); });
    return extents;
  };
  const std::vector<Expr> x = wide(a.extents), y = wide(b.extents);
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), provably_equal);
}

}  // namespace

bool Builder::on_cores() const {
  const Launch* launch = enclosing<Launch>();
  return launch != nullptr && runs_on_cores(*launch);
}

const Group* Builder::vector_region() const {
  const Group* group = enclosing<Group>();
  return group != nullptr && is_simt_region(*group) ? group : nullptr;
}

void Builder::simt_region(const std::vector<int64_t>& threads, Attrs hints) {
  const auto place = [&](std::string message, const Op* other, std::string help) {
    Diagnostic& d = error(79, kCheck + std::move(message));
    if (other != nullptr) d.notes.push_back({"what is around it is here", other->loc});
    d.help = std::move(help);
    fail();
  };
  if (!need_launch("T.SimtVF")) fail();
  if (!on_cores()) {
    place("T.SimtVF stands in a launch that is not one of AI cores", enclosing<Launch>(),
          "open the launch with T.Kernel of tilelang.ascend.language");
  }
  if (const Group* outer = enclosing<Group>()) {
    place("VF regions do not nest: T.SimtVF stands in another region", outer,
          "close the first region, or use one with enough threads for both");
  }
  if (const Parallel* loop = enclosing<Parallel>()) {
    place("T.SimtVF stands in a T.Parallel loop", loop, "put the loop into the region");
  }
  int64_t count = threads.empty() || threads.size() > 3 ? 0 : 1;
  for (const int64_t extent : threads) {
    count = extent < 1 || extent > kMaxRegionThreads ? 0 : count * extent;
  }
  if (count < 1 || count > kMaxRegionThreads) {
    error(70, fmt::format("T.SimtVF: threads are ({}), but a region has 1 to {} threads in up to 3 dimensions",
                          fmt::join(threads, ", "), kMaxRegionThreads))
        .help = "threads=128 or threads=(32, 4)";
    fail();
  }
  auto op = make<Group>();
  op->engine = kSimtEngine;
  op->count = count;
  op->hints = std::move(hints);
  Block* body = &op->body;
  open(std::move(op), body);
}

bool Builder::check_in_region(const char* what) {
  if (!on_cores() || vector_region() != nullptr) return true;
  error(79, fmt::format("{}{} must be inside a VF block: outside of one a core has no threads", kCheck, what)).help =
      "open a region around it: `with T.SimtVF(threads=128):`";
  return false;
}

bool Builder::check_out_of_region(const char* what) {
  const Group* group = vector_region();
  if (group == nullptr) return true;
  Diagnostic& d =
      error(79, fmt::format("{}{} must be outside of VF blocks: threads do not reach the cube unit", kCheck, what));
  d.notes.push_back({"the region is here", group->loc});
  d.help = "close the region before it";
  return false;
}

void Builder::check_core_allocation(const std::string& name, MemorySpace space) {
  if (!on_cores()) {
    if (!is_of_cube(space) || enclosing<Launch>() == nullptr) return;
    error(74, fmt::format("`{}`: {} memory belongs to AI cores", name, space_name(space))).help =
        "open the launch with T.Kernel of tilelang.ascend.language";
    fail();
  }
  if (vector_region() == nullptr && (space == MemorySpace::kFragment || space == MemorySpace::kReducer)) {
    error(79, fmt::format("{}`{}` must be inside a VF block: a {} is held by the threads of one region", kCheck, name,
                          space_name(space)))
        .help = "allocate it in the region; T.alloc_shared holds tiles between regions";
    fail();
  }
  if (vector_region() != nullptr && is_of_cube(space)) {
    Diagnostic& d = error(79, fmt::format("{}`{}` must be outside of VF blocks: threads do not reach {} memory", kCheck,
                                          name, space_name(space)));
    d.notes.push_back({"the region is here", vector_region()->loc});
    d.help = "allocate it before the region";
    fail();
  }
}

void Builder::used_behind_region(const Scope::Missing& missing, const Loc& region) {
  Diagnostic& d =
      error(79, fmt::format("{}buffer `{}` was allocated inside a VF block and may not be used outside of it", kCheck,
                            missing.name));
  d.notes.push_back({fmt::format("`{}` is defined here", missing.name), missing.defined_at});
  d.notes.push_back({"the region is here", region});
  d.help = "allocate it before the region with T.alloc_shared";
}

void Builder::check_core_store(const Operand& value, const BufferNode& buffer) {
  if (!on_cores() || vector_region() != nullptr || enclosing<Parallel>() != nullptr) return;
  const Expr* e = value.expr();
  if (e == nullptr || e->kind() == ExprKind::kConst || value.dtype() == buffer.dtype) return;
  refuse(28,
         fmt::format("{}a store of {} in `{}`, which is {}, converts outside of a VF block", kCheck,
                     value.dtype().name(), buffer.name, buffer.dtype.name()),
         fmt::format("convert explicitly, with T.cast(x, \"{}\"), or store in a region", buffer.dtype.name()),
         {Buffer(&buffer)});
}

void Builder::check_core_copy(const Region& src, const Region& dst) {
  if (!on_cores()) return;
  const MemorySpace from = src.buffer->space, to = dst.buffer->space;
  if (vector_region() != nullptr) {
    if (!is_of_cube(from) && !is_of_cube(to)) return;
    refuse(46,
           fmt::format("T.copy from {} to {} memory inside of a VF block: its threads do not reach the cube unit's "
                       "memories",
                       space_name(from), space_name(to)),
           "close the region before it", {src.buffer, dst.buffer});
  }
  if (!has_path(from, to)) {
    const std::string ways = ways_from(from);
    refuse(46, fmt::format("T.copy: a core has no data path from {} to {} memory", space_name(from), space_name(to)),
           is_of_cube(from) || is_of_cube(to)
               ? fmt::format("from {} memory tiles go to {}", space_name(from), ways.empty() ? "none" : ways)
               : "copy inside of a region, where threads do it: `with T.SimtVF(threads=128):`",
           {src.buffer, dst.buffer});
  }
  const DType a = src.buffer->dtype, b = dst.buffer->dtype;
  if (from != MemorySpace::kL0C && a != b) {
    refuse(28,
           fmt::format("{}a copy outside of a VF block converts {} to {}, but only one from L0C may", kCheck, a.name(),
                       b.name()),
           "copy into a tile of the same type, and convert in a region", {src.buffer, dst.buffer});
  }
  if (from == MemorySpace::kL0C && !converts_sums(a, b)) {
    refuse(
        28, fmt::format("{}a copy from L0C does not convert {} to {}", kCheck, a.name(), b.name()),
        a.is_float(32) ? "float32 sums become float32, float16, bfloat16 or an 8-bit float" : "int32 sums stay int32",
        {src.buffer, dst.buffer});
  }
  check_origin(src);
  check_origin(dst);
}

void Builder::check_core_fill(const Buffer& buffer) {
  if (!on_cores()) return;
  const MemorySpace space = buffer->space;
  const bool reached = vector_region() != nullptr ? !is_of_cube(space) : is_shared(space) || space == MemorySpace::kL1;
  if (reached) return;
  const char* where = vector_region() != nullptr ? " inside of VF blocks" : " outside of VF blocks";
  const char* help =
      vector_region() != nullptr ? "fill it outside of regions" : "fill it in a region: `with T.SimtVF(threads=128):`";
  if (is_of_cube(space) && space != MemorySpace::kL1) {
    where = "";
    help = space == MemorySpace::kL0C ? "pass clear_accum=True to the first T.gemm"
                                      : "fill the tile in L1 that is copied to it";
  }
  refuse(46, fmt::format("T.fill: a core does not fill {} memory{}", space_name(space), where), help, {buffer});
}

void Builder::reshape_whole(TileOperand& src, TileOperand& dst) {
  using Form = TileOperand::Form;
  if (!on_cores() || src.form != Form::kWhole || dst.form != Form::kWhole) return;
  if (equal_wide_extents(src.region, dst.region)) {
    src.form = dst.form = Form::kRegion;
    return;
  }
  if (!equal(product_of(src.region.extents, 1), product_of(dst.region.extents, 1)).value_or(false)) return;
  const std::vector<Expr>&from = src.region.extents, &to = dst.region.extents;
  const size_t last = from.size() - 1;
  if (from.size() >= 2 && from.size() == to.size() && provably_equal(from[last], to[last - 1]) &&
      provably_equal(from[last - 1], to[last])) {
    refuse(40,
           fmt::format("T.copy between {} and {}: whether elements keep their order or the tile is transposed must be "
                       "said",
                       shape_text(from), shape_text(to)),
           is_of_cube(dst.buffer()->space) ? "pass transpose=True, or copy to a tile of the same rows and columns"
                                           : fmt::format("pass transpose=True, or copy into T.reshape({}, {})",
                                                         dst.buffer()->name, shape_text(from)),
           {src.buffer(), dst.buffer()});
  }
  // Elements keep their row-major order: the tile on the chip is named in the shape of the other one.
  const auto named = [&](const TileOperand& tile, const std::vector<Expr>& shape) {
    const std::vector<Operand> extents(shape.begin(), shape.end());
    return TileOperand(view(tile.buffer()->name + "_reshaped", tile.buffer(), tile.buffer()->dtype, extents));
  };
  if (is_shared(dst.buffer()->space) || dst.buffer()->space == MemorySpace::kFragment) {
    dst = named(dst, from);
  } else if (is_shared(src.buffer()->space) || src.buffer()->space == MemorySpace::kFragment) {
    src = named(src, to);
  }
}

}  // namespace tl
