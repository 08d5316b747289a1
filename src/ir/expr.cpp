#include "ir/expr.h"

#include <functional>

#include "ir/buffer.h"
#include "ir/intrinsics.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9E3779B97F4A7C15ull + (seed >> 29); }

size_t seed_of(const ExprNode& node) {
  const DType t = node.dtype;
  return mix(static_cast<size_t>(node.kind) + 1,
             (static_cast<size_t>(t.cls()) << 32) | (static_cast<size_t>(t.bits()) << 16) | t.lanes());
}

size_t hash_all(size_t seed, const std::vector<Expr>& exprs) {
  for (const Expr& e : exprs) seed = mix(seed, e->hash);
  return seed;
}

bool same_all(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

Expr::Expr(int value) : Expr(make_int(DType::i32(), value)) {}

ConstNode::ConstNode(Scalar v) : ExprNode(kKind, v.dtype()), value(v) { hash = mix(seed_of(*this), v.to_bits()); }

StringNode::StringNode(std::string v) : ExprNode(kKind, DType()), value(std::move(v)) {
  hash = mix(seed_of(*this), std::hash<std::string>{}(value));
}

VarNode::VarNode(std::string n, DType t) : ExprNode(kKind, t), name(std::move(n)) {
  hash = mix(seed_of(*this), reinterpret_cast<size_t>(this));
}

UnaryNode::UnaryNode(UnaryOp o, Expr x) : ExprNode(kKind, result_dtype(o, x.dtype())), op(o), a(std::move(x)) {
  hash = mix(mix(seed_of(*this), static_cast<size_t>(op)), a->hash);
}

BinaryNode::BinaryNode(BinaryOp o, Expr x, Expr y)
    : ExprNode(kKind, result_dtype(o, x.dtype())), op(o), a(std::move(x)), b(std::move(y)) {
  hash = mix(mix(mix(seed_of(*this), static_cast<size_t>(op)), a->hash), b->hash);
}

SelectNode::SelectNode(Expr c, Expr x, Expr y)
    : ExprNode(kKind, x.dtype()), condition(std::move(c)), a(std::move(x)), b(std::move(y)) {
  hash = mix(mix(mix(seed_of(*this), condition->hash), a->hash), b->hash);
}

CastNode::CastNode(DType t, Expr x) : ExprNode(kKind, t), a(std::move(x)) { hash = mix(seed_of(*this), a->hash); }

BitcastNode::BitcastNode(DType t, Expr x) : ExprNode(kKind, t), a(std::move(x)) { hash = mix(seed_of(*this), a->hash); }

LoadNode::LoadNode(Buffer b, std::vector<Expr> i)
    : ExprNode(kKind, b->dtype), buffer(std::move(b)), indices(std::move(i)) {
  hash = hash_all(mix(seed_of(*this), reinterpret_cast<size_t>(buffer.get())), indices);
}

CallNode::CallNode(DType t, const Intrinsic* i, std::vector<Expr> a)
    : ExprNode(kKind, t), intrinsic(i), args(std::move(a)) {
  hash = hash_all(mix(seed_of(*this), reinterpret_cast<size_t>(intrinsic)), args);
}

Var::Var(std::string name, DType dtype) : Expr(Ref<const ExprNode>(make_ref<VarNode>(std::move(name), dtype))) {}
Var::Var(const Expr& e) : Expr(e.as<VarNode>() != nullptr ? e : Expr()) {}

Expr make_const(Scalar value) { return Ref<const ExprNode>(make_ref<ConstNode>(value)); }
Expr make_int(DType dtype, int64_t value) { return make_const(cast(Scalar::of_int(DType::i64(), value), dtype)); }
Expr make_float(DType dtype, double value) { return make_const(cast(Scalar::of_float(DType::f64(), value), dtype)); }
Expr make_bool(bool value) { return make_const(Scalar::boolean(value)); }
Expr make_string(std::string value) { return Ref<const ExprNode>(make_ref<StringNode>(std::move(value))); }
Expr make_zero(DType dtype) { return make_int(dtype, 0); }

Expr unary(UnaryOp op, Expr a) {
  if (const auto* c = a.as<ConstNode>()) return make_const(apply(op, c->value));
  return Ref<const ExprNode>(make_ref<UnaryNode>(op, std::move(a)));
}

Expr binary(BinaryOp op, Expr a, Expr b) {
  TL_CHECK(a.dtype() == b.dtype(), "operands of a binary op differ in dtype: " + std::string(op_name(op)) + " of " +
                                       a.dtype().name() + " and " + b.dtype().name());
  const auto *x = a.as<ConstNode>(), *y = b.as<ConstNode>();
  if (x != nullptr && y != nullptr) return make_const(apply(op, x->value, y->value));
  return Ref<const ExprNode>(make_ref<BinaryNode>(op, std::move(a), std::move(b)));
}

Expr select(Expr condition, Expr a, Expr b) {
  TL_CHECK(condition.dtype().is_bool() && a.dtype() == b.dtype(), "select of unequal dtypes");
  if (const auto c = as_int(condition)) return *c != 0 ? a : b;
  return Ref<const ExprNode>(make_ref<SelectNode>(std::move(condition), std::move(a), std::move(b)));
}

Expr cast(DType dtype, Expr a) {
  if (a.dtype() == dtype) return a;
  if (const auto* c = a.as<ConstNode>()) return make_const(cast(c->value, dtype));
  return Ref<const ExprNode>(make_ref<CastNode>(dtype, std::move(a)));
}

Expr bitcast(DType dtype, Expr a) {
  TL_CHECK(a.dtype().storage_bits() == dtype.storage_bits(), "bitcast between sizes");
  if (a.dtype() == dtype) return a;
  return Ref<const ExprNode>(make_ref<BitcastNode>(dtype, std::move(a)));
}

Expr load(Buffer buffer, std::vector<Expr> indices) {
  TL_CHECK(buffer->rank() == indices.size(), "load with another number of indices than the rank of " + buffer->name);
  return Ref<const ExprNode>(make_ref<LoadNode>(std::move(buffer), std::move(indices)));
}

Expr call(DType dtype, const Intrinsic* intrinsic, std::vector<Expr> args) {
  return Ref<const ExprNode>(make_ref<CallNode>(dtype, intrinsic, std::move(args)));
}

Expr operator+(Expr a, Expr b) { return binary(BinaryOp::kAdd, std::move(a), std::move(b)); }
Expr operator-(Expr a, Expr b) { return binary(BinaryOp::kSub, std::move(a), std::move(b)); }
Expr operator*(Expr a, Expr b) { return binary(BinaryOp::kMul, std::move(a), std::move(b)); }
Expr floordiv(Expr a, Expr b) { return binary(BinaryOp::kFloorDiv, std::move(a), std::move(b)); }
Expr floormod(Expr a, Expr b) { return binary(BinaryOp::kFloorMod, std::move(a), std::move(b)); }
Expr ceildiv(Expr a, Expr b) {
  // -(-a // b) needs no room above a, unlike (a + b - 1) // b.
  return unary(UnaryOp::kNeg, floordiv(unary(UnaryOp::kNeg, std::move(a)), std::move(b)));
}
Expr min(Expr a, Expr b) { return binary(BinaryOp::kMin, std::move(a), std::move(b)); }
Expr max(Expr a, Expr b) { return binary(BinaryOp::kMax, std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return binary(BinaryOp::kLt, std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return binary(BinaryOp::kLe, std::move(a), std::move(b)); }
Expr operator>=(Expr a, Expr b) { return binary(BinaryOp::kGe, std::move(a), std::move(b)); }
Expr equal(Expr a, Expr b) { return binary(BinaryOp::kEq, std::move(a), std::move(b)); }
Expr logical_and(Expr a, Expr b) {
  if (is_const_int(a, 1)) return b;
  if (is_const_int(b, 1)) return a;
  return binary(BinaryOp::kAnd, std::move(a), std::move(b));
}
Expr logical_or(Expr a, Expr b) {
  if (is_const_int(a, 0)) return b;
  if (is_const_int(b, 0)) return a;
  return binary(BinaryOp::kOr, std::move(a), std::move(b));
}
Expr logical_not(Expr a) { return unary(UnaryOp::kNot, std::move(a)); }

std::optional<int64_t> as_int(const Expr& e) {
  const auto* c = e.as<ConstNode>();
  if (c == nullptr || !(c->dtype.is_integral() || c->dtype.is_bool())) return std::nullopt;
  return c->value.as_int();
}

std::optional<double> as_float(const Expr& e) {
  const auto* c = e.as<ConstNode>();
  if (c == nullptr || !c->dtype.is_floating()) return std::nullopt;
  return c->value.as_float();
}

bool is_const_int(const Expr& e, int64_t value) { return e && as_int(e) == value; }

bool same(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  if (!a || !b || a->hash != b->hash || a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
  switch (a.kind()) {
    case ExprKind::kConst:
      return a.as<ConstNode>()->value.to_bits() == b.as<ConstNode>()->value.to_bits();
    case ExprKind::kString:
      return a.as<StringNode>()->value == b.as<StringNode>()->value;
    case ExprKind::kVar:
      return false;
    case ExprKind::kUnary:
      return a.as<UnaryNode>()->op == b.as<UnaryNode>()->op && same(a.as<UnaryNode>()->a, b.as<UnaryNode>()->a);
    case ExprKind::kBinary: {
      const auto *x = a.as<BinaryNode>(), *y = b.as<BinaryNode>();
      return x->op == y->op && same(x->a, y->a) && same(x->b, y->b);
    }
    case ExprKind::kSelect: {
      const auto *x = a.as<SelectNode>(), *y = b.as<SelectNode>();
      return same(x->condition, y->condition) && same(x->a, y->a) && same(x->b, y->b);
    }
    case ExprKind::kCast:
      return same(a.as<CastNode>()->a, b.as<CastNode>()->a);
    case ExprKind::kBitcast:
      return same(a.as<BitcastNode>()->a, b.as<BitcastNode>()->a);
    case ExprKind::kLoad: {
      const auto *x = a.as<LoadNode>(), *y = b.as<LoadNode>();
      return x->buffer == y->buffer && same_all(x->indices, y->indices);
    }
    case ExprKind::kCall: {
      const auto *x = a.as<CallNode>(), *y = b.as<CallNode>();
      return x->intrinsic == y->intrinsic && same_all(x->args, y->args);
    }
  }
  return false;
}

}  // namespace tl
