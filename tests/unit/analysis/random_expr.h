// Random expressions over variables with known ranges, and their values at a point.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/facts.h"
#include "ir/walk.h"

namespace tl {

using Random = std::mt19937_64;

/// From `lo` to `hi`, both included.
inline int64_t pick(Random& random, int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1));
}

/// Small numbers, powers of two and their neighbours, the ends of the range, and anything.
inline Scalar random_integer(DType t, Random& random) {
  switch (random() % 6) {
    case 0:
      return Scalar::of_uint(t, (uint64_t{1} << (random() % static_cast<uint64_t>(t.bits()))));
    case 1:
      return Scalar::of_int(t, integer_min(t) + pick(random, 0, 2));
    case 2:
      return Scalar::of_uint(t, integer_max(t) - random() % 3);
    case 3:
      return Scalar::of_uint(t, random());
    default:
      return Scalar::of_int(t, pick(random, -9, 17));
  }
}

/// A variable and the values it may have.
struct Domain {
  Var var;
  Interval range;
  int64_t step = 1;
  Scalar value(Random& random) const {
    const auto count = static_cast<uint64_t>(range.hi - range.lo) / static_cast<uint64_t>(step);
    const uint64_t at = count == ~uint64_t{0} ? random() : random() % (count + 1);
    return Scalar::of_uint(var.dtype(), static_cast<uint64_t>(range.lo) + at * static_cast<uint64_t>(step));
  }
};

inline Domain random_domain(const std::string& name, DType t, Random& random) {
  const Interval all = Interval::of(t);
  Domain d{Var(name, t), all, 1};
  if (random() % 4 == 0) return d;
  const Wide lo = std::max<Wide>(all.lo, pick(random, -20, 20));
  d.step = random() % 3 == 0 ? pick(random, 2, 8) : 1;
  d.range = {lo, std::min<Wide>(all.hi, lo + pick(random, 0, 100) * d.step)};
  d.range.hi = d.range.lo + (d.range.hi - d.range.lo) / d.step * d.step;
  return d;
}

inline void tell(Facts& facts, const Domain& d) {
  const DType t = d.var.dtype();
  const auto constant = [&](Wide v) { return make_int(t, static_cast<int64_t>(v)); };
  if (d.range == Interval::of(t)) return;
  if (d.range.hi == Interval::of(t).hi || d.range.hi + d.step > Interval::of(t).hi)
    return facts.add_range(d.var, d.range);
  facts.add_loop(d.var, constant(d.range.lo), constant(d.range.hi + 1), constant(d.step));
}

class ExprGenerator {
 public:
  ExprGenerator(std::vector<Domain> domains, Random& random) : domains_(std::move(domains)), random_(random) {}

  Expr integer(DType t, int depth) {
    if (depth == 0 || random_() % 8 == 0) return leaf(t);
    switch (random_() % 12) {
      case 0:
        return unary(random_() % 3 != 0   ? UnaryOp::kNeg
                     : random_() % 2 != 0 ? UnaryOp::kAbs
                                          : UnaryOp::kBitNot,
                     integer(t, depth - 1));
      case 1:
        return select(condition(t, depth - 1), integer(t, depth - 1), integer(t, depth - 1));
      case 2: {
        const DType other = kTypes[random_() % std::size(kTypes)];
        return cast(t, integer(other, depth - 1));
      }
      case 3:
      case 4:
        return binary(random_() % 2 != 0 ? BinaryOp::kFloorDiv : BinaryOp::kFloorMod, integer(t, depth - 1),
                      random_() % 4 != 0 ? make_int(t, pick(random_, 1, 16)) : integer(t, depth - 1));
      case 5:
        return integer(t, depth - 1) * make_int(t, pick(random_, -4, 16));
      default:
        return binary(kOps[random_() % std::size(kOps)], integer(t, depth - 1), integer(t, depth - 1));
    }
  }

  Expr condition(DType t, int depth) {
    if (depth > 0 && random_() % 3 == 0) {
      Expr a = condition(t, depth - 1), b = condition(t, depth - 1);
      return random_() % 3 == 0 ? logical_not(a) : random_() % 2 != 0 ? logical_and(a, b) : logical_or(a, b);
    }
    const auto op = static_cast<BinaryOp>(static_cast<int>(BinaryOp::kEq) + random_() % 6);
    return binary(op, integer(t, std::max(0, depth - 1)), integer(t, std::max(0, depth - 1)));
  }

  Substitution point() {
    Substitution s;
    for (const Domain& d : domains_) s.vars[d.var.get()] = make_const(d.value(random_));
    return s;
  }

  static constexpr DType kTypes[] = {DType::i8(), DType::u8(), DType::i32(), DType::u32(), DType::i64(), DType::u64()};

 private:
  Expr leaf(DType t) {
    std::vector<Expr> vars;
    for (const Domain& d : domains_) {
      if (d.var.dtype() == t) vars.push_back(d.var);
    }
    if (vars.empty() || random_() % 4 == 0) return make_const(random_integer(t, random_));
    return vars[random_() % vars.size()];
  }

  static constexpr BinaryOp kOps[] = {BinaryOp::kAdd, BinaryOp::kAdd,     BinaryOp::kSub,   BinaryOp::kSub,
                                      BinaryOp::kMul, BinaryOp::kMin,     BinaryOp::kMax,   BinaryOp::kTruncDiv,
                                      BinaryOp::kShl, BinaryOp::kBitAnd,  BinaryOp::kBitOr, BinaryOp::kBitXor,
                                      BinaryOp::kShr, BinaryOp::kTruncMod};
  std::vector<Domain> domains_;
  Random& random_;
};

inline Wide value_of(const Expr& constant) {
  const Scalar s = constant.as<ConstNode>()->value;
  return s.dtype().is_uint() ? static_cast<Wide>(s.as_uint()) : Wide{s.as_int()};
}

}  // namespace tl
