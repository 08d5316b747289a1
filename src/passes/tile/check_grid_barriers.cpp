#include "passes/tile/check_grid_barriers.h"

#include <unordered_set>
#include <vector>

#include "analysis/linear.h"
#include "ir/index.h"
#include "ir/walk.h"

namespace tl {
namespace {

class GridBarrierCheck {
 public:
  GridBarrierCheck(const Launch& launch, const Target& target, Diagnostics& diagnostics)
      : target_(target), diagnostics_(diagnostics) {
    for (const Var& block : launch.blocks) of_program_.insert(block.get());
    block(launch.body);
  }

 private:
  void block(const Block& ops) {
    for (const OpPtr& op : ops) {
      if (is_grid_barrier(*op)) check(*op);
      note_names(*op);
      around_.push_back(op.get());
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { block(nested); });
      around_.pop_back();
    }
  }

  /// Names whose values differ between programs.
  void note_names(const Op& op) {
    if (const auto* bind = op.as<Bind>(); bind != nullptr && differs(bind->value)) of_program_.insert(bind->var.get());
    const auto* loop = op.as<For>();
    if (loop != nullptr && (differs(loop->begin) || differs(loop->step))) of_program_.insert(loop->var.get());
  }

  /// What programs find in memory may be the same for all.
  bool differs(const Expr& e) const {
    if (e.kind() == ExprKind::kLoad) return false;
    bool found = of_program_.count(e.get()) != 0;
    for_each_operand(e, [&](const Expr& operand) { found |= differs(operand); });
    return found;
  }

  /// Whether the op runs what is in it for some programs only, or more often for some than for others.
  bool parts_programs(const Op& op) const {
    if (const auto* branch = op.as<If>()) return differs(branch->condition);
    if (const auto* loop = op.as<While>()) return differs(loop->condition);
    const auto* loop = op.as<For>();
    if (loop == nullptr) return false;
    if (differs(loop->step)) return true;
    const LinearForm length = ring_form(widen_index(loop->end) - widen_index(loop->begin));
    if (!length.valid) return false;
    for (const LinearTerm& term : length.terms) {
      if (differs(term.atom)) return true;
    }
    return false;
  }

  void check(const Op& barrier) {
    if (target_.kind == TargetKind::kHost) {
      diagnostics_
          .error(90, barrier.loc, "T.sync_grid is not available on the processor: programs run one by one there")
          .help = "end the launch there and begin another one, or use a CUDA target or target=\"interpret\"";
      return;
    }
    if (target_.kind == TargetKind::kAscend) {
      diagnostics_.error(90, barrier.loc, "T.sync_grid is not available on Ascend cores yet").help =
          "end the launch there and begin another one, or use target=\"interpret\"";
      return;
    }
    for (size_t i = around_.size(); i-- > 0;) {
      if (!parts_programs(*around_[i])) continue;
      Diagnostic& d = diagnostics_.error(
          76, barrier.loc, "T.sync_grid is reached by some tile programs only, but all of them wait for each other");
      d.notes.push_back({"what is done here depends on the program", around_[i]->loc});
      d.help = "move it out of the branch, or let the loop run equally often for all programs";
      return;
    }
  }

  const Target& target_;
  Diagnostics& diagnostics_;
  std::unordered_set<const ExprNode*> of_program_;
  std::vector<const Op*> around_;
};

}  // namespace

void check_grid_barriers(const Launch& launch, const Target& target, Diagnostics& diagnostics) {
  GridBarrierCheck(launch, target, diagnostics);
}

}  // namespace tl
