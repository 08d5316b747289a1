#include "passes/thread/point_loop.h"

#include <algorithm>
#include <numeric>

#include "ir/tile_match.h"
#include "ir/walk.h"

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

/// The row-major index of the element that each point of a loop, in row-major order, reaches by `indices`; -1 where
/// that is outside of the tile.
std::vector<int32_t> reached_elements(const std::vector<int64_t>& extents, const std::vector<Var>& vars,
                                      const std::vector<int64_t>& tile, const std::vector<Expr>& indices) {
  std::vector<IndexFunction> functions;
  for (const Expr& index : indices) functions.push_back(function_of(index, vars));
  const int64_t size = std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
  std::vector<int32_t> out;
  out.reserve(static_cast<size_t>(size));
  std::vector<int64_t> point(extents.size());
  for (int64_t i = 0; i < size; ++i) {
    int64_t element = 0;
    for (size_t d = 0; d < functions.size() && element >= 0; ++d) {
      const int64_t index = evaluate(functions[d], vars, point).value_or(-1);
      element = index >= 0 && index < tile[d] ? element * tile[d] + index : -1;
    }
    out.push_back(static_cast<int32_t>(element));
    for (size_t d = point.size(); d-- > 0 && ++point[d] == extents[d];) point[d] = 0;
  }
  return out;
}

/// How many threads hold each element.
std::vector<int32_t> holder_counts(const std::vector<int32_t>& elements, int64_t size) {
  std::vector<int32_t> out(static_cast<size_t>(size));
  for (const int32_t element : elements) {
    if (element >= 0) ++out[static_cast<size_t>(element)];
  }
  return out;
}

/// Dimensions of an extent other than 1.
std::vector<size_t> long_dims(const std::vector<int64_t>& extents) {
  std::vector<size_t> out;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != 1) out.push_back(d);
  }
  return out;
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
  std::vector<size_t> dims = long_dims(layout.extents());
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
  // The common cases need no enumeration: the tile is laid out as the loop, or is one element that every thread holds.
  const auto registers = static_cast<size_t>(points.registers());
  if (tile.is_spelled_like(points) && plain_dims(tile.extents(), indices, vars) == long_dims(tile.extents())) {
    std::vector<int64_t> same(registers);
    std::iota(same.begin(), same.end(), 0);
    return same;
  }
  const bool everywhere = tile.size() == 1 && tile.registers() == 1 && tile.replication() == tile.threads();
  if (everywhere && !all_holders && points.filled_slots() == points.threads() * points.registers()) {
    return std::vector<int64_t>(registers, 0);
  }
  const std::vector<int32_t> reached = reached_elements(points.extents(), vars, tile.extents(), indices);
  const std::vector<int32_t> point_at = points.elements(), element_at = tile.elements();
  std::vector<int32_t> runs, holders;
  if (all_holders) {
    runs = holder_counts(point_at, points.size());
    holders = holder_counts(element_at, tile.size());
  }
  // An element is in the same register of all its holders.
  std::vector<int32_t> register_of(static_cast<size_t>(tile.size()), -1);
  for (size_t slot = 0; slot < element_at.size(); ++slot) {
    const auto reg = static_cast<int32_t>(slot % static_cast<size_t>(tile.registers()));
    if (element_at[slot] >= 0) register_of[static_cast<size_t>(element_at[slot])] = reg;
  }
  const auto count = static_cast<size_t>(points.registers());
  std::vector<int64_t> out(count, -1);
  bool any = false;
  for (size_t slot = 0; slot < point_at.size(); ++slot) {
    if (point_at[slot] < 0) continue;
    const auto point = static_cast<size_t>(point_at[slot]);
    if (reached[point] < 0) return std::nullopt;
    const auto element = static_cast<size_t>(reached[point]);
    const int64_t reg = register_of[element];
    const auto thread = static_cast<int64_t>(slot / count);
    const bool holds = element_at[static_cast<size_t>(thread * tile.registers() + reg)] == reached[point];
    if (!holds || (all_holders && runs[point] < holders[element])) return std::nullopt;
    int64_t& known = out[slot % count];
    if (known >= 0 && known != reg) return std::nullopt;
    known = reg;
    any = true;
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tl
