#include "passes/thread/point_loop.h"

#include <algorithm>
#include <numeric>

#include "ir/walk.h"
#include "passes/lower/tile_match.h"

namespace tl {
namespace {

/// An index as a function of the loop's variables: a linear form where it is one, else the expression.
struct IndexFunction {
  bool linear = true;
  int64_t constant = 0;
  std::vector<int64_t> coefficients;
  Expr expr;
};

bool add_linear(const Expr& e, int64_t factor, const std::vector<Var>& vars, IndexFunction& out) {
  if (const auto c = as_int(e)) {
    out.constant += factor * *c;
    return true;
  }
  if (const auto* n = e.as<CastNode>(); n != nullptr && n->a.dtype().is_integral()) {
    return add_linear(n->a, factor, vars, out);
  }
  if (const auto* n = e.as<BinaryNode>()) {
    if (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub) {
      return add_linear(n->a, factor, vars, out) &&
             add_linear(n->b, n->op == BinaryOp::kAdd ? factor : -factor, vars, out);
    }
    if (n->op == BinaryOp::kMul) {
      if (const auto c = as_int(n->b)) return add_linear(n->a, factor * *c, vars, out);
      if (const auto c = as_int(n->a)) return add_linear(n->b, factor * *c, vars, out);
    }
    return false;
  }
  for (size_t d = 0; d < vars.size(); ++d) {
    if (vars[d].get() == e.get()) {
      out.coefficients[d] += factor;
      return true;
    }
  }
  return false;
}

IndexFunction function_of(const Expr& e, const std::vector<Var>& vars) {
  IndexFunction out;
  out.coefficients.assign(vars.size(), 0);
  out.linear = add_linear(e, 1, vars, out);
  out.expr = e;
  return out;
}

std::optional<int64_t> evaluate(const IndexFunction& f, const std::vector<Var>& vars,
                                const std::vector<int64_t>& point) {
  if (!f.linear) return value_at(f.expr, vars, point);
  int64_t sum = f.constant;
  for (size_t d = 0; d < point.size(); ++d) sum += f.coefficients[d] * point[d];
  return sum;
}

}  // namespace

std::vector<PointAccess> point_accesses(const Parallel& loop) {
  std::vector<PointAccess> out;
  const auto loads = [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* n = part.as<LoadNode>()) out.push_back({n->buffer, &n->indices, false});
    });
  };
  visit_ops(loop.body, [&](const Op& op) {
    for_each_expr(op, loads);
    if (const auto* store = op.as<Store>()) out.push_back({store->buffer, &store->indices, true});
  });
  return out;
}

std::unique_ptr<Parallel> make_points(const std::vector<Expr>& extents, const Loc& loc,
                                      const std::function<Block(const std::vector<Var>&)>& body) {
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  auto loop = make_op<Parallel>(loc);
  for (size_t d = 0; d < extents.size(); ++d) loop->vars.emplace_back(d < 4 ? kNames[d] : "i", DType::i32());
  loop->extents = extents;
  loop->body = body(loop->vars);
  if (loop->vars.empty()) {
    loop->vars.emplace_back("i", DType::i32());
    loop->extents.emplace_back(1);
  }
  return loop;
}

Expr offset_by(const Expr& offset, const Expr& by) {
  if (is_const_int(offset, 0)) return by;
  return offset.dtype() == by.dtype() ? offset + by : advanced(offset, cast(DType::i64(), by));
}

std::optional<std::vector<int64_t>> static_extents(const Parallel& loop) {
  std::vector<int64_t> out;
  for (const Expr& extent : loop.extents) {
    const auto n = as_int(extent);
    if (!n || *n < 1) return std::nullopt;
    out.push_back(*n);
  }
  return out;
}

std::optional<int64_t> value_at(const Expr& e, const std::vector<Var>& vars, const std::vector<int64_t>& point) {
  Substitution s;
  for (size_t d = 0; d < vars.size(); ++d) s.vars[vars[d].get()] = make_int(vars[d].dtype(), point[d]);
  return as_int(substitute(e, s));
}

std::optional<std::vector<size_t>> plain_dims(const std::vector<int64_t>& tile, const std::vector<Expr>& indices,
                                              const std::vector<Var>& vars) {
  std::vector<size_t> out;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const IndexFunction f = function_of(indices[dim], vars);
    if (tile[dim] == 1) {
      // All that an index of such a dimension can be is 0.
      if (f.linear && f.constant == 0) continue;
      return std::nullopt;
    }
    if (!f.linear || f.constant != 0) return std::nullopt;
    const auto one = std::find(f.coefficients.begin(), f.coefficients.end(), 1);
    const auto others = std::count(f.coefficients.begin(), f.coefficients.end(), 0);
    if (one == f.coefficients.end() || others + 1 != static_cast<int64_t>(vars.size())) return std::nullopt;
    const auto d = static_cast<size_t>(one - f.coefficients.begin());
    if (std::find(out.begin(), out.end(), d) != out.end()) return std::nullopt;
    out.push_back(d);
  }
  return out;
}

std::optional<Fragment> without_units(const Fragment& layout) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < layout.extents().size(); ++d) {
    if (layout.extents()[d] != 1) dims.push_back(d);
  }
  if (dims.size() == layout.extents().size()) return layout;
  if (dims.empty()) dims.push_back(0);
  auto out = layout.project(dims);
  return out ? std::optional(*out) : std::nullopt;
}

std::optional<Fragment> with_units(const Fragment& layout, const std::vector<int64_t>& tile) {
  if (layout.extents() == tile) return layout;
  std::vector<int64_t> extents, box;
  size_t next = 0;
  for (const int64_t extent : tile) {
    const bool unit = extent == 1;
    extents.push_back(extent);
    box.push_back(unit || next >= layout.box().size() ? 1 : layout.box()[next]);
    if (!unit) ++next;
  }
  const bool fits = next == layout.extents().size() || (next == 0 && layout.size() == 1);
  if (!layout.is_affine() || !fits) return std::nullopt;
  auto out = Fragment::affine(extents, box, layout.thread_layout(), layout.register_layout());
  return out && out->extents() == tile ? std::optional(*out) : std::nullopt;
}

std::optional<std::vector<int64_t>> match_registers(const Fragment& points, const std::vector<Var>& vars,
                                                    const Fragment& tile, const std::vector<Expr>& indices,
                                                    bool all_holders) {
  if (points.threads() != tile.threads()) return std::nullopt;
  // The common case needs no enumeration: the tile is laid out as the loop.
  const auto dims = plain_dims(tile.extents(), indices, vars);
  if (dims && dims->size() == vars.size() && dims->size() == indices.size() &&
      std::is_sorted(dims->begin(), dims->end()) && tile.is_spelled_like(points)) {
    std::vector<int64_t> same(static_cast<size_t>(points.registers()));
    std::iota(same.begin(), same.end(), 0);
    return same;
  }
  std::vector<IndexFunction> functions;
  for (const Expr& index : indices) functions.push_back(function_of(index, vars));
  std::vector<int64_t> out(static_cast<size_t>(points.registers()), -1);
  std::vector<int64_t> at(indices.size());
  int64_t reached = 0;
  for (int64_t r = 0; r < points.registers(); ++r) {
    for (int64_t t = 0; t < points.threads(); ++t) {
      const auto point = points.coordinate(t, r);
      if (!point) continue;
      for (size_t d = 0; d < functions.size(); ++d) {
        const auto index = evaluate(functions[d], vars, *point);
        if (!index || *index < 0 || *index >= tile.extents()[d]) return std::nullopt;
        at[d] = *index;
      }
      if (!tile.holds(t, at)) return std::nullopt;
      const int64_t reg = tile.reg(at);
      if (out[static_cast<size_t>(r)] >= 0 && out[static_cast<size_t>(r)] != reg) return std::nullopt;
      out[static_cast<size_t>(r)] = reg;
      if (all_holders && points.replicas(*point) < tile.replicas(at)) return std::nullopt;
      ++reached;
    }
  }
  return reached == 0 ? std::nullopt : std::optional(std::move(out));
}

}  // namespace tl
