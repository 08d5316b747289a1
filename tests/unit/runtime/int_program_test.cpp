#include "runtime/int_program.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();

int64_t value(const char* text, std::vector<int64_t> slots = {}) {
  const auto program = IntProgram::parse(text);
  EXPECT_TRUE(program.has_value()) << text;
  return program ? program->evaluate(slots) : 0;
}

struct Row {
  const char* text;
  int64_t expected;
};

class Evaluation : public ::testing::TestWithParam<Row> {};

TEST_P(Evaluation, GivesTheStatedValue) { EXPECT_EQ(value(GetParam().text), GetParam().expected) << GetParam().text; }

INSTANTIATE_TEST_SUITE_P(
    Operators, Evaluation,
    ::testing::Values(Row{"7 2 //", 3}, Row{"-7 2 //", -4}, Row{"7 -2 //", -4}, Row{"-7 -2 //", 3}, Row{"7 0 //", 0},
                      Row{"7 2 %", 1}, Row{"-7 2 %", 1}, Row{"7 -2 %", -1}, Row{"-7 -2 %", -1}, Row{"7 0 %", 0},
                      Row{"-7 2 /", -3}, Row{"-7 2 rem", -1}, Row{"7 0 /", 0}, Row{"7 0 rem", 0},
                      Row{"-9223372036854775808 -1 //", kMin}, Row{"-9223372036854775808 -1 %", 0},
                      Row{"-9223372036854775808 -1 /", kMin}, Row{"9223372036854775807 1 +", kMin},
                      Row{"-9223372036854775808 1 -", kMax}, Row{"4611686018427387904 2 *", kMin}, Row{"3 4 min", 3},
                      Row{"3 4 max", 4}, Row{"-3 abs", 3}, Row{"-9223372036854775808 abs", kMin}, Row{"3 neg", -3},
                      Row{"0 ~", -1}, Row{"0 not", 1}, Row{"5 not", 0}, Row{"12 10 &", 8}, Row{"12 10 |", 14},
                      Row{"12 10 ^", 6}, Row{"1 63 <<", kMin}, Row{"1 64 <<", 0}, Row{"1 -1 <<", 0}, Row{"-8 1 >>", -4},
                      Row{"-8 64 >>", -1}, Row{"8 64 >>", 0}, Row{"-1 63 ushr", 1}, Row{"2 3 <", 1}, Row{"3 3 <=", 1},
                      Row{"3 2 >", 1}, Row{"2 3 >=", 0}, Row{"2 2 ==", 1}, Row{"2 2 !=", 0}, Row{"2 3 and", 1},
                      Row{"2 0 and", 0}, Row{"0 3 or", 1}, Row{"0 0 or", 0}, Row{"-1 2 ult", 0}, Row{"1 -1 ule", 1},
                      Row{"-1 2 udiv", kMax}, Row{"-1 0 udiv", 0}, Row{"-1 10 umod", 5}, Row{"-1 1 umin", 1},
                      Row{"-1 1 umax", -1}, Row{"300 i8", 44}, Row{"200 i8", -56}, Row{"-1 u8", 255},
                      Row{"4294967296 i32", 0}, Row{"-1 u64", -1}, Row{"1 10 20 select", 10},
                      Row{"0 10 20 select", 20}));

TEST(IntProgram, CeilingDivisionOfASlot) {
  EXPECT_EQ(value("$0 127 + 128 //", {1000}), 8);
  EXPECT_EQ(value("$2 $0 -", {1, 2, 30}), 29);
}

TEST(IntProgram, TextThatIsNoProgramIsRefused) {
  for (const char* text : {"", " ", "1 2", "+", "1 +", "1  2 +", "$", "$-1", "i0 ", "1 i65", "1 i0", "x", "1 2 plus",
                           "99999999999999999999", "1 2 + ", "1 $99999999999 +"}) {
    EXPECT_FALSE(IntProgram::parse(text).has_value()) << text;
  }
}

/// A random complete program with `depth` levels over two slots.
IntProgram random_program(std::mt19937_64& random, int depth) {
  if (depth == 0 || random() % 8 == 0) {
    if (random() % 2 == 0) return IntProgram::slot(static_cast<int>(random() % 2));
    return IntProgram::constant(static_cast<int64_t>(random() % 21) - 10);
  }
  constexpr int kFirst = static_cast<int>(IntOp::kWrapInt), kLast = static_cast<int>(IntOp::kSelect);
  const IntOp op = static_cast<IntOp>(kFirst + static_cast<int>(random() % (kLast - kFirst + 1)));
  IntProgram out = random_program(random, depth - 1);
  if (op == IntOp::kWrapInt || op == IntOp::kWrapUInt) return out.push_wrap(op, 1 + static_cast<int>(random() % 64));
  const bool one = op <= IntOp::kNot;
  if (!one) out.push_all(random_program(random, depth - 1));
  if (op == IntOp::kSelect) out.push_all(random_program(random, depth - 1));
  return out.push(op);
}

TEST(IntProgram, TextReadsBackAsTheSameProgram) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const IntProgram program = random_program(random, 5);
    ASSERT_TRUE(program.complete());
    const auto again = IntProgram::parse(program.text());
    ASSERT_TRUE(again.has_value()) << program.text();
    EXPECT_EQ(*again, program);
    const std::vector<int64_t> slots = {static_cast<int64_t>(random()), static_cast<int64_t>(random() % 9)};
    EXPECT_EQ(again->evaluate(slots), program.evaluate(slots));
  }
}

TEST(IntProgram, DeepProgramsEvaluate) {
  IntProgram sum = IntProgram::constant(1);
  for (int i = 0; i < 200; ++i) {
    IntProgram next = IntProgram::constant(1);
    sum = next.push_all(sum).push(IntOp::kAdd);  // leans to the right: every operand waits on the stack
  }
  EXPECT_EQ(sum.evaluate({}), 201);
}

TEST(IntProgram, SaysWhatItReads) {
  const IntProgram program = *IntProgram::parse("$3 $1 + $3 *");
  EXPECT_EQ(program.slot_count(), 4);
  EXPECT_EQ(program.slots_read(), (std::vector<int>{3, 1, 3}));
  EXPECT_FALSE(program.as_constant().has_value());
  EXPECT_EQ(IntProgram::parse("2 3 *")->as_constant(), 6);
  EXPECT_EQ(IntProgram::slot(4).as_slot(), 4);
  EXPECT_FALSE(program.as_slot().has_value());
}

TEST(IntProgram, PushesAreChecked) {
  EXPECT_THROW(IntProgram().push(IntOp::kSlot), InternalError);
  EXPECT_THROW(IntProgram::constant(1).push_wrap(IntOp::kWrapInt, 0), InternalError);
  EXPECT_THROW(IntProgram().push_slot(-1), InternalError);
  EXPECT_FALSE(IntProgram::constant(1).push(IntOp::kAdd).complete());
}

}  // namespace
}  // namespace tl
