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

/// `e` with its part number `place` replaced, outer parts before inner ones; `place` is negative once that is done.
Expr reduced(const Expr& e, int& place, bool to_zero) {
  if (place < 0 || e.kind() == ExprKind::kConst || e.kind() == ExprKind::kString) return e;
  Expr smaller;
  if (!to_zero) {
    for_each_operand(e, [&](const Expr& operand) {
      if (!smaller && operand.dtype() == e.dtype()) smaller = operand;
    });
  } else if (e.dtype().is_integral() || e.dtype().is_floating() || e.dtype().is_bool()) {
    smaller = make_zero(e.dtype());
  }
  if (smaller && place-- == 0) return smaller;
  return map_operands(e, [&](const Expr& operand) { return reduced(operand, place, to_zero); });
}

/// Replaces a part of an expression that is no constant by an operand of its own of the same dtype, or by 0.
bool reduce_operand(Function& f, int place, bool to_zero) {
  return at_every_op(f.body, [&](Block& block, size_t i) {
    map_exprs(*block[i], [&](const Expr& e) { return reduced(e, place, to_zero); });
    return place < 0;
  });
}

bool remove_param(Function& f, int place) {
  if (place >= static_cast<int>(f.params.size())) return false;
  f.params.erase(f.params.begin() + place);
  std::erase(f.outputs, place);
  for (int64_t& output : f.outputs) output -= output > place ? 1 : 0;
  return true;
}

bool remove_symbol(Function& f, int place) {
  if (place >= static_cast<int>(f.symbols.size())) return false;
  f.symbols.erase(f.symbols.begin() + place);
  return true;
}

}  // namespace

std::unique_ptr<Function> shrink(const Function& function, const std::function<bool(const Function&)>& fails) {
  auto best = clone(function);
  const Edit edits[] = {
      remove_op,
      unwrap_op,
      [](Function& f, int place) { return reduce_operand(f, place, true); },
      [](Function& f, int place) { return reduce_operand(f, place, false); },
      // What is still used is missed by the verifier.
      remove_param,
      remove_symbol,
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
