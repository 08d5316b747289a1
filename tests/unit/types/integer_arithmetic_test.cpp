// Integer operators against a reference in 128-bit integers, where nothing wraps before the last step.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "types/scalar.h"
#include "unit/types/element_types.h"

namespace tl {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

Wide widen(Scalar x) { return x.dtype().is_int() ? Wide{x.as_int()} : Wide{x.as_uint()}; }

Scalar narrow(DType t, Wide value) { return Scalar::of_uint(t, static_cast<uint64_t>(value)); }

Wide floor_quotient(Wide x, Wide y) {
  Wide quotient = x / y;
  while (quotient * y > x && y > 0) --quotient;
  while (quotient * y < x && y < 0) --quotient;
  return quotient;
}

Wide reference(BinaryOp op, Wide x, Wide y, int bits) {
  const bool divides = op >= BinaryOp::kFloorDiv && op <= BinaryOp::kTruncMod;
  if (divides && y == 0) return 0;
  const bool far_shift = y < 0 || y >= bits;
  switch (op) {
    case BinaryOp::kAdd:
      return x + y;
    case BinaryOp::kSub:
      return x - y;
    case BinaryOp::kMul:
      return static_cast<Wide>(static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y));
    case BinaryOp::kFloorDiv:
      return floor_quotient(x, y);
    case BinaryOp::kFloorMod:
      return x - floor_quotient(x, y) * y;
    case BinaryOp::kTruncDiv:
      return x / y;
    case BinaryOp::kTruncMod:
      return x % y;
    case BinaryOp::kMin:
      return std::min(x, y);
    case BinaryOp::kMax:
      return std::max(x, y);
    case BinaryOp::kBitAnd:
      return x & y;
    case BinaryOp::kBitOr:
      return x | y;
    case BinaryOp::kBitXor:
      return x ^ y;
    case BinaryOp::kShl:
      return far_shift ? 0 : static_cast<Wide>(static_cast<UnsignedWide>(x) << static_cast<int>(y));
    case BinaryOp::kShr:
      return far_shift ? (x < 0 ? -1 : 0) : x >> static_cast<int>(y);
    case BinaryOp::kEq:
      return x == y;
    case BinaryOp::kNe:
      return x != y;
    case BinaryOp::kLt:
      return x < y;
    case BinaryOp::kLe:
      return x <= y;
    case BinaryOp::kGt:
      return x > y;
    case BinaryOp::kGe:
      return x >= y;
    default:
      throw std::logic_error("not an integer operator");
  }
}

/// Edge values and random ones of every magnitude; all values of the narrowest types turn up.
Scalar random_value(DType t, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return Scalar::of_int(t, static_cast<int64_t>(random() % 9) - 4);
    case 1:
      return Scalar::of_uint(
          t, (random() % 2 ? integer_max(t) : static_cast<uint64_t>(integer_min(t))) + random() % 3 - 1);
    case 2:
      return Scalar::of_uint(t, random());
    default:
      return Scalar::of_uint(t, random() >> (random() % 64));
  }
}

TEST(IntegerArithmeticTest, EveryOperatorAtEveryWidth) {
  std::mt19937_64 random(7);
  int operators = 0;
  for (const DType t : integer_types()) {
    for (std::size_t i = 0; i < kNumBinaryOps; ++i) {
      const BinaryOp op = static_cast<BinaryOp>(i);
      if (!accepts(op, t)) continue;
      ++operators;
      for (int n = 0; n < 4000; ++n) {
        Scalar x = random_value(t, random), y = random_value(t, random);
        if ((op == BinaryOp::kShl || op == BinaryOp::kShr) && n % 2 == 0) {
          y = Scalar::of_int(t, static_cast<int64_t>(random() % (static_cast<uint64_t>(t.bits()) + 2)) - 1);
        }
        const Scalar expected = narrow(result_dtype(op, t), reference(op, widen(x), widen(y), t.bits()));
        ASSERT_EQ(apply(op, x, y), expected) << x.text() << " " << op_name(op) << " " << y.text() << " " << t.name();
        if (op_info(op).commutative) {
          ASSERT_EQ(apply(op, y, x), expected);
        }
        if (is_comparison(op)) {
          ASSERT_EQ(apply(swapped_comparison(op), y, x), expected);
          ASSERT_EQ(apply(negated_comparison(op), x, y), apply(UnaryOp::kNot, expected));
        }
      }
    }
  }
  EXPECT_EQ(operators, 10 * 20);
}

TEST(IntegerArithmeticTest, UnaryOperators) {
  std::mt19937_64 random(8);
  for (const DType t : integer_types()) {
    for (int n = 0; n < 4000; ++n) {
      const Scalar x = random_value(t, random);
      const Wide value = widen(x);
      ASSERT_EQ(apply(UnaryOp::kNeg, x), narrow(t, -value));
      ASSERT_EQ(apply(UnaryOp::kBitNot, x), narrow(t, ~value));
      ASSERT_EQ(apply(UnaryOp::kAbs, x), narrow(t, value < 0 ? -value : value));
    }
  }
}

TEST(IntegerArithmeticTest, DivisionIdentities) {
  std::mt19937_64 random(9);
  for (const DType t : integer_types()) {
    for (int n = 0; n < 4000; ++n) {
      const Scalar x = random_value(t, random), y = random_value(t, random);
      if (!y.truthy()) continue;
      const auto rebuilt = [&](BinaryOp div, BinaryOp mod) {
        return apply(BinaryOp::kAdd, apply(BinaryOp::kMul, apply(div, x, y), y), apply(mod, x, y));
      };
      ASSERT_EQ(rebuilt(BinaryOp::kFloorDiv, BinaryOp::kFloorMod), x);
      ASSERT_EQ(rebuilt(BinaryOp::kTruncDiv, BinaryOp::kTruncMod), x);
      const Wide floor = widen(apply(BinaryOp::kFloorMod, x, y)), trunc = widen(apply(BinaryOp::kTruncMod, x, y));
      ASSERT_TRUE(floor == 0 || (floor < 0) == (widen(y) < 0));
      ASSERT_TRUE(trunc == 0 || (trunc < 0) == (widen(x) < 0));
    }
  }
}

TEST(IntegerArithmeticTest, StatedEdges) {
  const auto i8 = [](int64_t value) { return Scalar::of_int(DType::i8(), value); };
  const auto u8 = [](int64_t value) { return Scalar::of_int(DType::u8(), value); };
  EXPECT_EQ(apply(BinaryOp::kFloorDiv, i8(-128), i8(-1)), i8(-128));
  EXPECT_EQ(apply(BinaryOp::kTruncMod, i8(-128), i8(-1)), i8(0));
  EXPECT_EQ(apply(BinaryOp::kFloorDiv, i8(-7), i8(2)), i8(-4));
  EXPECT_EQ(apply(BinaryOp::kFloorMod, i8(-7), i8(2)), i8(1));
  EXPECT_EQ(apply(BinaryOp::kFloorMod, i8(7), i8(-2)), i8(-1));
  EXPECT_EQ(apply(BinaryOp::kTruncDiv, i8(-7), i8(2)), i8(-3));
  EXPECT_EQ(apply(BinaryOp::kAdd, i8(127), i8(1)), i8(-128));
  EXPECT_EQ(apply(BinaryOp::kSub, u8(0), u8(1)), u8(255));
  // (b << 4) >> 4 at the operand's own width
  EXPECT_EQ(apply(BinaryOp::kShr, apply(BinaryOp::kShl, u8(48), u8(4)), u8(4)), u8(0));
  EXPECT_EQ(apply(BinaryOp::kShr, apply(BinaryOp::kShl, i8(8), i8(4)), i8(4)), i8(-8));
  EXPECT_EQ(apply(BinaryOp::kShr, i8(-5), i8(-1)), i8(-1));
  EXPECT_EQ(apply(BinaryOp::kShl, i8(1), i8(8)), i8(0));
}

TEST(BoolArithmeticTest, Operators) {
  const Scalar f = Scalar::boolean(false), t = Scalar::boolean(true);
  struct Row {
    BinaryOp op;
    bool ff, ft, tf, tt;
  };
  for (const Row& row :
       {Row{BinaryOp::kAnd, false, false, false, true}, Row{BinaryOp::kOr, false, true, true, true},
        Row{BinaryOp::kBitAnd, false, false, false, true}, Row{BinaryOp::kBitOr, false, true, true, true},
        Row{BinaryOp::kBitXor, false, true, true, false}, Row{BinaryOp::kMin, false, false, false, true},
        Row{BinaryOp::kMax, false, true, true, true}, Row{BinaryOp::kEq, true, false, false, true},
        Row{BinaryOp::kNe, false, true, true, false}, Row{BinaryOp::kLt, false, true, false, false},
        Row{BinaryOp::kGe, true, false, true, true}}) {
    EXPECT_EQ(apply(row.op, f, f), Scalar::boolean(row.ff)) << op_name(row.op);
    EXPECT_EQ(apply(row.op, f, t), Scalar::boolean(row.ft)) << op_name(row.op);
    EXPECT_EQ(apply(row.op, t, f), Scalar::boolean(row.tf)) << op_name(row.op);
    EXPECT_EQ(apply(row.op, t, t), Scalar::boolean(row.tt)) << op_name(row.op);
  }
  EXPECT_EQ(apply(UnaryOp::kNot, f), t);
  EXPECT_EQ(apply(UnaryOp::kBitNot, t), f);
}

TEST(OperatorTableTest, NamesAreInverseAndDistinct) {
  for (std::size_t i = 0; i < kNumBinaryOps; ++i) {
    const BinaryOp op = static_cast<BinaryOp>(i);
    EXPECT_EQ(parse_binary_op(op_name(op)), op);
    EXPECT_EQ(op_info(op).result_is_bool, is_comparison(op) || op == BinaryOp::kAnd || op == BinaryOp::kOr);
    EXPECT_EQ(result_dtype(op, DType::i32().with_lanes(4)).lanes(), 4);
  }
  for (std::size_t i = 0; i < kNumUnaryOps; ++i) {
    EXPECT_EQ(parse_unary_op(op_name(static_cast<UnaryOp>(i))), static_cast<UnaryOp>(i));
  }
  EXPECT_EQ(parse_binary_op("plus"), std::nullopt);
  EXPECT_EQ(parse_unary_op("add"), std::nullopt);
}

TEST(OperatorTableTest, WhatAnOperatorDoesNotAcceptIsRejected) {
  const Scalar i = Scalar::one(DType::i32()), l = Scalar::one(DType::i64()), f = Scalar::one(DType::f32());
  const Scalar b = Scalar::boolean(true), h = Scalar::one(DType::handle());
  EXPECT_THROW(apply(BinaryOp::kAdd, i, l), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::kDiv, i, i), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::kShl, f, f), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::kAdd, b, b), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::kAnd, i, i), std::invalid_argument);
  EXPECT_THROW(apply(BinaryOp::kAdd, h, h), std::invalid_argument);
  EXPECT_THROW(apply(UnaryOp::kNot, i), std::invalid_argument);
  EXPECT_THROW(apply(UnaryOp::kBitNot, f), std::invalid_argument);
  EXPECT_EQ(apply(BinaryOp::kEq, h, h), b);
}

}  // namespace
}  // namespace tl
