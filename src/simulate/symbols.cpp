#include "ir/walk.h"
#include "simulate/bind_args.h"

namespace tl::simulate {
namespace {

/// The value of `e`, all of whose variables `value_of` knows.
std::optional<Scalar> evaluate(const Expr& e, const std::function<std::optional<int64_t>(const Expr&)>& value_of) {
  if (const auto* n = e.as<ConstNode>()) return n->value;
  if (e.kind() == ExprKind::kVar) {
    const auto value = value_of(e);
    return value ? std::optional(Scalar::of_int(e.dtype(), *value)) : std::nullopt;
  }
  if (const auto* n = e.as<CastNode>()) {
    const auto a = evaluate(n->a, value_of);
    return a ? std::optional(cast(*a, e.dtype())) : std::nullopt;
  }
  if (const auto* n = e.as<UnaryNode>()) {
    const auto a = evaluate(n->a, value_of);
    return a ? std::optional(apply(n->op, *a)) : std::nullopt;
  }
  if (const auto* n = e.as<BinaryNode>()) {
    const auto a = evaluate(n->a, value_of), b = evaluate(n->b, value_of);
    return a && b ? std::optional(apply(n->op, *a, *b)) : std::nullopt;
  }
  if (const auto* n = e.as<SelectNode>()) {
    const auto condition = evaluate(n->condition, value_of);
    return condition ? evaluate(condition->truthy() ? n->a : n->b, value_of) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> Symbols::value(const Expr& e) const {
  const auto value = evaluate(e, [&](const Expr& var) -> std::optional<int64_t> {
    const auto it = values_.find(var.get());
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  });
  return value ? std::optional(value->as_int()) : std::nullopt;
}

Expr Symbols::unknown(const Expr& e) const {
  Expr found;
  bool several = false;
  visit_exprs(e, [&](const Expr& part) {
    if (part.kind() != ExprKind::kVar || values_.count(part.get()) != 0) return;
    several |= found && found.get() != part.get();
    found = part;
  });
  return several ? Expr() : found;
}

std::optional<Linear> Symbols::linear(const Expr& e, const Expr& unknown) const {
  if (e.get() == unknown.get()) return Linear{1, 0};
  if (const auto known = value(e)) return Linear{0, *known};
  if (const auto* n = e.as<CastNode>()) return n->a.dtype().is_integral() ? linear(n->a, unknown) : std::nullopt;
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr) return std::nullopt;
  const auto a = linear(n->a, unknown), b = linear(n->b, unknown);
  if (!a || !b) return std::nullopt;
  switch (n->op) {
    case BinaryOp::kAdd:
      return Linear{a->factor + b->factor, a->rest + b->rest};
    case BinaryOp::kSub:
      return Linear{a->factor - b->factor, a->rest - b->rest};
    case BinaryOp::kMul:
      if (a->factor != 0 && b->factor != 0) return std::nullopt;
      return Linear{a->factor * b->rest + b->factor * a->rest, a->rest * b->rest};
    default:
      return std::nullopt;
  }
}

}  // namespace tl::simulate
