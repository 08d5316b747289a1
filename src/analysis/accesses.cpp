#include "analysis/accesses.h"

#include <algorithm>

#include "analysis/apart.h"
#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// The inner variables of `form`, as far as they are terms themselves; false when one hides inside another atom.
bool inner_terms(const LinearForm& form, const std::vector<Var>& inner, std::vector<LinearTerm>& found) {
  const auto is_inner = [&](const Expr& e) {
    return std::any_of(inner.begin(), inner.end(), [&](const Var& v) { return v.get() == e.get(); });
  };
  for (const LinearTerm& term : form.terms) {
    if (is_inner(term.atom)) {
      found.push_back(term);
      continue;
    }
    bool hidden = false;
    visit_exprs(term.atom, [&](const Expr& e) { hidden = hidden || is_inner(e); });
    if (hidden) return false;
  }
  return true;
}

/// The interval [offset, offset + extent) for all values of the inner variables, or nothing.
std::optional<std::pair<Expr, Expr>> widen_dimension(const Expr& offset, const Expr& extent,
                                                     const std::vector<Var>& inner, const Facts& facts) {
  const DType t = offset.dtype();
  LinearForm start = exact_form(offset, facts);
  std::vector<LinearTerm> moving;
  if (!start.valid || !inner_terms(start, inner, moving)) return std::nullopt;
  const LinearForm length = exact_form(extent, facts);
  std::vector<LinearTerm> in_extent;
  const bool fixed_length = inner_terms(length, inner, in_extent) && in_extent.empty();
  if (moving.empty() && fixed_length) return std::pair(offset, extent);
  Wide spread = 0;
  for (const LinearTerm& term : moving) {
    const Interval range = bounds(term.atom, facts);
    if (!range.bounded()) return std::nullopt;
    start = start.without(term.atom);
    start.constant += term.coefficient * (term.coefficient > 0 ? range.lo : range.hi);
    spread += (range.hi - range.lo) * (term.coefficient > 0 ? term.coefficient : -term.coefficient);
  }
  const Interval lengths = bounds(length, facts);
  if (!Interval::of(extent.dtype()).contains(lengths + Interval::point(spread))) return std::nullopt;
  const Expr widest = fixed_length ? extent : make_int(extent.dtype(), static_cast<int64_t>(lengths.hi));
  const bool same_dtype = std::all_of(start.terms.begin(), start.terms.end(),
                                      [&](const LinearTerm& term) { return term.atom.dtype() == t; });
  if (!same_dtype || !Interval::of(t).contains(bounds(start, facts))) return std::nullopt;
  return std::pair(simplify(to_expr(start, t), facts),
                   simplify(widest + make_int(widest.dtype(), static_cast<int64_t>(spread)), facts));
}

/// Walks one statement and lists what it touches, widened over the variables it defines itself.
class Collector {
 public:
  Collector(const Facts& facts, std::vector<Access>& out) : facts_(facts), out_(out) {}

  void statement(const Op& op) {
    own(op);
    const size_t variables = inner_.size();
    for_each_definition(op, [&](const Var& v) { inner_.push_back(v); }, [](const Buffer&) {});
    const bool runs = certainly_runs(op);
    for_each_block(op, [&](std::string_view name, const Block& nested) {
      const FactsScope scope(facts_);
      enter_block(facts_, op, name);
      const size_t begin = out_.size(), outside = inner_.size();
      for (const OpPtr& below : nested) {
        statement(*below);
        add_after(facts_, *below);
      }
      close(runs, begin);
      inner_.resize(outside);
    });
    if (op.kind == OpKind::kBind) return;  // its variable lives on in the block
    inner_.resize(variables);
  }

 private:
  void own(const Op& op) {
    for_each_expr(op, [&](const Expr& e) { loads(e, op, op.kind != OpKind::kWhile); });
    if (const auto* store = op.as<Store>())
      add(store->buffer, element(store->buffer, store->indices), false, true, true, op);
    if (const auto* alloc = op.as<Alloc>(); alloc != nullptr && alloc->init) {
      add(alloc->buffer, whole(alloc->buffer), false, true, true, op);
    }
    for_each_region(op, [&](const RegionAccess& access) {
      const bool reads = access.role != FieldRole::kWrites, writes = access.role != FieldRole::kReads;
      add(access.region->buffer, *access.region, reads, writes, true, op);
    });
  }

  /// The chosen side of a select only is read.
  void loads(const Expr& e, const Op& op, bool certain) {
    if (const auto* n = e.as<SelectNode>()) {
      loads(n->condition, op, certain);
      loads(n->a, op, false);
      loads(n->b, op, false);
      return;
    }
    for_each_operand(e, [&](const Expr& operand) { loads(operand, op, certain); });
    if (const auto* n = e.as<LoadNode>()) add(n->buffer, element(n->buffer, n->indices), true, false, certain, op);
  }

  static Region element(const Buffer& buffer, const std::vector<Expr>& indices) {
    Region region{buffer, indices, {}};
    for (const Expr& index : indices) region.extents.push_back(make_int(index.dtype(), 1));
    return region;
  }

  void add(const Buffer& buffer, Region region, bool reads, bool writes, bool exact, const Op& op) {
    out_.push_back({buffer, std::move(region), reads, writes, exact, &op});
  }

  /// Widens the accesses of a nested block, from `begin` on, over what is defined inside the
  /// statement; `runs`: the block is certain to run.
  void close(bool runs, size_t begin) {
    for (size_t i = begin; i < out_.size(); ++i) {
      Access& access = out_[i];
      Region widened = widen(access.region, inner_, facts_);
      const bool moved = !same(widened, access.region);
      access.region = std::move(widened);
      // A loop that may be empty, or visits some elements only, leaves elements out.
      access.exact = access.exact && !moved && runs;
    }
  }

  bool certainly_runs(const Op& op) const {
    if (const auto* loop = op.as<For>()) {
      const auto step = constant_value(loop->step, facts_);
      return step && *step > 0 && holds(loop->begin < loop->end, facts_) && !has_jump(loop->body);
    }
    if (const auto* parallel = op.as<Parallel>()) {
      return std::all_of(parallel->extents.begin(), parallel->extents.end(),
                         [&](const Expr& extent) { return bounds(extent, facts_).lo > 0; }) &&
             !has_jump(parallel->body);
    }
    return op.kind == OpKind::kLaunch || op.kind == OpKind::kGroup || op.kind == OpKind::kCoreLaunch;
  }

  static bool has_jump(const Block& block) {
    bool found = false;
    visit_ops(block, [&](const Op& op) { found = found || op.kind == OpKind::kBreak || op.kind == OpKind::kContinue; });
    return found;
  }

  Facts facts_;
  std::vector<Access>& out_;
  std::vector<Var> inner_;
};

}  // namespace

Aliases::Aliases(const Block& block) {
  visit_ops(block, [&](const Op& op) {
    if (const auto* view = op.as<View>()) source_[view->buffer.get()] = view->source;
  });
}

Buffer Aliases::root(const Buffer& buffer) const {
  Buffer at = buffer;
  for (auto it = source_.find(at.get()); it != source_.end(); it = source_.find(at.get())) at = it->second;
  return at;
}

std::vector<Access> accesses(const Op& op, const Facts& facts) {
  std::vector<Access> out;
  Collector(facts, out).statement(op);
  return out;
}

bool has_unknown_effects(const Op& op) {
  bool found = false;
  for_each_expr(op, [&](const Expr& e) { found = found || !is_pure(e); });
  for_each_block(op, [&](std::string_view, const Block& block) {
    for (const OpPtr& inner : block) found = found || has_unknown_effects(*inner);
  });
  return found;
}

std::vector<TensorUse> tensor_uses(const Function& function) {
  std::unordered_map<const BufferNode*, bool> written;
  bool unknown = false;
  const Aliases aliases(function);
  for (const OpPtr& op : function.body) {
    unknown |= has_unknown_effects(*op);
    for (const Access& access : accesses(*op)) written[aliases.root(access.buffer).get()] |= access.writes;
  }
  std::vector<TensorUse> out;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto* tensor = std::get_if<Buffer>(&function.params[i]);
    if (tensor == nullptr) continue;
    const auto found = written.find(tensor->get());
    if (unknown || found != written.end()) out.push_back({i, *tensor, unknown || found->second});
  }
  return out;
}

bool may_overlap(const Region& a, const Region& b, const Facts& facts) {
  return a.buffer != b.buffer || !apart(a, b, facts);
}

bool may_overlap(const Access& a, const Access& b, const Aliases& aliases, const Facts& facts) {
  if (aliases.root(a.buffer) != aliases.root(b.buffer)) return false;
  return may_overlap(a.region, b.region, facts);
}

bool conflict(const Access& a, const Access& b, const Aliases& aliases, const Facts& facts) {
  return (a.writes || b.writes) && may_overlap(a, b, aliases, facts);
}

Region widen(const Region& region, const std::vector<Var>& inner, const Facts& facts) {
  Region out = region;
  const Region all = whole(region.buffer);
  for (size_t i = 0; i < region.offsets.size(); ++i) {
    const auto dimension = widen_dimension(region.offsets[i], region.extents[i], inner, facts);
    out.offsets[i] = dimension ? dimension->first : all.offsets[i];
    out.extents[i] = dimension ? dimension->second : all.extents[i];
  }
  return out;
}

}  // namespace tl
