#include "passes/thread/tile_points.h"

#include <algorithm>

#include "ir/tile_match.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/lower/lower_reduce.h"
#include "passes/thread/choose_layout.h"
#include "passes/thread/gemm_loop.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

const DType kIndex = DType::i32();

std::vector<int64_t> constant_extents(const Region& region) {
  const auto out = static_extents(region);
  TL_CHECK(out.has_value(), "a tile operation on a tile of run-time extents");
  return *out;
}

/// A loop over the box with a body made from its variables.
std::unique_ptr<Parallel> points(const std::vector<int64_t>& extents, const Loc& loc,
                                 const std::function<Block(const std::vector<Var>&)>& body) {
  std::vector<Expr> constants;
  for (const int64_t extent : extents) constants.emplace_back(static_cast<int>(extent));
  return make_points(constants, loc, body);
}

std::vector<Expr> element(const Region& region, const std::vector<Var>& vars) {
  std::vector<Expr> out = region.offsets;
  for (size_t d = 0; d < out.size(); ++d) {
    if (!is_const_int(region.extents[d], 1)) out[d] = offset_by(out[d], vars[d]);
  }
  return out;
}

/// A new tile in registers of this layout.
Buffer add_tile(const std::string& name, DType dtype, const Fragment& layout, const Loc& loc, ThreadTiles& tiles,
                std::vector<LaidOut>& out) {
  std::vector<Expr> shape;
  for (const int64_t extent : layout.extents()) shape.emplace_back(static_cast<int>(extent));
  const Buffer tile = make_buffer(name, dtype, shape, MemorySpace::kFragment, {}, loc);
  const Buffer registers =
      make_buffer(name, dtype, {Expr(static_cast<int>(layout.registers()))}, MemorySpace::kLocal, {}, loc);
  tiles.tiles.emplace(tile.get(), ThreadTile{tile, layout, registers});
  auto alloc = make_op<Alloc>(loc);
  alloc->buffer = registers;
  out.push_back({std::move(alloc), std::nullopt});
  return tile;
}

/// Whether a whole tile is laid out: its slices have coordinates of their own.
const ThreadTile* whole_tile(const Region& region, const ThreadTiles& tiles) {
  const ThreadTile* tile = tiles.find(region.buffer);
  return tile != nullptr && static_extents(region) == tile->layout.extents() ? tile : nullptr;
}

/// Groups of threads that hold partial results of one element: digits of the thread that count along the reduced
/// dimension, neighbouring ones as one.
std::vector<LayoutDigit> reduced_threads(const Fragment& source, size_t dim) {
  std::vector<LayoutDigit> out;
  for (const LayoutDigit& d : ThreadDigits::of(source).threads) {
    if (d.step == 0 || d.dim != dim) continue;
    if (!out.empty() && out.back().unit * out.back().extent == d.unit) {
      out.back().extent *= d.extent;
    } else {
      out.push_back(d);
    }
  }
  return out;
}

/// The groups whose threads hold parts of one result laid out as `result`; none where they cannot be told.
std::optional<std::vector<LayoutDigit>> groups_of(const Fragment& source, const Fragment& result, size_t dim) {
  if (!ThreadDigits::of(source).split) return std::nullopt;
  std::vector<LayoutDigit> out = reduced_threads(source, dim);
  int64_t holders = source.replication();
  for (const LayoutDigit& d : out) holders *= d.extent;
  if (holders == result.replication()) return out;
  // Every thread holds every result, most of them a neutral one.
  if (source.replication() == 1 && result.replication() == source.threads()) {
    return std::vector<LayoutDigit>{{source.threads(), 1, 0, 0}};
  }
  return std::nullopt;
}

/// Gives every register a value, in threads without an element too: all of them are combined.
OpPtr start_registers(const Buffer& registers, const Expr& value, const Loc& loc) {
  const int64_t count = *as_int(registers->shape[0]);
  if (count == 1) return make_store(registers, {0}, value, loc);
  const Var r("r", DType::i32());
  Block loop = register_loop(r, count, one_op(make_store(registers, {r}, value, loc)), loc);
  return std::move(loop[0]);
}

OpPtr combine_threads(const Reduce& reduce, const Buffer& registers, const LayoutDigit& group, const ThreadTiles& tiles,
                      std::vector<LaidOut>& out) {
  auto op = make_op<ThreadReduce>(reduce.loc);
  op->reduce = combined_kind(reduce.reduce);
  op->values = whole(registers);
  op->extent = group.extent;
  op->stride = group.unit;
  const int64_t elements = *as_int(registers->shape[0]);
  const int64_t scratch = thread_reduce_scratch(group.extent, group.unit, tiles.threads) * elements;
  if (scratch > 0) {
    auto alloc = make_op<Alloc>(reduce.loc);
    alloc->buffer = make_buffer("scratch", registers->dtype, {Expr(static_cast<int>(scratch))}, MemorySpace::kShared,
                                {}, reduce.loc);
    op->scratch = whole(alloc->buffer);
    out.push_back({std::move(alloc), std::nullopt});
  }
  return op;
}

}  // namespace

std::optional<Fragment> result_layout(const Fragment& source, size_t dim, bool keeps_dim) {
  const auto reduced = source.reduce(dim, keeps_dim);
  if (!reduced || !groups_of(source, *reduced, dim)) return std::nullopt;
  return *reduced;
}

Fragment result_layout(const std::vector<int64_t>& extents, const std::vector<int64_t>& results, size_t dim,
                       int64_t threads) {
  const Fragment source = spread_layout(extents, threads, 1, true);
  if (auto out = result_layout(source, dim, results.size() == extents.size())) return *out;
  return spread_layout(results, threads, 1, false);
}

std::unique_ptr<Parallel> reduce_loop(const Reduce& reduce) {
  const std::vector<int64_t> extents = constant_extents(reduce.src), results = constant_extents(reduce.dst);
  const auto dim = static_cast<size_t>(reduce.dim);
  const bool keeps = results.size() == extents.size();
  const DType sum = reduce_dtype(reduce.src.buffer->dtype, reduce.dst.buffer->dtype);
  return points(results, reduce.loc, [&](const std::vector<Var>& vars) {
    Block body;
    auto alloc = make_op<Alloc>(reduce.loc);
    alloc->buffer = make_buffer("partial", sum, {Expr(1)}, MemorySpace::kVar, {}, reduce.loc);
    const Buffer partial = alloc->buffer;
    const std::vector<Expr> to = element(reduce.dst, vars);
    alloc->init = reduce.clear ? reduce_identity(reduce.reduce, sum)
                               : reduce_old(reduce.reduce, cast(sum, load(reduce.dst.buffer, to)));
    body.push_back(std::move(alloc));
    auto run = make_op<For>(reduce.loc);
    run->var = Var("k", kIndex);
    run->begin = Expr(0);
    run->end = Expr(static_cast<int>(extents[dim]));
    run->step = Expr(1);
    std::vector<Var> from = vars;
    keeps ? void(from[dim] = run->var) : void(from.insert(from.begin() + static_cast<std::ptrdiff_t>(dim), run->var));
    const Expr x = reduce_element(reduce.reduce, cast(sum, load(reduce.src.buffer, element(reduce.src, from))));
    run->body = one_op(make_store(partial, {0}, reduce_combined(reduce.reduce, load(partial, {0}), x), reduce.loc));
    body.push_back(std::move(run));
    body.push_back(make_store(reduce.dst.buffer, to, cast(reduce.dst.buffer->dtype, load(partial, {0})), reduce.loc));
    return body;
  });
}

std::vector<LaidOut> reduce_points(const Reduce& reduce, ThreadTiles& tiles) {
  const std::vector<int64_t> extents = constant_extents(reduce.src), results = constant_extents(reduce.dst);
  const auto dim = static_cast<size_t>(reduce.dim);
  const DType sum = reduce_dtype(reduce.src.buffer->dtype, reduce.dst.buffer->dtype);
  const bool keeps = results.size() == extents.size();
  const ThreadTile* tile = whole_tile(reduce.src, tiles);
  const Fragment source = tile != nullptr ? tile->layout : spread_layout(extents, tiles.threads, 1, true);
  const auto reduced = source.reduce(dim, keeps);
  const auto groups = reduced ? groups_of(source, *reduced, dim) : std::nullopt;
  if (!groups) {
    TL_CHECK(tiles.find(reduce.src.buffer) == nullptr, "a reduction of registers whose holders cannot be told");
    std::vector<LaidOut> loop;
    loop.push_back({reduce_loop(reduce), spread_layout(results, tiles.threads, 1, false)});
    return loop;
  }
  const Fragment layout = *reduced;

  std::vector<LaidOut> out;
  const Buffer partial = add_tile("partial", sum, layout, reduce.loc, tiles, out);
  const auto kept = [&](const std::vector<Var>& vars) {
    std::vector<Expr> at;
    for (size_t d = 0; d < vars.size(); ++d) {
      if (d != dim) at.push_back(vars[d]);
      if (d == dim && keeps) at.push_back(Expr(0));
    }
    return at;
  };
  const auto own = [](const std::vector<Var>& vars) { return std::vector<Expr>(vars.begin(), vars.end()); };
  const Buffer registers = tiles.find(partial)->registers;
  out.push_back({start_registers(registers, reduce_identity(reduce.reduce, sum), reduce.loc), std::nullopt});
  out.push_back({points(extents, reduce.loc,
                        [&](const std::vector<Var>& vars) {
                          const Expr x = reduce_element(reduce.reduce,
                                                        cast(sum, load(reduce.src.buffer, element(reduce.src, vars))));
                          const std::vector<Expr> at = kept(vars);
                          return one_op(make_store(partial, at, reduce_combined(reduce.reduce, load(partial, at), x),
                                                   reduce.loc));
                        }),
                 source, true});
  for (const LayoutDigit& group : *groups) {
    OpPtr op = combine_threads(reduce, registers, group, tiles, out);
    out.push_back({std::move(op), std::nullopt});
  }
  out.push_back({points(layout.extents(), reduce.loc,
                        [&](const std::vector<Var>& vars) {
                          const std::vector<Expr> at = element(reduce.dst, vars);
                          Expr value = load(partial, own(vars));
                          if (!reduce.clear) {
                            const Expr old = cast(sum, load(reduce.dst.buffer, at));
                            value = reduce_combined(reduce.reduce, reduce_old(reduce.reduce, old), value);
                          }
                          return one_op(
                              make_store(reduce.dst.buffer, at, cast(reduce.dst.buffer->dtype, value), reduce.loc));
                        }),
                 layout});
  return out;
}

std::vector<LaidOut> gemm_points(const Gemm& gemm, ThreadTiles& tiles, const Facts& facts, const AccessRules& rules) {
  const auto tail = [](const Region& r, size_t from_end) { return r.extents.size() - from_end; };
  const std::vector<int64_t> c_extents = constant_extents(gemm.c), a_extents = constant_extents(gemm.a);
  const int64_t k = a_extents[tail(gemm.a, gemm.transpose_a ? 2 : 1)];
  const DType c_type = gemm.c.buffer->dtype;
  const DType wide = c_type.is_floating() && c_type.bits() < 32 ? DType::f32() : c_type;
  const ThreadTile* tile = whole_tile(gemm.c, tiles);
  const Fragment layout = tile != nullptr ? tile->layout : accumulator_layout(gemm, c_extents, tiles.threads);

  std::vector<LaidOut> out;
  const auto own = [](const std::vector<Var>& vars) { return std::vector<Expr>(vars.begin(), vars.end()); };
  // A tile of the sums' type holds them itself.
  const bool in_place = tile != nullptr && wide == c_type;
  const Buffer sums = in_place ? gemm.c.buffer : add_tile("sums", wide, layout, gemm.loc, tiles, out);
  if (!in_place || !is_const_int(gemm.clear, 0)) {
    const auto start = [&](const std::vector<Var>& vars) {
      const Expr old = cast(wide, load(gemm.c.buffer, element(gemm.c, vars)));
      const Expr first = is_const_int(gemm.clear, 0) ? old : select(gemm.clear, make_zero(wide), old);
      return one_op(make_store(sums, own(vars), first, gemm.loc));
    };
    out.push_back({points(c_extents, gemm.loc, start), layout});
  }
  const auto box = points(c_extents, gemm.loc, [](const std::vector<Var>&) { return Block(); });
  const PointCode code(*box, layout, tiles);
  out.push_back({gemm_loop(gemm, code, tiles.find(sums)->registers, k, facts, rules), std::nullopt});
  if (in_place) return out;
  const auto finish = [&](const std::vector<Var>& vars) {
    const Expr value = cast(c_type, load(sums, own(vars)));
    return one_op(make_store(gemm.c.buffer, element(gemm.c, vars), value, gemm.loc));
  };
  out.push_back({points(c_extents, gemm.loc, finish), layout});
  return out;
}

}  // namespace tl
