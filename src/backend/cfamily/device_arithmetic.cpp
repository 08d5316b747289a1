// How C++ for devices spells integer operators: its own where they mean what the language means.

#include <fmt/format.h>

#include <bit>

#include "backend/cfamily/device_expr.h"

namespace tl {
namespace {

bool is_sum(BinaryOp op) { return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul; }

const char* symbol_of(BinaryOp op) { return op == BinaryOp::kAdd ? "+" : op == BinaryOp::kSub ? "-" : "*"; }

bool divides(BinaryOp op) {
  return op == BinaryOp::kFloorDiv || op == BinaryOp::kTruncDiv || op == BinaryOp::kFloorMod ||
         op == BinaryOp::kTruncMod;
}

bool takes_remainder(BinaryOp op) { return op == BinaryOp::kFloorMod || op == BinaryOp::kTruncMod; }
bool rounds_down(BinaryOp op) { return op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod; }

}  // namespace

std::string DeviceExpr::operand(const Expr& e, Context context, int strength) {
  return context == Context::kIndex ? index(e, strength) : value(e, strength);
}

bool DeviceExpr::may_wrap(const BinaryNode& n) const {
  // Operands of narrow types become ints.
  return !Range::of(computes_in_int(n.dtype) ? DType::i32() : n.dtype).contains(ranges_.exact(n));
}

std::string DeviceExpr::words(const Expr& e, DType word, int strength) {
  if (const auto* n = e.as<BinaryNode>(); n != nullptr && is_sum(n->op)) {
    const int own = n->op == BinaryOp::kMul ? kProduct : kSum;
    return parenthesised(fmt::format("{} {} {}", words(n->a, word, own), symbol_of(n->op), words(n->b, word, own + 1)),
                         own < strength);
  }
  if (const auto v = as_int(e); v && *v >= 0) return constant(Scalar::of_int(word, *v));
  return fmt::format("{}({})", type(word), value(e));
}

std::string DeviceExpr::wrapped(const Expr& e, DType t) {
  const DType word = t.bits() == 64 ? DType::u64() : DType::u32();
  return fmt::format("{}({})", type(t), words(e, word, 0));
}

std::optional<std::string> DeviceExpr::division(const BinaryNode& n, Context context, int strength) {
  const bool is_index = context == Context::kIndex;
  const Range a = is_index ? ranges_.index(n.a) : ranges_.value(n.a);
  const Range b = is_index ? ranges_.index(n.b) : ranges_.value(n.b);
  const bool remainder = takes_remainder(n.op), cut = !is_index && computes_in_int(n.dtype);
  if (b.lo > 0 && a.lo >= 0) {
    const std::string text = fmt::format("{} {} {}", operand(n.a, context, kProduct), remainder ? '%' : '/',
                                         operand(n.b, context, kProduct + 1));
    return cut ? fmt::format("{}({})", type(n.dtype), text) : parenthesised(text, kProduct < strength);
  }
  // Arithmetic shifts and masks round towards minus infinity.
  const auto divisor = as_int(n.b);
  if (cut || !rounds_down(n.op) || !divisor || *divisor <= 0 || !std::has_single_bit(static_cast<uint64_t>(*divisor)))
    return {};
  const int power = std::countr_zero(static_cast<uint64_t>(*divisor));
  if (!remainder) {
    return parenthesised(fmt::format("{} >> {}", operand(n.a, context, kShift), power), kShift < strength);
  }
  constexpr int kMask = 8;
  return parenthesised(fmt::format("{} & {}", operand(n.a, context, kMask), *divisor - 1), kMask < strength);
}

std::optional<std::string> DeviceExpr::shift(const BinaryNode& n, int strength) {
  const auto count = as_int(n.b);
  if (!count || *count < 0 || *count >= n.dtype.bits() || computes_in_int(n.dtype)) return {};
  if (n.op == BinaryOp::kShl && n.dtype.is_int()) return {};
  const char* symbol = n.op == BinaryOp::kShl ? "<<" : ">>";
  return parenthesised(fmt::format("{} {} {}", value(n.a, kShift), symbol, *count), kShift < strength);
}

std::optional<std::string> DeviceExpr::spelled(const BinaryNode& n, Context context, int strength) {
  if (!n.dtype.is_integral()) return {};
  if (divides(n.op)) return division(n, context, strength);
  if (context == Context::kIndex) return {};
  if (n.op == BinaryOp::kShl || n.op == BinaryOp::kShr) return shift(n, strength);
  const bool unsigned_word = n.dtype.is_uint() && n.dtype.bits() >= 32;
  if (is_sum(n.op) && !n.dtype.is_bool() && !unsigned_word && may_wrap(n))
    return wrapped(Expr(Ref<const ExprNode>(&n)), n.dtype);
  return {};
}

std::optional<std::string> DeviceExpr::spelled(const UnaryNode& n, int) {
  if (n.op != UnaryOp::kNeg || !n.dtype.is_int() || n.dtype.bits() < 32) return {};
  if (ranges_.value(n.a).lo > integer_min(n.dtype)) return {};
  const DType word = n.dtype.bits() == 64 ? DType::u64() : DType::u32();
  return fmt::format("{}(-{})", type(n.dtype), words(n.a, word, kUnary));
}

std::string DeviceExpr::conversion(DType to, const Expr& a) {
  const DType from = a.dtype();
  const auto half = [](DType t) { return t.is_floating() && t.bits() == 16; };
  const bool widens = from.is_floating() && to.is_floating();
  const bool rounds_once = from.is_integral() && to.is_floating() && !half(to);
  const bool wraps = from.is_integral() && to.is_integral() && !to.is_bool();
  // C++ converts these as the language does.
  if (!half(from) && (widens || rounds_once || wraps)) return fmt::format("{}({})", type(to), value(a));
  if (half(from) && (to.is_float(32) || to.is_float(64))) return fmt::format("{}({})", type(to), value(a));
  return CExpr::conversion(to, a);
}

}  // namespace tl
