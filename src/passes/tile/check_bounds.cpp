#include "passes/tile/check_bounds.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/linear.h"
#include "analysis/scope.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Calls `f` on the loads that evaluating `e` makes whatever the values in it.
void for_each_certain_load(const Expr& e, const std::function<void(const LoadNode&)>& f) {
  if (const auto* n = e.as<SelectNode>()) return for_each_certain_load(n->condition, f);
  const auto* binary = e.as<BinaryNode>();
  if (binary != nullptr && (binary->op == BinaryOp::kAnd || binary->op == BinaryOp::kOr)) {
    return for_each_certain_load(binary->a, f);
  }
  for_each_operand(e, [&](const Expr& operand) { for_each_certain_load(operand, f); });
  if (const auto* n = e.as<LoadNode>()) f(*n);
}

class BoundsCheck {
 public:
  BoundsCheck(const Function& function, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    find_certain(function.body);
    visit_ops(function, [&](const Op& op, const Facts& facts) {
      if (certain_.count(&op) != 0) check(op, facts);
    });
  }

 private:
  // --- what runs for certain, and which values it sees
  // ------------------------------------------------------------------

  /// Collects the statements of `block` that no condition guards. False when what follows the block may be skipped.
  bool find_certain(const Block& block) {
    for (const OpPtr& op : block) {
      certain_.insert(op.get());
      if (!find_certain(*op)) return false;
    }
    return true;
  }

  bool find_certain(const Op& op) {
    switch (op.kind) {
      case OpKind::kIf:
      case OpKind::kWhile:
        return !has_jump(op);
      case OpKind::kBreak:
      case OpKind::kContinue:
      // What an assertion or a promise excludes need not be right.
      case OpKind::kAssert:
      case OpKind::kAssume:
        return false;
      default:
        break;
    }
    note_ranges(op);
    for_each_block(op, [&](std::string_view, const Block& nested) { find_certain(nested); });
    return true;
  }

  static bool has_jump(const Op& op) {
    bool jumps = false;
    for_each_block(op, [&](std::string_view, const Block& nested) {
      visit_ops(nested, [&](const Op& o) { jumps |= o.kind == OpKind::kBreak || o.kind == OpKind::kContinue; });
    });
    return jumps;
  }

  void note_ranges(const Op& op) {
    if (const auto* loop = op.as<For>()) {
      const auto begin = as_int(loop->begin), end = as_int(loop->end), step = as_int(loop->step);
      if (!begin || !end || !step || *step == 0) return;
      const Wide span = *step > 0 ? Wide{*end} - *begin : Wide{*begin} - *end;
      if (span <= 0) return;
      const Wide size = *step > 0 ? *step : -Wide{*step};
      const Wide last = *begin + (span - 1) / size * *step;
      values_[loop->var.get()] = {std::min(Wide{*begin}, last), std::max(Wide{*begin}, last)};
    } else if (const auto* loop = op.as<Parallel>()) {
      for (size_t i = 0; i < loop->vars.size(); ++i) note_extent(loop->vars[i], as_int(loop->extents[i]));
    } else if (const auto* launch = op.as<Launch>()) {
      for (size_t i = 0; i < launch->blocks.size(); ++i) note_extent(launch->blocks[i], as_int(launch->grid[i]));
      for (size_t i = 0; i < launch->lanes.size(); ++i) {
        note_extent(launch->lanes[i], i < launch->threads.size() ? launch->threads[i] : 1);
      }
    }
  }

  void note_extent(const Var& var, std::optional<int64_t> extent) {
    if (extent && *extent > 0) values_[var.get()] = {0, *extent - 1};
  }

  /// The smallest and largest value that the index takes; nothing where it is no sum of variables that run freely over
  /// ranges known here.
  std::optional<Interval> taken(const Expr& index, const Facts& facts) const {
    const LinearForm form = exact_form(index, facts);
    if (!form.valid) return std::nullopt;
    Interval range = Interval::point(form.constant);
    for (const LinearTerm& term : form.terms) {
      const auto it = values_.find(term.atom.get());
      if (it == values_.end()) return std::nullopt;
      range = range + it->second * Interval::point(term.coefficient);
    }
    return range;
  }

  // --- accesses
  // -----------------------------------------------------------------------------------------------------------

  void check(const Op& op, const Facts& facts) {
    // Conditions and bounds of loops are evaluated before their body's statements; all are certain.
    for_each_expr(op, [&](const Expr& e) {
      for_each_certain_load(e, [&](const LoadNode& n) { element(op, n.buffer, n.indices, facts); });
    });
    if (const auto* store = op.as<Store>()) element(op, store->buffer, store->indices, facts);
    for_each_region(op, [&](const RegionAccess& a) { region(op, *a.region, facts); });
  }

  void element(const Op& op, const Buffer& buffer, const std::vector<Expr>& indices, const Facts& facts) {
    for (size_t d = 0; d < indices.size(); ++d) {
      if (report(op, buffer, d, indices[d], 1, 21, facts)) return;
    }
  }

  void region(const Op& op, const Region& region, const Facts& facts) {
    for (size_t d = 0; d < region.offsets.size(); ++d) {
      const auto extent = as_int(region.extents[d]);
      if (extent && *extent > 0 && report(op, region.buffer, d, region.offsets[d], *extent, 54, facts)) return;
    }
  }

  bool report(const Op& op, const Buffer& buffer, size_t d, const Expr& index, int64_t count, int code,
              const Facts& facts) {
    if (buffer->space == MemorySpace::kGlobal) return false;
    const auto extent = as_int(buffer->shape[d]);
    if (!extent) return false;
    std::optional<Interval> range = taken(index, facts);
    if (!range) return false;
    range->hi = range->hi + count - 1;
    if (range->lo >= 0 && range->hi < *extent) return false;
    const std::string reach =
        range->is_point() ? text(range->lo) : fmt::format("{} to {}", text(range->lo), text(range->hi));
    Diagnostic& diagnostic = diagnostics_.error(
        code, op.loc,
        fmt::format("{} `{}` of dimension {} of `{}` reaches {}, but the dimension has extent {}",
                    code == 21 ? "index" : "the region at", python_text(index), d, buffer->name, reach, *extent));
    if (buffer->loc) diagnostic.notes.push_back({"it was allocated here", buffer->loc});
    diagnostic.help = fmt::format("stay within 0 to {}, or guard the access with `if`", *extent - 1);
    return true;
  }

  Diagnostics& diagnostics_;
  std::unordered_set<const Op*> certain_;
  std::unordered_map<const ExprNode*, Interval> values_;
};

}  // namespace

void check_bounds(const Function& function, Diagnostics& diagnostics) { BoundsCheck(function, diagnostics); }

}  // namespace tl
