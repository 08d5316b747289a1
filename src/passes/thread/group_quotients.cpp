// group-quotients
//
// before:  for %r < 8 { store %Y, [%r], cast(bfloat16, %x[%r] / %s[0] + 1) }
// after:   alloc %quotient: local float32[8]
//          for %r < 8 { store %quotient, [%r], %x[%r] }
//          for %v < 8, hints={"common_divisor": true} { store %quotient, [%v], %quotient[%v] / %s[0] }
//          for %r < 8 { store %Y, [%r], cast(bfloat16, %quotient[%r] + 1) }
//
// A division takes a dozen instructions, two of them on the slowest unit, and a branch. Together, quotients by one
// divisor need its reciprocal once and a few instructions each. All loops are unrolled, so that moving numerators into
// an array of registers costs nothing; where a loop only divides, its array is divided in place.

#include "passes/thread/group_quotients.h"

#include <cmath>

#include "analysis/facts.h"
#include "analysis/linear.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/guarded_stores.h"

namespace tl {
namespace {

/// Fewer quotients do not pay for a reciprocal that is rounded correctly.
constexpr int64_t kFewest = 4;

/// Loops around one store, outermost first.
struct Nest {
  std::vector<For*> loops;
  Store* store = nullptr;
  /// The store's value, with what has a name before it in place of the names.
  Expr value;
};

bool is_over_registers(const For& loop) {
  return loop.loop == LoopKind::kUnrolled && loop.hints.count("independent") != 0 &&
         loop.hints.count(kCommonDivisorHint) == 0 && is_const_int(loop.begin, 0) && is_const_int(loop.step, 1) &&
         as_int(loop.end).value_or(0) > 0;
}

int64_t trips(const For& loop) { return *as_int(loop.end); }

int uses(const Expr& e, const Var& var) {
  int out = 0;
  visit_exprs(e, [&](const Expr& part) { out += part == var ? 1 : 0; });
  return out;
}

/// The value of the store that ends the block, with names in it replaced by what they stand for; none where something
/// else is in the block or something would be computed twice.
std::optional<Expr> value_without_names(const Block& block) {
  Substitution known;
  for (size_t i = 0; i + 1 < block.size(); ++i) {
    const auto* bind = block[i]->as<Bind>();
    if (bind == nullptr || !is_pure(bind->value)) return std::nullopt;
    int count = 0;
    for (size_t k = i + 1; k < block.size(); ++k) {
      for_each_expr(*block[k], [&](const Expr& e) { count += uses(e, bind->var); });
    }
    if (count > 1 && !is_move(bind->value)) return std::nullopt;
    known.vars.emplace(bind->var.get(), substitute(bind->value, known));
  }
  const auto* store = block.empty() ? nullptr : block.back()->as<Store>();
  if (store == nullptr) return std::nullopt;
  for (const Expr& index : store->indices) {
    if (substitute(index, known).get() != index.get()) return std::nullopt;
  }
  return substitute(store->value, known);
}

std::optional<Nest> nest_of(Op& op) {
  Nest nest;
  for (Op* at = &op;;) {
    auto* loop = at->as<For>();
    if (loop == nullptr || !is_over_registers(*loop) || loop->body.empty()) return std::nullopt;
    nest.loops.push_back(loop);
    if (const auto value = value_without_names(loop->body)) {
      nest.store = loop->body.back()->as<Store>();
      nest.value = *value;
      return nest;
    }
    if (loop->body.size() != 1) return std::nullopt;
    at = loop->body[0].get();
  }
}

/// A power of two divides by a multiplication as it is.
bool is_power_of_two(const Expr& e) {
  const auto* constant = e.as<ConstNode>();
  int exponent = 0;
  return constant != nullptr && std::fabs(std::frexp(constant->value.to_double(), &exponent)) == 0.5;
}

/// A float32 quotient of every evaluation of `e`: what is computed under a condition is left alone.
Expr find_quotient(const Expr& e, const Buffer& written) {
  Expr found;
  if (e.as<SelectNode>() != nullptr) return found;
  for_each_operand(e, [&](const Expr& operand) {
    if (!found) found = find_quotient(operand, written);
  });
  const auto* n = e.as<BinaryNode>();
  if (found || n == nullptr || n->op != BinaryOp::kDiv || e.dtype() != DType::f32()) return found;
  return reads(n->b, written) || is_power_of_two(n->b) ? Expr() : e;
}

Expr replaced(const Expr& e, const Expr& old, const Expr& with) {
  if (e.get() == old.get()) return with;
  return map_operands(e, [&](const Expr& operand) { return replaced(operand, old, with); });
}

void append(Block& out, Block more) {
  for (OpPtr& op : more) out.push_back(std::move(op));
}

class Grouping {
 public:
  /// The quotient and the innermost loops, from `nest.loops[first]`, in which its divisor is the same.
  Grouping(Nest nest, Expr quotient, size_t first)
      : nest_(std::move(nest)), quotient_(std::move(quotient)), first_(first) {
    for (size_t i = first; i < nest_.loops.size(); ++i) count_ *= trips(*nest_.loops[i]);
  }

  bool pays() const { return count_ >= kFewest; }

  /// What replaces the innermost loops; `body` gives and takes them.
  void apply(Block& body) const {
    if (const auto start = start_in_place()) {
      body = divide(nest_.store->buffer, *start);
      return;
    }
    Block out;
    const Buffer array = add_array("quotient", DType::f32(), count_, nest_.store->loc, out);
    append(out, gather(array));
    append(out, divide(array, Expr(0)));
    nest_.store->value = replaced(nest_.store->value, quotient_, load(array, {place(loop_vars())}));
    append(out, std::move(body));
    body = std::move(out);
  }

 private:
  const BinaryNode& parts() const { return *quotient_.as<BinaryNode>(); }

  std::vector<Expr> loop_vars() const {
    std::vector<Expr> out;
    for (size_t i = first_; i < nest_.loops.size(); ++i) out.emplace_back(nest_.loops[i]->var);
    return out;
  }

  /// The iteration's number.
  Expr place(const std::vector<Expr>& vars) const {
    Expr out = 0;
    int64_t unit = 1;
    for (size_t i = vars.size(); i-- > 0; unit *= trips(*nest_.loops[first_ + i])) {
      const Expr part = unit == 1 ? vars[i] : vars[i] * Expr(static_cast<int>(unit));
      out = is_const_int(out, 0) ? part : part + out;
    }
    return out;
  }

  /// Where the loops only divide elements of an array in order: the first of these.
  std::optional<Expr> start_in_place() const {
    const Store& store = *nest_.store;
    const auto* numerator = parts().a.as<LoadNode>();
    if (store.value.get() != quotient_.get() || store.buffer->space != MemorySpace::kLocal ||
        store.indices.size() != 1 || numerator == nullptr || numerator->buffer != store.buffer ||
        !same(numerator->indices[0], store.indices[0])) {
      return std::nullopt;
    }
    LinearForm form = ring_form(store.indices[0]);
    form.add(ring_form(place(loop_vars())), -1);
    for (const LinearTerm& term : form.terms) {
      for (const Expr& var : loop_vars()) {
        if (mentions(term.atom, var)) return std::nullopt;
      }
    }
    if (!form.valid) return std::nullopt;
    return to_expr(form, store.indices[0].dtype());
  }

  Block gather(const Buffer& array) const {
    std::vector<Var> vars;
    Substitution renamed;
    for (size_t i = first_; i < nest_.loops.size(); ++i) {
      vars.emplace_back(nest_.loops[i]->var.name(), DType::i32());
      renamed.vars[nest_.loops[i]->var.get()] = vars.back();
    }
    const Expr at = place({vars.begin(), vars.end()});
    Block out = one_op(make_store(array, {at}, substitute(parts().a, renamed), nest_.store->loc));
    for (size_t i = vars.size(); i-- > 0;)
      out = register_loop(vars[i], trips(*nest_.loops[first_ + i]), std::move(out), nest_.store->loc);
    return out;
  }

  Block divide(const Buffer& array, const Expr& start) const {
    const Var v("v", DType::i32());
    const Expr at = is_const_int(start, 0) ? Expr(v) : start + v;
    const Expr value = binary(BinaryOp::kDiv, load(array, {at}), parts().b);
    Block out = register_loop(v, count_, one_op(make_store(array, {at}, value, nest_.store->loc)), nest_.store->loc);
    out[0]->as<For>()->hints[kCommonDivisorHint] = true;
    return out;
  }

  Nest nest_;
  Expr quotient_;
  size_t first_;
  int64_t count_ = 1;
};

void group(Block& block);

/// Takes a quotient out of the nest that `op` is; false where none is left.
bool group_one(OpPtr& op, Block& out) {
  auto nest = nest_of(*op);
  if (!nest) return false;
  const Expr found = find_quotient(nest->value, nest->store->buffer);
  if (!found) return false;
  size_t first = nest->loops.size();
  while (first > 0 && !mentions(found.as<BinaryNode>()->b, nest->loops[first - 1]->var)) --first;
  const Grouping grouping(*nest, found, first);
  if (first == nest->loops.size() || !grouping.pays()) return false;
  nest->store->value = nest->value;
  Block& statements = nest->loops.back()->body;
  statements.erase(statements.begin(), statements.end() - 1);
  if (first == 0) {
    Block body = one_op(std::move(op));
    grouping.apply(body);
    group(body);
    append(out, std::move(body));
    return true;
  }
  Block& body = nest->loops[first - 1]->body;
  grouping.apply(body);
  group(body);
  out.push_back(std::move(op));
  return true;
}

void group(Block& block) {
  Block out;
  for (OpPtr& op : block) {
    if (group_one(op, out)) continue;
    for_each_block(*op, [](std::string_view, Block& inner) { group(inner); });
    out.push_back(std::move(op));
  }
  block = std::move(out);
}

}  // namespace

void group_quotients(Function& function, PassContext&) { group(function.body); }

}  // namespace tl
