#include "passes/lower/lower_reduce.h"

#include <limits>
#include <map>

#include "ir/tile_match.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

Expr magnitude(const Expr& x) { return x.dtype().is_bool() ? x : unary(UnaryOp::kAbs, x); }

/// Which dimension of `dst` each kept dimension of `src` is; extents of 1 have no partner and need none.
std::map<size_t, size_t> kept_dims(const Reduce& op) {
  std::vector<size_t> from, to;
  for (size_t d = 0; d < op.src.extents.size(); ++d) {
    if (d != static_cast<size_t>(op.dim) && !is_const_int(op.src.extents[d], 1)) from.push_back(d);
  }
  for (size_t d = 0; d < op.dst.extents.size(); ++d) {
    if (!is_const_int(op.dst.extents[d], 1)) to.push_back(d);
  }
  TL_CHECK(from.size() == to.size(), "a reduction's output does not match its input");
  std::map<size_t, size_t> out;
  for (size_t i = 0; i < from.size(); ++i) out[from[i]] = to[i];
  return out;
}

/// Whether the prelude's reduce_row takes elements of `src` into a result of type `sum`.
bool prelude_reduces(DType src, DType sum, ReduceKind kind) {
  if (sum.is_float(32)) return src.is_float(32) || src.is_float(16) || src.is_bfloat16();
  if (sum.is_float(64)) return src.is_float(64);
  const bool bits = kind == ReduceKind::kBitAnd || kind == ReduceKind::kBitOr || kind == ReduceKind::kBitXor;
  return (sum.is_integral() && src.is_integral()) || (bits && sum == src);
}

struct ReduceLoops {
  const Reduce& op;
  const std::map<size_t, size_t> kept = kept_dims(op);
  const size_t dim = static_cast<size_t>(op.dim);

  std::vector<Expr> kept_extents() const {
    std::vector<Expr> out;
    for (const auto& [from, to] : kept) out.push_back(op.src.extents[from]);
    return out;
  }
  std::vector<Expr> src_at(const std::vector<Var>& vars, const Expr& reduced) const {
    std::vector<Expr> at = op.src.offsets;
    size_t i = 0;
    for (const auto& [from, to] : kept) at[from] = advanced(at[from], vars[i++]);
    at[dim] = advanced(at[dim], reduced);
    return at;
  }
  std::vector<Expr> dst_at(const std::vector<Var>& vars) const {
    std::vector<Expr> at = op.dst.offsets;
    size_t i = 0;
    for (const auto& [from, to] : kept) at[to] = advanced(at[to], vars[i++]);
    return at;
  }

  /// One row into one element, for every point of the kept dimensions.
  Block by_rows() const {
    return make_loops(kept_extents(), false, op.loc, [&](const std::vector<Var>& vars) {
      auto row = make_op<Reduce>(op.loc);
      row->reduce = op.reduce;
      row->clear = op.clear;
      row->src = {op.src.buffer, src_at(vars, make_int(DType::i64(), 0)), {}};
      row->src.extents.assign(op.src.extents.size(), make_int(DType::i64(), 1));
      row->src.extents[dim] = op.src.extents[dim];
      row->dim = op.dim;
      row->dst = {op.dst.buffer, dst_at(vars), {}};
      row->dst.extents.assign(op.dst.extents.size(), make_int(DType::i64(), 1));
      return one_op(std::move(row));
    });
  }

  /// The kept dimensions innermost, so that they run as lanes: `into[kept] = combine(into[kept], src[kept, r])`.
  Block by_elements(const Buffer& into, const std::function<std::vector<Expr>(const std::vector<Var>&)>& into_at,
                    const std::function<Expr(const std::vector<Var>&)>& initial) const {
    const DType sum = into->dtype;
    Block out = make_loops(kept_extents(), true, op.loc, [&](const std::vector<Var>& vars) {
      return one_op(make_store(into, into_at(vars), initial(vars), op.loc));
    });
    std::vector<Expr> extents = {op.src.extents[dim]};
    for (const Expr& e : kept_extents()) extents.push_back(e);
    const bool lanes = extents.size() > 1;
    Block loops = make_loops(extents, lanes, op.loc, [&](const std::vector<Var>& vars) {
      const std::vector<Var> kept_vars(vars.begin() + 1, vars.end());
      const std::vector<Expr> at = into_at(kept_vars);
      const Expr x = reduce_element(op.reduce, cast(sum, load(op.src.buffer, src_at(kept_vars, vars[0]))));
      return one_op(make_store(into, at, reduce_combined(op.reduce, load(into, at), x), op.loc));
    });
    for (OpPtr& loop : loops) out.push_back(std::move(loop));
    return out;
  }
};

Block through_wide_copy(const ReduceLoops& loops, DType sum) {
  const Reduce& op = loops.op;
  auto alloc = make_op<Alloc>(op.loc);
  alloc->buffer = make_buffer("partial", sum, loops.kept_extents(), MemorySpace::kFragment, {}, op.loc);
  const Buffer partial = alloc->buffer;
  const auto same_place = [](const std::vector<Var>& vars) { return std::vector<Expr>(vars.begin(), vars.end()); };
  const auto initial = [&](const std::vector<Var>& vars) {
    if (op.clear) return reduce_identity(op.reduce, sum);
    return reduce_old(op.reduce, cast(sum, load(op.dst.buffer, loops.dst_at(vars))));
  };
  Block out = one_op(std::move(alloc));
  for (OpPtr& loop : loops.by_elements(partial, same_place, initial)) out.push_back(std::move(loop));
  Block back = make_loops(loops.kept_extents(), true, op.loc, [&](const std::vector<Var>& vars) {
    const Expr value = cast(op.dst.buffer->dtype, load(partial, same_place(vars)));
    return one_op(make_store(op.dst.buffer, loops.dst_at(vars), value, op.loc));
  });
  for (OpPtr& loop : back) out.push_back(std::move(loop));
  return out;
}

}  // namespace

Expr reduce_element(ReduceKind kind, const Expr& x) {
  return kind == ReduceKind::kAbsSum || kind == ReduceKind::kAbsMax ? magnitude(x) : x;
}

Expr reduce_old(ReduceKind kind, const Expr& x) { return kind == ReduceKind::kAbsMax ? magnitude(x) : x; }

Expr reduce_combined(ReduceKind kind, const Expr& a, const Expr& b) {
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kAbsSum:
      return binary(a.dtype().is_bool() ? BinaryOp::kOr : BinaryOp::kAdd, a, b);
    case ReduceKind::kMax:
    case ReduceKind::kAbsMax:
      return max(a, b);
    case ReduceKind::kMin:
      return min(a, b);
    case ReduceKind::kBitAnd:
      return binary(BinaryOp::kBitAnd, a, b);
    case ReduceKind::kBitOr:
      return binary(BinaryOp::kBitOr, a, b);
    case ReduceKind::kBitXor:
      return binary(BinaryOp::kBitXor, a, b);
  }
  return a;
}

ReduceKind combined_kind(ReduceKind kind) {
  if (kind == ReduceKind::kAbsSum) return ReduceKind::kSum;
  return kind == ReduceKind::kAbsMax ? ReduceKind::kMax : kind;
}

Expr reduce_identity(ReduceKind kind, DType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
    case ReduceKind::kMax:
      return type.is_floating() ? make_float(type, -infinity) : make_const(Scalar::of_int(type, integer_min(type)));
    case ReduceKind::kMin:
      return type.is_floating() ? make_float(type, infinity) : make_const(Scalar::of_uint(type, integer_max(type)));
    case ReduceKind::kBitAnd:
      return type.is_bool() ? make_bool(true) : make_int(type, -1);
    default:
      return make_zero(type);
  }
}

Block lower_reduce(std::unique_ptr<Reduce> reduce) {
  const ReduceLoops loops{*reduce};
  const DType src = reduce->src.buffer->dtype, dst = reduce->dst.buffer->dtype, sum = reduce_dtype(src, dst);
  const bool last = loops.dim + 1 == reduce->src.extents.size();
  const BufferNode& source = *reduce->src.buffer;
  const bool dense = source.is_contiguous() || is_const_int(source.strides.back(), 1);
  if (last && dense && prelude_reduces(src, sum, reduce->reduce)) return loops.by_rows();
  if (sum != dst) return through_wide_copy(loops, sum);
  const auto initial = [&](const std::vector<Var>& vars) {
    if (reduce->clear) return reduce_identity(reduce->reduce, dst);
    return reduce_old(reduce->reduce, load(reduce->dst.buffer, loops.dst_at(vars)));
  };
  return loops.by_elements(
      reduce->dst.buffer, [&](const std::vector<Var>& vars) { return loops.dst_at(vars); }, initial);
}

}  // namespace tl
