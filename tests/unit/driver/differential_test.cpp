#include "driver/differential.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace tl {
namespace {

constexpr const char* kScale =
    R"(func @f symbols [%n: int32, %s: int32] params [%A: global float32[%n, 3] strides [%s, 1], %B: global float32[%n, 3], %x: int32] {
  launch [%bx: int32], [%n] {
    parallel [%i: int32], [3] { store %B, [%bx, %i], %A[%bx, %i] * cast(float32, %x) }
  }
})";

TEST(RandomArguments, FitTheFunction) {
  const auto f = parse_function(kScale);
  const ArgumentSet a = random_arguments(*f, 1, {{"n", 5}, {"s", 7}, {"x", -3}});
  EXPECT_EQ(a.tensors[0].shape, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(a.tensors[0].strides, (std::vector<int64_t>{7, 1}));
  EXPECT_EQ(a.tensors[1].strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(a.tensors[0].bytes.size(), static_cast<size_t>((4 * 7 + 2 + 1) * 4 + kGuardBytes));
  EXPECT_EQ(a.scalars[2].as_int(), -3);
  EXPECT_TRUE(a.tensors[2].dtype.is_void());
  for (int64_t e = 0; e < a.tensors[0].count(); ++e) {
    const double twice = a.tensors[0].at(e).as_float() * 2;
    EXPECT_EQ(twice, static_cast<double>(static_cast<int64_t>(twice)));
    EXPECT_LE(std::abs(twice), 8);
  }
  const ArgumentSet again = random_arguments(*f, 1, {{"n", 5}, {"s", 7}, {"x", -3}});
  EXPECT_EQ(a.tensors[0].bytes, again.tensors[0].bytes);
  EXPECT_NE(a.tensors[0].bytes, random_arguments(*f, 2, {{"n", 5}, {"s", 7}}).tensors[0].bytes);
}

TEST(RandomArguments, AreNotHuge) {
  const auto f = parse_function("func @f symbols [%n: int32] params [%A: global int8[%n, 65536]] {}");
  EXPECT_THROW(random_arguments(*f, 1, {{"n", 65536}}), CompileError);
  EXPECT_EQ(random_arguments(*f, 1, {{"n", 2}}).tensors[0].count(), 131072);
}

TEST(TensorValue, PacksFourBitElements) {
  const auto f = parse_function("func @f params [%A: global int4[3]] {}");
  ArgumentSet a = random_arguments(*f, 1);
  TensorValue& t = a.tensors[0];
  EXPECT_EQ(t.bytes.size(), static_cast<size_t>(2 + kGuardBytes));
  for (int64_t e = 0; e < 3; ++e) t.set(e, Scalar::of_int(DType::i4(), e - 2));
  for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(t.at(e).as_int(), e - 2);
  EXPECT_EQ(t.bytes[0], 0xFE);
}

TEST(Difference, SeesAPlantedWrongResult) {
  const auto f = parse_function(kScale);
  const ArgumentSet right = random_arguments(*f, 1, {{"n", 2}, {"s", 4}});
  EXPECT_EQ(difference(*f, "one", right, "other", right), "");
  ArgumentSet wrong = right;
  wrong.tensors[1].set(4, Scalar::of_float(DType::f32(), 99));
  EXPECT_EQ(difference(*f, "one", wrong, "other", right), "B[4]: one 99.0, other " + right.tensors[1].at(4).text());
}

TEST(Difference, SeesWritesBesideTheElements) {
  const auto f = parse_function(kScale);
  const ArgumentSet right = random_arguments(*f, 1, {{"n", 2}, {"s", 4}});
  ArgumentSet wrong = right;
  wrong.tensors[0].bytes[3 * 4] ^= 1;  // between two rows
  EXPECT_EQ(difference(*f, "one", wrong, "other", right), "A: one or other writes byte 12, which is no element");
  wrong = right;
  wrong.tensors[1].bytes[6 * 4] ^= 1;  // behind the last one
  EXPECT_EQ(difference(*f, "one", wrong, "other", right), "B: one or other writes byte 24, which is no element");
}

TEST(Comparison, HostAndInterpreterAgree) {
  const auto f = parse_function(kScale);
  const Comparison c = compare_host_with_interpreter(*f, random_arguments(*f, 1, {{"n", 4}, {"s", 5}}));
  EXPECT_EQ(c.difference, "");
  EXPECT_TRUE(c.report.clean());
}

TEST(Comparison, AProgramWithARaceHasNoResult) {
  const auto f =
      parse_function("func @f params [%A: global int32[4]] { launch [%bx: int32], [4] { store %A, [0], %bx } }");
  const Comparison c = compare_host_with_interpreter(*f, random_arguments(*f, 1));
  EXPECT_TRUE(c.report.has_errors());
  EXPECT_EQ(c.difference, "");
}

TEST(Comparison, DivisionByZeroHasOne) {
  const auto f = parse_function(
      "func @f params [%A: global int32[4], %z: int32] { launch [], [] { store %A, [0], floordiv(%A[1], %z) } }");
  ArgumentSet a = random_arguments(*f, 1, {{"z", 0}});
  EXPECT_EQ(compare_host_with_interpreter(*f, a).difference, "");
  run_on("host", *f, a);
  EXPECT_EQ(a.tensors[0].at(0).as_int(), 0);
}

TEST(RunOn, GivesWhatIsPrinted) {
  const auto f =
      parse_function(R"(func @f params [%A: global int32[4]] { launch [], [] { print message="it", values=[7] } })");
  for (const char* target : {"host", "interpret"}) {
    std::string printed;
    InterpretOptions options;
    options.print = [&](std::string_view text) { printed += text; };
    ArgumentSet a = random_arguments(*f, 1);
    run_on(target, *f, a, options);
    EXPECT_NE(printed.find("it"), std::string::npos) << target;
    EXPECT_NE(printed.find("7"), std::string::npos) << target;
  }
}

}  // namespace
}  // namespace tl
