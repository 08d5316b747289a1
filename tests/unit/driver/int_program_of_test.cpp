#include "driver/int_program_of.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/walk.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

struct Slots {
  std::vector<Var> vars;
  std::vector<int64_t> values;

  int of(const Var& v) const {
    for (size_t i = 0; i < vars.size(); ++i) {
      if (vars[i].get() == v.get()) return static_cast<int>(i);
    }
    return -1;
  }
  IntProgram program(const Expr& e) const {
    return int_program_of(e, [this](const Var& v) { return of(v); });
  }
  /// What the language says, by folding constants.
  std::optional<int64_t> meaning(const Expr& e) const {
    Substitution s;
    for (size_t i = 0; i < vars.size(); ++i) s.vars[vars[i].get()] = make_int(vars[i].dtype(), values[i]);
    return as_int(substitute(e, s));
  }
};

class RandomExpr {
 public:
  RandomExpr(const Slots& slots, uint64_t seed) : slots_(slots), random_(seed) {}

  Expr of(DType t, int depth) {
    if (depth == 0) return leaf(t);
    switch (random_() % 6) {
      case 0: {
        const Expr c = binary(comparison(), of(DType::i64(), 0), of(DType::i64(), 0));
        const Expr a = of(t, depth - 1);
        return select(c, a, of(t, depth - 1));
      }
      case 1:
        return cast(t, of(random_() % 2 ? DType::u8() : DType::i16(), depth - 1));
      case 2:
        return unary(random_() % 2 ? UnaryOp::kAbs : UnaryOp::kBitNot, of(t, depth - 1));
      default: {
        static constexpr BinaryOp kOps[] = {BinaryOp::kAdd,      BinaryOp::kSub,      BinaryOp::kFloorDiv,
                                            BinaryOp::kFloorMod, BinaryOp::kTruncDiv, BinaryOp::kTruncMod,
                                            BinaryOp::kMin,      BinaryOp::kMax,      BinaryOp::kBitAnd,
                                            BinaryOp::kBitOr,    BinaryOp::kBitXor};
        const BinaryOp op = kOps[random_() % std::size(kOps)];
        const Expr a = of(t, depth - 1);
        return binary(op, a, of(t, depth - 1));
      }
    }
  }

 private:
  BinaryOp comparison() {
    static constexpr BinaryOp kOps[] = {BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt,
                                        BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe};
    return kOps[random_() % std::size(kOps)];
  }
  Expr leaf(DType t) {
    if (random_() % 3 == 0) return make_int(t, static_cast<int64_t>(random_() % 11) - (t.is_uint() ? 0 : 5));
    return cast(t, slots_.vars[random_() % slots_.vars.size()]);
  }

  const Slots& slots_;
  std::mt19937_64 random_;
};

TEST(IntProgramOf, IsTheExpression) {
  Slots slots{{Var("a", DType::i32()), Var("b", DType::i64()), Var("c", DType::u8())}, {}};
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const DType t = seed % 3 == 0 ? DType::i64() : seed % 3 == 1 ? DType::u32() : DType::u16();
    const Expr e = RandomExpr(slots, seed).of(t, 4);
    const IntProgram program = slots.program(e);
    for (int point = 0; point < 5; ++point) {
      slots.values = {static_cast<int64_t>(random() % 200) - 100, static_cast<int64_t>(random() % 20) - 10,
                      static_cast<int64_t>(random() % 256)};
      EXPECT_EQ(program.evaluate(slots.values), slots.meaning(e)) << "seed " << seed << ": " << program.text();
    }
  }
}

TEST(IntProgramOf, SignedValuesDoNotWrapAsIndicesDoNot) {
  const Slots slots{{Var("a", DType::i32())}, {2147483647}};
  EXPECT_EQ(slots.program(slots.vars[0] + Expr(1)).evaluate(slots.values), int64_t{2147483648});
  EXPECT_EQ(slots.program(cast(DType::i8(), slots.vars[0])).evaluate(slots.values), -1);
}

TEST(IntProgramOf, DivisionByZeroIsZero) {
  const Slots slots{{Var("a", DType::i32())}, {0}};
  EXPECT_EQ(slots.program(floordiv(Expr(7), slots.vars[0])).evaluate(slots.values), 0);
  EXPECT_EQ(slots.program(floormod(Expr(7), slots.vars[0])).evaluate(slots.values), 0);
}

TEST(IntProgramOf, RefusesWhatTheHostDoesNotKnow) {
  const Slots slots{{Var("a", DType::i32())}, {0}};
  const Buffer memory = make_buffer("A", DType::i32(), {4}, MemorySpace::kGlobal);
  EXPECT_THROW(slots.program(load(memory, {0})), InternalError);
  EXPECT_THROW(slots.program(cast(DType::i32(), cast(DType::f32(), slots.vars[0]))), InternalError);
  EXPECT_THROW(slots.program(Var("other", DType::i32())), InternalError);
}

}  // namespace
}  // namespace tl
