// lower-tiles
//
// before:  tile.copy src=%A[%bx * 64 :+ 64], dst=%s[0 :+ 64]
// after:   for %i: int64, 0:int64, 64:int64, hints={"independent": true} {
//            store %s, [%i], %A[cast(int64, %bx * 64) + %i]
//          }

#include "passes/lower/lower_tiles.h"

#include "ir/tile_match.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/lower/lower_reduce.h"

namespace tl {
namespace {

Block lower_copy(const Region& src, const Region& dst, const Loc& loc) {
  const std::vector<MatchedDim> dims = match_dims(src, dst);
  std::vector<Expr> extents;
  std::vector<const MatchedDim*> looped;
  for (const MatchedDim& dim : dims) {
    if (!dim.src || !dim.dst || is_const_int(dim.extent, 1)) continue;
    extents.push_back(dim.extent);
    looped.push_back(&dim);
  }
  return make_loops(extents, true, loc, [&](const std::vector<Var>& vars) {
    std::vector<Expr> from = src.offsets, to = dst.offsets;
    for (size_t i = 0; i < vars.size(); ++i) {
      from[*looped[i]->src] = advanced(from[*looped[i]->src], vars[i]);
      to[*looped[i]->dst] = advanced(to[*looped[i]->dst], vars[i]);
    }
    return one_op(
        make_store(dst.buffer, std::move(to), cast(dst.buffer->dtype, load(src.buffer, std::move(from))), loc));
  });
}

Block lower_fill(const Fill& fill) {
  std::vector<Expr> extents;
  std::vector<size_t> looped;
  for (size_t d = 0; d < fill.dst.extents.size(); ++d) {
    if (is_const_int(fill.dst.extents[d], 1)) continue;
    extents.push_back(fill.dst.extents[d]);
    looped.push_back(d);
  }
  // The value may read memory that the fill writes: it is evaluated once, before.
  auto bind = make_op<Bind>(fill.loc);
  bind->var = Var("value", fill.value.dtype());
  bind->value = fill.value;
  const bool constant = fill.value.kind() == ExprKind::kConst;
  const Expr value = constant ? fill.value : Expr(bind->var);
  Block out;
  if (!constant) out.push_back(std::move(bind));
  Block loops = make_loops(extents, true, fill.loc, [&](const std::vector<Var>& vars) {
    std::vector<Expr> at = fill.dst.offsets;
    for (size_t i = 0; i < vars.size(); ++i) at[looped[i]] = advanced(at[looped[i]], vars[i]);
    return one_op(make_store(fill.dst.buffer, std::move(at), value, fill.loc));
  });
  for (OpPtr& op : loops) out.push_back(std::move(op));
  return out;
}

bool rows_are_contiguous(const BufferNode& buffer) {
  return buffer.is_contiguous() || is_const_int(buffer.strides.back(), 1);
}

/// Types that the prelude's gemm takes: one type for A and B, and its accumulator.
bool prelude_multiplies(const Gemm& gemm) {
  const DType a = gemm.a.buffer->dtype, b = gemm.b.buffer->dtype, c = gemm.c.buffer->dtype;
  if (a != b) return false;
  const bool half = a.is_float(16) || a.is_bfloat16();
  if (a.is_float(32) || half) return c.is_float(32) || c.is_float(16) || c.is_bfloat16() || c.is_float(64);
  if (a.is_float(64)) return c.is_float(64) || c.is_float(32);
  return (a == DType::i8() || a == DType::u8()) && c == DType::i32();
}

/// The type products and sums are made in: the accumulator's, at least float32 for floats.
DType sum_type(DType c) { return c.is_floating() && c.bits() < 32 ? DType::f32() : c; }

Block gemm_loops(const Gemm& gemm) {
  const size_t ra = gemm.a.extents.size(), rc = gemm.c.extents.size();
  const DType c_type = gemm.c.buffer->dtype, wide = sum_type(c_type);
  const Expr m = gemm.c.extents[rc - 2], n = gemm.c.extents[rc - 1];
  const Expr k = gemm.a.extents[gemm.transpose_a ? ra - 2 : ra - 1];
  const auto at = [](const Region& r, const Expr& row, const Expr& column) {
    std::vector<Expr> indices = r.offsets;
    const size_t last = indices.size() - 1;
    indices[last - 1] = advanced(indices[last - 1], row);
    indices[last] = advanced(indices[last], column);
    return indices;
  };
  return make_loops({m, n}, false, gemm.loc, [&](const std::vector<Var>& mn) {
    Block body;
    const std::vector<Expr> c_at = at(gemm.c, mn[0], mn[1]);
    auto sum = make_op<Alloc>(gemm.loc);
    sum->buffer = make_buffer("sum", wide, {1}, MemorySpace::kVar, {}, gemm.loc);
    sum->init = select(gemm.clear, make_zero(wide), cast(wide, load(gemm.c.buffer, c_at)));
    const Buffer total = sum->buffer;
    body.push_back(std::move(sum));
    Block over_k = make_loops({k}, false, gemm.loc, [&](const std::vector<Var>& p) {
      const auto a_at = gemm.transpose_a ? at(gemm.a, p[0], mn[0]) : at(gemm.a, mn[0], p[0]);
      const auto b_at = gemm.transpose_b ? at(gemm.b, mn[1], p[0]) : at(gemm.b, p[0], mn[1]);
      const Expr product = cast(wide, load(gemm.a.buffer, a_at)) * cast(wide, load(gemm.b.buffer, b_at));
      return one_op(make_store(total, {0}, load(total, {0}) + product, gemm.loc));
    });
    for (OpPtr& op : over_k) body.push_back(std::move(op));
    body.push_back(make_store(gemm.c.buffer, c_at, cast(c_type, load(total, {0})), gemm.loc));
    return body;
  });
}

Block lower(OpPtr op) {
  if (const auto* copy = op->as<Copy>()) return lower_copy(copy->src, copy->dst, copy->loc);
  if (const auto* relayout = op->as<Relayout>()) return lower_copy(relayout->src, relayout->dst, relayout->loc);
  if (const auto* fill = op->as<Fill>()) return lower_fill(*fill);
  if (op->kind == OpKind::kReduce) return lower_reduce(std::unique_ptr<Reduce>(static_cast<Reduce*>(op.release())));
  if (const auto* gemm = op->as<Gemm>()) {
    const bool dense = rows_are_contiguous(*gemm->a.buffer) && rows_are_contiguous(*gemm->b.buffer) &&
                       rows_are_contiguous(*gemm->c.buffer);
    if (!dense || !prelude_multiplies(*gemm)) return gemm_loops(*gemm);
  }
  return one_op(std::move(op));
}

}  // namespace

void lower_tiles(Function& function, PassContext&) { rewrite_ops(function.body, lower); }

}  // namespace tl
