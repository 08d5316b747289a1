#include <random>

#include "unit/ascend/gemm_kernel.h"
#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

/// Small whole numbers as float16 and as float: sums are exact.
void fill(std::vector<uint16_t>& halves, std::vector<float>& floats, uint32_t seed) {
  std::mt19937 random(seed);
  constexpr uint16_t kHalves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};  // -2 to 2
  for (size_t i = 0; i < halves.size(); ++i) {
    const uint32_t pick = random() % 5;
    halves[i] = kHalves[pick];
    floats[i] = static_cast<float>(static_cast<int>(pick) - 2);
  }
}

RunReport multiply(size_t m, size_t n, size_t k, int64_t blocks, const std::string& text = kGemm, bool compare = true) {
  std::vector<uint16_t> a(m * k), b(n * k);
  std::vector<float> fa(m * k), fb(n * k), c(m * n, -1);
  fill(a, fa, 1);
  fill(b, fb, 2);
  RunReport report =
      run(load(text), launch("gemm", blocks, {range("A", a), range("B", b), range("C", c, false)},
                             {static_cast<int32_t>(m), static_cast<int32_t>(n), static_cast<int32_t>(k)}));
  for (size_t i = 0; i < m && compare; i += 7) {
    for (size_t j = 0; j < n; j += 5) {
      float sum = 0;
      for (size_t p = 0; p < k; ++p) sum += fa[i * k + p] * fb[j * k + p];
      EXPECT_EQ(c[i * n + j], sum) << i << ", " << j;
      if (c[i * n + j] != sum) return report;
    }
  }
  return report;
}

TEST(AscendGemm, RightAndClean) {
  const RunReport report = multiply(256, 512, 192, 3);
  EXPECT_TRUE(report.clean()) << text_of(report);
}

}  // namespace
}  // namespace tl::simulate::ascend
