#include "ir/promote.h"

#include <gtest/gtest.h>

#include "ir/build/linear.h"
#include "ir/text.h"
#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using testing::thrown;

Operand var(DType t) { return Operand(Var("x", t)); }
std::string sum(const Operand& a, const Operand& b) { return promote::binary(BinaryOp::kAdd, a, b).dtype().name(); }

TEST(Promotion, FollowsTheTable) {
  const DType i8 = DType::i8(), i32 = DType::i32(), i64 = DType::i64(), u8 = DType::u8(), u32 = DType::u32();
  const DType f16 = DType::f16(), f32 = DType::f32(), f64 = DType::f64(), bf16 = DType::bf16();
  const DType e4m3 = *parse_dtype("float8_e4m3fn");
  EXPECT_EQ(sum(var(i32), var(i64)), "int64");
  EXPECT_EQ(sum(var(i32), var(u32)), "uint32");
  EXPECT_EQ(sum(var(i8), var(i32)), "int32");
  EXPECT_EQ(sum(var(i8), 1), "int32");
  EXPECT_EQ(sum(1, var(u8)), "int32");
  EXPECT_EQ(sum(var(u32), 1), "uint32");
  EXPECT_EQ(sum(var(u32), -1), "uint32");
  EXPECT_EQ(sum(var(DType::u64()), 1), "uint64");
  EXPECT_EQ(sum(var(i32), int64_t{1} << 40), "int64");
  EXPECT_EQ(sum(var(DType::boolean()), var(i32)), "int32");
  EXPECT_EQ(sum(var(DType::boolean()), var(DType::boolean())), "int32");
  EXPECT_EQ(sum(var(i32), var(f16)), "float16");
  EXPECT_EQ(sum(var(i64), var(bf16)), "bfloat16");
  EXPECT_EQ(sum(var(bf16), var(f16)), "float16");
  EXPECT_EQ(sum(var(f16), 1), "float16");
  EXPECT_EQ(sum(var(f16), var(f32)), "float32");
  EXPECT_EQ(sum(var(f16), 1.5), "float32");
  EXPECT_EQ(sum(var(bf16), 1.5), "float32");
  EXPECT_EQ(sum(var(f64), 1.5), "float64");
  EXPECT_EQ(sum(var(i32), 1.5), "float32");
  EXPECT_EQ(sum(var(e4m3), var(f16)), "float16");
  EXPECT_EQ(sum(var(DType::tf32()), var(f32)), "float32");
}

TEST(Promotion, LiteralsKeepTheirDigitsBesideFloat64) {
  EXPECT_EQ(print(promote::binary(BinaryOp::kMul, var(DType::f64()), 0.1)), "x * 0.1:float64");
  EXPECT_EQ(print(promote::binary(BinaryOp::kMul, var(DType::f32()), 0.1)), "x * 0.1:float32");
}

TEST(Promotion, ComparisonsGiveBool) {
  EXPECT_EQ(promote::binary(BinaryOp::kLt, var(DType::i32()), 1.5).dtype(), DType::boolean());
  EXPECT_EQ(print(promote::condition(var(DType::i32()))), "x != 0");
  EXPECT_EQ(print(promote::condition(var(DType::boolean()))), "x");
}

TEST(Promotion, FoldsConstants) {
  EXPECT_EQ(print(promote::binary(BinaryOp::kFloorDiv, -7, 2)), "-4");
  EXPECT_EQ(print(promote::binary(BinaryOp::kTruncDiv, -7, 2)), "-3");
  EXPECT_EQ(
      print(promote::binary(BinaryOp::kShl, promote::converted(3, DType::i8()), promote::converted(7, DType::i8()))),
      "-128:int8");
  EXPECT_EQ(print(promote::converted(300, DType::i8())), "44:int8");
  EXPECT_EQ(print(promote::call("sqrt", {4.0})), "2.0:float32");
  EXPECT_EQ(print(promote::call("exp", {0.0})), "exp(0.0:float32)");  // targets differ in the last place
  EXPECT_EQ(print(promote::call("exp", {var(DType::i32())})), "exp(cast(float32, x))");
  EXPECT_EQ(print(promote::select(true, 1, 2.5)), "1.0:float32");
}

struct Refusal {
  std::function<void()> body;
  const char* cls;
  const char* text;
};

TEST(Promotion, Refuses) {
  const auto op = [](BinaryOp o, Operand a, Operand b) { return [=] { promote::binary(o, a, b); }; };
  const DType i32 = DType::i32(), f32 = DType::f32();
  const Refusal refusals[] = {
      {op(BinaryOp::kAdd, var(DType(TypeClass::kFloat8E4M3FN, 8)), var(DType(TypeClass::kFloat8E5M2, 8))), "TypeError",
       "error[TL080]: operands of `+` are float8_e4m3fn and float8_e5m2, which have no common type\n"
       "help: convert one of them: T.cast(x, \"float8_e4m3fn\"), or both: T.cast(x, \"float32\")"},
      {op(BinaryOp::kDiv, var(i32), 2), "RuntimeError",
       "error[TL082]: `/` of int32 and int32: there are multiple types of integer divisions\n"
       "help: write // (rounds down), T.truncdiv (rounds towards zero), or convert an operand to a float"},
      {op(BinaryOp::kBitAnd, var(f32), 1), "TypeError",
       "error[TL080]: `&` is not defined on float32\nhelp: it takes integers or bool"},
      {op(BinaryOp::kAnd, var(i32), true), "TypeError",
       "error[TL003]: an operand of `and` is int32, not bool\nhelp: compare it: `x != 0`; for bits use & and |"},
      {op(BinaryOp::kAdd, Expr(make_string("s")), 1), "TypeError",
       "error[TL080]: operands of `+` are string and int32, which have no common type"},
      {[=] { promote::unary(UnaryOp::kNot, var(i32)); }, "TypeError",
       "error[TL003]: the operand of `not` is int32, not bool\nhelp: compare it: `x == 0`"},
      {[=] { promote::unary(UnaryOp::kBitNot, var(f32)); }, "TypeError",
       "error[TL080]: `bitnot` is not defined on float32\nhelp: it takes integers or bool"},
      {[=] { promote::condition(Expr(make_string("s"))); }, "TypeError",
       "error[TL003]: a value of type string cannot be used as condition directly\nhelp: compare it with something"},
      {[=] { promote::call("atan2", {1.0}); }, "TypeError",
       "error[TL084]: atan2 takes 2 argument(s), but 1 were given"},
      {[=] { promote::call("popcount", {1.0}); }, "TypeError", "error[TL080]: popcount is not defined on float32"},
      {[=] { promote::call("nope", {1.0}); }, "NameError", "error[TL010]: there is no function `nope`"},
      {[=] { promote::bitcast(DType::i64(), var(f32)); }, "TypeError",
       "error[TL080]: cannot read the bits of float32 as int64: the sizes differ\nhelp: T.cast converts the value"},
      {[=] { promote::converted(Expr(make_string("s")), f32); }, "TypeError",
       "error[TL080]: cannot convert string to float32"},
      {[=] { promote::index(1.5, 22, "index 0 of A"); }, "TypeError",
       "error[TL022]: index 0 of A is `1.5`, which is float32 and not an integer\n"
       "help: convert it: T.cast(x, \"int32\")"},
  };
  for (const Refusal& r : refusals) {
    const auto [cls, text] = thrown(r.body);
    EXPECT_EQ(text, r.text);
    EXPECT_EQ(cls, r.cls);
  }
}

TEST(Promotion, StoredConstantsFit) {
  const auto message = [](Operand value, DType t) { return thrown([&] { promote::stored(value, t); }).second; };
  EXPECT_EQ(message(300, DType::i8()),
            "error[TL081]: 300 exceeds maximum of int8 (127)\n"
            "help: use a wider dtype, or wrap on purpose: T.cast(300, \"int8\")");
  EXPECT_EQ(message(-129, DType::i8()),
            "error[TL081]: -129 exceeds minimum of int8 (-128)\n"
            "help: use a wider dtype, or wrap on purpose: T.cast(-129, \"int8\")");
  EXPECT_EQ(message(-1, DType::u8()),
            "error[TL081]: -1 exceeds minimum of uint8 (0)\n"
            "help: use a wider dtype, or wrap on purpose: T.cast(-1, \"uint8\")");
  EXPECT_EQ(message(1e10, DType::i32()),
            "error[TL081]: 1e+10 exceeds maximum of int32 (2147483647)\n"
            "help: use a wider dtype, or wrap on purpose: T.cast(1e+10, \"int32\")");
  for (int v = -128; v < 128; ++v) EXPECT_EQ(as_int(promote::stored(v, DType::i8()).value), v);
  EXPECT_EQ(as_int(promote::stored(127.9, DType::i8()).value), 127);
  EXPECT_EQ(as_int(promote::stored(-128.5, DType::i8()).value), -128);
  EXPECT_TRUE(promote::stored(2.5, DType::i32()).may_lose_precision);
  EXPECT_FALSE(promote::stored(2.0, DType::i32()).may_lose_precision);
  EXPECT_TRUE(promote::stored(var(DType::f32()), DType::i32()).may_lose_precision);
  EXPECT_FALSE(promote::stored(var(DType::f64()), DType::f16()).may_lose_precision);
}

TEST(Linear, ExtentsThatAreOneNumber) {
  const Expr i = Var("i", DType::i32()), n = Var("n", DType::i32());
  EXPECT_EQ(as_int(fold_linear((i + Expr(1)) * Expr(128) - i * Expr(128))), 128);
  EXPECT_EQ(as_int(fold_linear(i + n - (n - Expr(3)) - i)), 3);
  EXPECT_FALSE(as_int(fold_linear(i + n - i)));
  EXPECT_TRUE(provably_equal(i * Expr(2), i + i));
  EXPECT_TRUE(provably_different(i, i + Expr(1)));
  EXPECT_FALSE(provably_different(i, n));
  EXPECT_EQ(equal(product_of({n, Expr(4)}, 8), product_of({n * Expr(2)}, 16)), true);
  EXPECT_EQ(equal(product_of({n, Expr(4)}, 8), product_of({n}, 8)), false);
  EXPECT_EQ(equal(product_of({n}, 8), product_of({i}, 8)), std::nullopt);
}

}  // namespace
}  // namespace tl
