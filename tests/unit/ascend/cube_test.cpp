#include <cmath>
#include <regex>

#include "simulate/ascend/element_value.h"
#include "unit/ascend/cube_kernels.h"
#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

const Program& cube_kernels() {
  static const std::string text = std::regex_replace(kCubeKernels, std::regex(R"(CUBE\((\w+), (\w+), (\w+)\))"),
                                                     "extern \"C\" __global__ __cube__ void $1(__gm__ $2* A, __gm__ "
                                                     "$2* B, __gm__ $3* C, int32_t m, int32_t n, int32_t k)");
  return load(text);
}

struct Case {
  const char* kernel;
  int in = tl_ascend::kF16, out = tl_ascend::kF32;
  int32_t m = 32, n = 48, k = 64;
  /// A is [k, m]; B is [k, n]; else [m, k] and [n, k].
  bool a_turned = false, b_turned = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel << " " << c.m << "x" << c.n << "x" << c.k; }

/// Whole numbers from -3 to 3.
float value(int which, int64_t row, int64_t column) {
  return static_cast<float>((row * 5 + column * 3 + which * 2) % 7 - 3);
}

struct Product {
  RunReport report;
  std::vector<uint8_t> c;
};

Product multiply(const Case& t) {
  const int64_t in = element_bytes(t.in), out = element_bytes(t.out);
  std::vector<uint8_t> a(static_cast<size_t>(t.m * t.k * in)), b(static_cast<size_t>(t.n * t.k * in));
  Product p{{}, std::vector<uint8_t>(static_cast<size_t>(t.m * t.n * out))};
  const auto fill = [&](std::vector<uint8_t>& bytes, int which, int64_t rows, bool turned) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < t.k; ++k) {
        store_value(&bytes[static_cast<size_t>((turned ? k * rows + r : r * t.k + k) * in)], value(which, r, k), t.in);
      }
    }
  };
  fill(a, 0, t.m, t.a_turned);
  fill(b, 1, t.n, t.b_turned);
  p.report = run(cube_kernels(), launch(t.kernel, 1, {range("A", a), range("B", b), range("C", p.c)}, {t.m, t.n, t.k}));
  return p;
}

class AscendCube : public testing::TestWithParam<Case> {};

TEST_P(AscendCube, RightAndClean) {
  const Case& t = GetParam();
  const Product p = multiply(t);
  EXPECT_TRUE(p.report.clean()) << text_of(p.report);
  for (int64_t i = 0; i < t.m; ++i) {
    for (int64_t j = 0; j < t.n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < t.k; ++k) sum += value(0, i, k) * value(1, j, k);
      uint8_t expected[4];
      store_value(expected, sum, t.out == tl_ascend::kI32 ? tl_ascend::kF32 : t.out);
      const float got = element_value(&p.c[static_cast<size_t>((i * t.n + j) * element_bytes(t.out))], t.out);
      ASSERT_EQ(got, element_value(expected, t.out == tl_ascend::kI32 ? tl_ascend::kF32 : t.out)) << i << ", " << j;
    }
  }
}

using namespace tl_ascend;
INSTANTIATE_TEST_SUITE_P(
    All, AscendCube,
    testing::Values(Case{"gemm_half"}, Case{"gemm_half", kF16, kF32, 13, 21, 40},
                    Case{"gemm_half", kF16, kF32, 1, 1, 1}, Case{"gemm_half_out", kF16, kF16},
                    Case{"gemm_bf16", kBf16, kBf16, 17, 33, 16}, Case{"gemm_float", kF32, kF32, 20, 16, 24},
                    Case{"gemm_int8", kI8, kI32, 32, 32, 70}, Case{"gemm_tn", kF16, kF32, 32, 48, 64, true, true},
                    Case{"gemm_tn_float", kF32, kF32, 32, 48, 32, true, true},
                    Case{"gemm_dn2nz", kF16, kF32, 16, 40, 32, false, true}, Case{"small_parts_good"},
                    Case{"large_parts_good", kF16, kF32, 64, 64, 64}, Case{"unit_flag_good"}));

int first_code(const char* kernel, int32_t m, int32_t n, int32_t k) {
  const Product p = multiply({kernel, kF16, kF32, m, n, k});
  return p.report.findings.empty() ? 0 : p.report.findings[0].diagnostic.code;
}

TEST(AscendCubeRules, FoundOrClean) {
  EXPECT_EQ(first_code("small_parts_bad", 32, 48, 64), 125);
  EXPECT_EQ(first_code("unit_flag_bad", 32, 48, 64), 125);
  EXPECT_EQ(first_code("row_tail_bad", 16, 16, 32), 121);
  EXPECT_EQ(first_code("row_tail_good", 16, 16, 32), 0);
  EXPECT_EQ(first_code("l0c_align_bad", 16, 16, 16), 128);
  EXPECT_EQ(first_code("types_bad", 16, 16, 16), 128);
  EXPECT_EQ(first_code("l0_end_bad", 16, 16, 16), 120);
  EXPECT_EQ(first_code("nothing_good", 16, 16, 16), 0);
  EXPECT_EQ(first_code("gemm_half", 16, 5000, 16), 128);
}

TEST(AscendCubeRules, OutputOfAnotherTypeThanTheDrainGives) {
  const Product p = multiply({"quant_bad", kF16, kF16});
  EXPECT_TRUE(has_code(p.report, 128)) << text_of(p.report);
}

}  // namespace
}  // namespace tl::simulate::ascend
