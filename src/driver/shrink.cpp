#include "driver/shrink.h"

#include "ir/verify.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Changes the candidate at one place; places are counted in the order of a walk. False when there are fewer.
using Edit = std::function<bool(Function&, int place)>;

/// Calls `f` with every block and position in it, outer before inner, until it returns true.
bool at_every_op(Block& block, const std::function<bool(Block&, size_t)>& f) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (f(block, i)) return true;
    bool done = false;
    for_each_block(*block[i], [&](std::string_view, Block& nested) { done = done || at_every_op(nested, f); });
    if (done) return true;
  }
  return false;
}

bool remove_op(Function& f, int place) {
  return at_every_op(f.body, [&](Block& block, size_t i) {
    if (place-- != 0) return false;
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  });
}

/// Replaces an op by what stands in its blocks.
bool unwrap_op(Function& f, int place) {
  return at_every_op(f.body, [&](Block& block, size_t i) {
    Block inner;
    bool nests = false;
    for_each_block(*block[i], [&](std::string_view, Block&) { nests = true; });
    if (!nests || place-- != 0) return false;
    for_each_block(*block[i], [&](std::string_view, Block& nested) {
      for (OpPtr& op : nested) inner.push_back(std::move(op));
    });
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), std::make_move_iterator(inner.begin()),
                 std::make_move_iterator(inner.end()));
    return true;
  });
}

/// Replaces an operand that is no constant by an operand of its own of the same dtype, or by 0.
bool reduce_operand(Function& f, int place, bool to_zero) {
  return at_every_op(f.body, [&](Block& block, size_t i) {
    bool changed = false;
    map_exprs(*block[i], [&](const Expr& e) {
      if (changed || e.kind() == ExprKind::kConst || e.kind() == ExprKind::kString) return e;
      Expr smaller = to_zero && (e.dtype().is_integral() || e.dtype().is_floating() || e.dtype().is_bool())
                         ? make_zero(e.dtype())
                         : Expr();
      if (!to_zero) {
        for_each_operand(e, [&](const Expr& operand) {
          if (!smaller && operand.dtype() == e.dtype()) smaller = operand;
        });
      }
      if (!smaller || place-- != 0) return e;
      changed = true;
      return smaller;
    });
    return changed;
  });
}

}  // namespace

std::unique_ptr<Function> shrink(const Function& function, const std::function<bool(const Function&)>& fails) {
  auto best = clone(function);
  const Edit edits[] = {
      remove_op,
      unwrap_op,
      [](Function& f, int place) { return reduce_operand(f, place, true); },
      [](Function& f, int place) { return reduce_operand(f, place, false); },
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const Edit& edit : edits) {
      for (int place = 0;;) {
        auto candidate = clone(*best);
        if (!edit(*candidate, place)) break;
        if (verify(*candidate).empty() && fails(*candidate)) {
          best = std::move(candidate);
          progress = true;
        } else {
          ++place;
        }
      }
    }
  }
  return best;
}

}  // namespace tl
