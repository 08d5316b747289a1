#include "backend/cfamily/value_ranges.h"

#include <algorithm>

namespace tl {
namespace {

using Wide = Range::Wide;

Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

Range product(Range a, Range b) {
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {lo, hi};
}

/// Of divisions by `b`, which is positive: rounded down or towards zero, both grow with the dividend.
Range quotient(Range a, Range b, bool down) {
  const auto divide = [&](Wide x, Wide y) { return down ? floor_quotient(x, y) : x / y; };
  return {std::min(divide(a.lo, b.lo), divide(a.lo, b.hi)), std::max(divide(a.hi, b.lo), divide(a.hi, b.hi))};
}

Range remainder(Range a, Range b, bool down) {
  if (a.lo >= 0) return {0, std::min(a.hi, b.hi - 1)};
  return {down ? 0 : 1 - b.hi, b.hi - 1};
}

}  // namespace

Range Range::of(DType t) {
  // Floats have no range here; nothing is concluded from this one.
  if (!t.is_integral() && !t.is_bool()) return of(DType::i64());
  return {integer_min(t), static_cast<Wide>(integer_max(t))};
}

ValueRanges::ValueRanges(const Function& function) {
  for (const Param& p : function.params) {
    const auto* buffer = std::get_if<Buffer>(&p);
    if (buffer == nullptr) continue;
    for (const Expr& extent : (*buffer)->shape) {
      if (const Var var(extent); var) add(var, {0, Range::of(var.dtype()).hi});
    }
  }
}

void ValueRanges::add(const Var& var, Range range) {
  const Range type = Range::of(var.dtype());
  vars_[var.get()] = {std::max(range.lo, type.lo), std::min(range.hi, type.hi)};
}

void ValueRanges::declare(const Launch& launch) {
  for (size_t i = 0; i < launch.blocks.size(); ++i) {
    const Wide most = std::max<Wide>(index(launch.grid[i]).hi - 1, 0);
    add(launch.blocks[i], {0, std::min<Wide>(most, INT32_MAX)});
  }
  for (size_t i = 0; i < launch.lanes.size(); ++i) {
    add(launch.lanes[i], {0, i < launch.threads.size() ? launch.threads[i] - 1 : 0});
  }
}

void ValueRanges::declare(const CoreLaunch& launch) {
  for (size_t i = 0; i < launch.blocks.size(); ++i) {
    const Wide most = std::max<Wide>(index(launch.grid[i]).hi - 1, 0);
    add(launch.blocks[i], {0, std::min<Wide>(most, INT32_MAX)});
  }
}

void ValueRanges::declare(const For& loop) {
  const auto step = as_int(loop.step);
  if (!step || *step == 0) return;
  const Range begin = index(loop.begin), end = index(loop.end);
  if (*step > 0) {
    add(loop.var, {begin.lo, std::max(end.hi - 1, begin.lo)});
  } else {
    add(loop.var, {std::min(end.lo + 1, begin.hi), begin.hi});
  }
}

Range ValueRanges::combine(const BinaryNode& n, bool wraps) const {
  const Range a = range(n.a, wraps), b = range(n.b, wraps), type = Range::of(n.dtype);
  switch (n.op) {
    case BinaryOp::kAdd:
      return {a.lo + b.lo, a.hi + b.hi};
    case BinaryOp::kSub:
      return {a.lo - b.hi, a.hi - b.lo};
    case BinaryOp::kMul:
      return n.dtype == DType::u64() ? type : product(a, b);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kTruncDiv:
      return b.lo > 0 ? quotient(a, b, n.op == BinaryOp::kFloorDiv) : type;
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncMod:
      return b.lo > 0 ? remainder(a, b, n.op == BinaryOp::kFloorMod) : type;
    case BinaryOp::kMin:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case BinaryOp::kMax:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case BinaryOp::kBitAnd:
      return b.lo >= 0 ? Range{0, b.hi} : a.lo >= 0 ? Range{0, a.hi} : type;
    default:
      return type;
  }
}

Range ValueRanges::range(const Expr& e, bool wraps) const {
  const Range type = Range::of(e.dtype());
  if (!e.dtype().is_integral()) return type;
  // Only signed arithmetic may go beyond its type, and not into 64-bit words' neighbourhood.
  const bool cut = wraps || !e.dtype().is_int();
  const auto settled = [&](Range r) {
    return (cut ? type : Range::of(DType::i64())).contains(r) ? r : cut ? type : Range::of(DType::i64());
  };
  if (const auto constant = as_int(e); constant && *constant >= 0) return {*constant, *constant};
  if (const auto constant = as_int(e); constant && e.dtype().is_int()) return {*constant, *constant};
  switch (e.kind()) {
    case ExprKind::kVar: {
      const auto it = vars_.find(e.get());
      return it == vars_.end() ? type : it->second;
    }
    case ExprKind::kBinary:
      return settled(combine(*e.as<BinaryNode>(), cut));
    case ExprKind::kUnary: {
      const auto* n = e.as<UnaryNode>();
      const Range a = range(n->a, cut);
      return n->op == UnaryOp::kNeg ? settled({-a.hi, -a.lo}) : type;
    }
    case ExprKind::kCast: {
      const Expr& a = e.as<CastNode>()->a;
      if (!a.dtype().is_integral()) return type;
      const bool keeps = e.dtype().is_int() && a.dtype().is_int() && a.dtype().bits() <= e.dtype().bits();
      const Range r = range(a, cut || !keeps);
      return keeps ? settled(r) : type.contains(r) ? r : type;
    }
    case ExprKind::kSelect: {
      const Range a = range(e.as<SelectNode>()->a, cut), b = range(e.as<SelectNode>()->b, cut);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    default:
      return type;
  }
}

}  // namespace tl
