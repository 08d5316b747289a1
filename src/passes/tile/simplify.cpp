// Before:
//
//   launch [%b: int32], [-floordiv(-%n, 64)], threads=[128] {
//     bind %row: int32, %b * 64
//     for %k: int32, 0, 4 {
//       for %j: int32, %k * 8, (%k + 1) * 8, step=8 {
//         if %k * 8 + (%j - %k * 8) < 32 && %row + 0 < %n {
//           store %A, [%row, floormod(%k * 8 + 3, 8) + floordiv(%k * 8 + 3, 8)], %x * 1.0
//         }
//       }
//     }
//   }
//
// After:
//
//   launch [%b: int32], [-floordiv(-%n, 64)], threads=[128] {
//     bind %row: int32, %b * 64
//     for %k: int32, 0, 4 {
//       store %A, [%row, %k + 3], %x
//     }
//   }

#include "passes/tile/simplify.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/walk.h"

namespace tl {
namespace {

using VarSet = std::unordered_set<const ExprNode*>;

void add_vars(const Expr& e, VarSet& vars) {
  visit_exprs(e, [&](const Expr& part) {
    if (part.kind() == ExprKind::kVar) vars.insert(part.get());
  });
}

void add_shape_vars(const Buffer& buffer, VarSet& vars) {
  for (const Expr& e : buffer->shape) add_vars(e, vars);
  for (const Expr& e : buffer->strides) add_vars(e, vars);
}

/// Variables in shapes and strides of buffers: those must keep their definition.
VarSet shape_vars(const Function& function) {
  VarSet vars;
  for (const Param& param : function.params) {
    if (const auto* buffer = std::get_if<Buffer>(&param)) add_shape_vars(*buffer, vars);
  }
  visit_ops(function.body, [&](const Op& op) {
    for_each_definition(op, [](const Var&) {}, [&](const Buffer& buffer) { add_shape_vars(buffer, vars); });
  });
  return vars;
}

/// Whether `block` holds a break or continue of the loop around it.
bool has_own_jump(const Block& block) {
  for (const OpPtr& op : block) {
    if (op->kind == OpKind::kBreak || op->kind == OpKind::kContinue) return true;
    bool nested = false;
    if (op->kind == OpKind::kIf || op->kind == OpKind::kGroup) {
      for_each_block(std::as_const(*op),
                     [&](std::string_view, const Block& inner) { nested = nested || has_own_jump(inner); });
    }
    if (nested) return true;
  }
  return false;
}

bool has_slots(const Block& block) {
  bool found = false;
  visit_ops(block, [&](const Op& op) { found = found || op.slot.has_value(); });
  return found;
}

enum class Trips { kNone, kOne, kAny };

Trips trips(const For& loop, const Facts& facts) {
  const auto step = as_int(loop.step);
  if (!step || *step == 0) return Trips::kAny;
  const Wide direction = *step > 0 ? 1 : -1;
  LinearForm length = exact_form(loop.end, facts).scaled(direction);
  length.add(exact_form(loop.begin, facts), -direction);
  if (prove_nonnegative(length.scaled(-1), facts)) return Trips::kNone;
  LinearForm beyond = length.scaled(-1);
  beyond.constant += direction * *step;
  length.constant -= 1;
  return prove_nonnegative(beyond, facts) && prove_nonnegative(length, facts) ? Trips::kOne : Trips::kAny;
}

/// One walk down the function, with what holds at each place.
class FunctionSimplifier {
 public:
  explicit FunctionSimplifier(Function& function) : function_(function), facts_(function) {}

  void run() {
    shape_vars_ = shape_vars(function_);
    simplify_block(function_.body);
  }

 private:
  void simplify_block(Block& block) {
    Block out;
    // The next op is at the back; an op replaced by others puts those there.
    Block pending = std::move(block);
    std::reverse(pending.begin(), pending.end());
    while (!pending.empty()) {
      OpPtr op = std::move(pending.back());
      pending.pop_back();
      map_values(*op, [this](const Expr& e) { return tl::simplify(substitute(e, renamed_), facts_); });
      if (replace(*op, pending)) continue;
      nested_blocks(*op);
      if (is_idle(*op)) continue;
      add_after(facts_, *op);
      if (const auto* bind = op->as<Bind>(); bind != nullptr && forward(*bind)) continue;
      put_then_first(*op);
      const bool leaves = op->kind == OpKind::kBreak || op->kind == OpKind::kContinue;
      out.push_back(std::move(op));
      if (leaves) break;
    }
    block = std::move(out);
  }

  void nested_blocks(Op& op) {
    for_each_block(op, [&](std::string_view name, Block& nested) {
      const FactsScope scope(facts_);
      enter_block(facts_, op, name);
      simplify_block(nested);
    });
  }

  /// Statements that others take the place of, or none; those go to `pending` to be simplified in their turn.
  bool replace(Op& op, Block& pending) {
    const auto put = [&](Block& ops) {
      for (auto it = ops.rbegin(); it != ops.rend(); ++it) pending.push_back(std::move(*it));
    };
    if (op.slot) return false;
    if (auto* branch = op.as<If>()) {
      const auto value = as_int(branch->condition);
      if (value) put(*value != 0 ? branch->then_body : branch->else_body);
      return value.has_value();
    }
    if (const auto* loop = op.as<While>()) return is_const_int(loop->condition, 0);
    if (const auto* loop = op.as<Parallel>()) return has_no_point(*loop);
    auto* loop = op.as<For>();
    if (loop == nullptr) return false;
    const Trips count = trips(*loop, facts_);
    if (count == Trips::kNone) return is_pure(loop->begin) && is_pure(loop->end);
    if (count == Trips::kAny || has_own_jump(loop->body) || has_slots(loop->body)) return false;
    put(loop->body);
    auto bind = make_op<Bind>(loop->loc);
    bind->var = loop->var;
    bind->value = cast(loop->var.dtype(), loop->begin);
    pending.push_back(std::move(bind));
    return true;
  }

  bool has_no_point(const Parallel& loop) const {
    for (const Expr& extent : loop.extents) {
      if (bounds(extent, facts_).hi <= 0) return true;
    }
    return false;
  }

  /// Whether the statement, as it is now, does nothing.
  static bool is_idle(const Op& op) {
    if (op.slot) return false;
    if (const auto* n = op.as<If>()) return n->then_body.empty() && n->else_body.empty() && is_pure(n->condition);
    if (const auto* n = op.as<For>()) {
      const auto step = as_int(n->step);
      return n->body.empty() && step && *step != 0 && is_pure(n->begin) && is_pure(n->end);
    }
    if (const auto* n = op.as<Parallel>()) return n->body.empty();
    if (const auto* n = op.as<Group>()) return n->body.empty();
    if (const auto* n = op.as<Assert>()) return is_const_int(n->condition, 1);
    if (const auto* n = op.as<Assume>()) return is_const_int(n->condition, 1);
    if (const auto* n = op.as<Evaluate>()) return is_pure(n->value);
    return false;
  }

  /// A constant or a variable takes the place of its second name. False when the bind must stay.
  bool forward(const Bind& bind) {
    const bool simple = bind.value.kind() == ExprKind::kConst || bind.value.kind() == ExprKind::kVar;
    if (!simple || bind.slot) return false;
    renamed_.vars[bind.var.get()] = bind.value;
    kept_.push_back(bind.var);
    return shape_vars_.count(bind.var.get()) == 0;
  }

  /// `if c {} else {...}` is `if !c {...}`.
  void put_then_first(Op& op) {
    auto* branch = op.as<If>();
    if (branch == nullptr || !branch->then_body.empty() || branch->slot) return;
    std::swap(branch->then_body, branch->else_body);
    branch->condition = tl::simplify(logical_not(branch->condition), facts_);
  }

  Function& function_;
  Facts facts_;
  Substitution renamed_;
  /// Keyed by address there, so the variables stay alive here.
  std::vector<Var> kept_;
  VarSet shape_vars_;
};

/// Removes binds that nothing behind them uses, last first, so that what only they used goes too.
void remove_unused_binds(Block& block, VarSet& used) {
  Block kept;
  for (auto it = block.rbegin(); it != block.rend(); ++it) {
    Op& op = **it;
    const auto* bind = op.as<Bind>();
    if (bind != nullptr && !op.slot && used.count(bind->var.get()) == 0 && is_pure(bind->value)) continue;
    for_each_block(op, [&](std::string_view, Block& nested) { remove_unused_binds(nested, used); });
    for_each_expr(op, [&](const Expr& e) { add_vars(e, used); });
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  block = std::move(kept);
}

}  // namespace

void simplify_function(Function& function, PassContext&) {
  FunctionSimplifier(function).run();
  VarSet used = shape_vars(function);
  remove_unused_binds(function.body, used);
}

}  // namespace tl
