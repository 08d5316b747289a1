#include "passes/lower/split_threads_access.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/linear.h"
#include "analysis/scope.h"
#include "ir/walk.h"

namespace tl {
namespace {

std::unordered_set<const ExprNode*> defined_below(const Op& op) {
  std::unordered_set<const ExprNode*> names;
  const auto add = [&](const Op& o) {
    for_each_definition(o, [&](const Var& v) { names.insert(v.get()); }, [](const Buffer&) {});
  };
  add(op);
  for_each_block(op, [&](std::string_view, const Block& block) { visit_ops(block, add); });
  return names;
}

}  // namespace

ThreadAccesses::ThreadAccesses(const Function& function, const Launch& launch, const Uniformity& uniformity,
                               const Aliases& aliases)
    : launch_(launch), uniformity_(uniformity), aliases_(aliases) {
  std::unordered_set<const Op*> inside;
  visit_ops(launch.body, [&](const Op& op) { inside.insert(&op); });
  visit_ops(function, [&](const Op& op, const Facts& facts) {
    if (inside.count(&op) == 0) return;
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (const auto* load = part.as<LoadNode>()) add(op, facts, load->buffer, load->indices, false);
      });
    });
    if (const auto* store = op.as<Store>()) add(op, facts, store->buffer, store->indices, true);
    for_each_region(op,
                    [&](const RegionAccess& a) { add(op, facts, a.region->buffer, {}, a.role != FieldRole::kReads); });
  });
}

void ThreadAccesses::add(const Op& op, const Facts& facts, const Buffer& buffer, const std::vector<Expr>& indices,
                         bool writes) {
  if (is_per_thread(buffer->space)) return;
  Touch touch{buffer, aliases_.root(buffer).get(), {}, writes};
  for (const Expr& e : indices) touch.indices.push_back(index(e, facts));
  touches_[&op].push_back(std::move(touch));
}

int ThreadAccesses::lane_of(const Expr& e) const {
  for (size_t d = 0; d < launch_.lanes.size(); ++d) {
    if (launch_.lanes[d].get() == e.get()) return static_cast<int>(d);
  }
  return -1;
}

ThreadAccesses::Index ThreadAccesses::index(const Expr& e, const Facts& facts) const {
  LinearForm form = exact_form(e, facts);
  if (!form.valid) form = LinearForm::of_atom(e);
  Index out{{}, form.constant};
  for (const LinearTerm& term : form.terms) {
    out.terms.push_back({term.atom, term.coefficient, bounds(term.atom, facts), lane_of(term.atom)});
  }
  return out;
}

std::vector<const ThreadAccesses::Touch*> ThreadAccesses::touches_below(const Op& op) const {
  std::vector<const Touch*> out;
  const auto add = [&](const Op& o) {
    const auto it = touches_.find(&o);
    if (it == touches_.end()) return;
    for (const Touch& touch : it->second) out.push_back(&touch);
  };
  add(op);
  for_each_block(op, [&](std::string_view, const Block& block) { visit_ops(block, add); });
  return out;
}

bool ThreadAccesses::is_fixed(const Expr& atom, const Names& inner) const {
  if (!is_memory_free(atom) || !uniformity_.is_uniform(atom)) return false;
  bool fixed = true;
  visit_exprs(atom, [&](const Expr& part) { fixed &= inner.count(part.get()) == 0; });
  return fixed;
}

std::optional<Interval> ThreadAccesses::distance(const Index& a, const Index& b, const Names& inner) const {
  Interval range = Interval::point(a.constant) - Interval::point(b.constant);
  LinearForm exact;  // lanes and fixed atoms: the same value on both sides, so they cancel or do not
  for (const Term& t : a.terms) {
    if (t.lane >= 0 || is_fixed(t.atom, inner)) {
      exact.add_term(t.atom, t.coefficient);
    } else {
      range = range + Interval::point(t.coefficient) * t.range;
    }
  }
  for (const Term& t : b.terms) {
    if (t.lane >= 0 || is_fixed(t.atom, inner)) {
      exact.add_term(t.atom, -t.coefficient);
    } else {
      range = range - Interval::point(t.coefficient) * t.range;
    }
  }
  if (!exact.is_constant()) return std::nullopt;
  return range;
}

bool ThreadAccesses::meet(const Touch& a, const Touch& b, const Names& inner) const {
  if (a.root != b.root || (!a.writes && !b.writes)) return false;
  if (!(a.buffer == b.buffer) || a.indices.size() != b.indices.size() || a.indices.empty()) return true;
  // One row a dimension that tells threads apart: coefficients of the lanes, and the distance they have to pass.
  struct Row {
    Wide lanes[3] = {0, 0, 0};
    Interval distance;
  };
  std::vector<Row> rows;
  for (size_t d = 0; d < a.indices.size(); ++d) {
    const auto apart = distance(a.indices[d], b.indices[d], inner);
    if (!apart) continue;
    Row row{{}, *apart};
    for (const Term& t : a.indices[d].terms) {
      if (t.lane >= 0) row.lanes[t.lane] += t.coefficient;
    }
    rows.push_back(row);
  }
  // All differences between two threads' lanes; a block has at most 1024 threads, so there are few.
  const int64_t n[3] = {lane_extent(launch_, 0), lane_extent(launch_, 1), lane_extent(launch_, 2)};
  for (int64_t z = 1 - n[2]; z < n[2]; ++z) {
    for (int64_t y = 1 - n[1]; y < n[1]; ++y) {
      for (int64_t x = 1 - n[0]; x < n[0]; ++x) {
        if (x == 0 && y == 0 && z == 0) continue;
        const auto same_index = [&](const Row& r) {
          return r.distance.contains(-(r.lanes[0] * x + r.lanes[1] * y + r.lanes[2] * z));
        };
        if (std::all_of(rows.begin(), rows.end(), same_index)) return true;
      }
    }
  }
  return false;
}

bool ThreadAccesses::conflict(const Op& earlier, const Op& later) const {
  Names inner = defined_below(earlier);
  inner.merge(defined_below(later));
  const std::vector<const Touch*> before = touches_below(earlier), after = touches_below(later);
  return std::any_of(before.begin(), before.end(), [&](const Touch* a) {
    return std::any_of(after.begin(), after.end(), [&](const Touch* b) { return meet(*a, *b, inner); });
  });
}

bool ThreadAccesses::conflict_inside(const Op& construct) const {
  const Names inner = defined_below(construct);
  const std::vector<const Touch*> all = touches_below(construct);
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i; j < all.size(); ++j) {
      const bool unordered = all[i]->writes && all[j]->writes && all[i]->buffer->space == MemorySpace::kGlobal;
      if (!unordered && meet(*all[i], *all[j], inner)) return true;
    }
  }
  return false;
}

}  // namespace tl
