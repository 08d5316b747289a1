// What feeds, runs and empties the cube.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simulate/ascend/element_value.h"
#include "simulate/ascend/machine.h"
#include "simulate/ascend/operation.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

constexpr int64_t kFractal = 512, kAccumulator = 1024, kSide = 16;

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// An operand of a product as rows of numbers: A as m rows of k, B as k rows of n.
struct Matrix {
  std::vector<float> values;
  int64_t undefined = -1;
};

/// `rows` is what the 16 rows of a fractal run over (m or n), `depth` is k. `transposed` gives k rows.
Matrix unpack(const Memory& memory, int64_t base, int64_t rows, int64_t depth, int element, bool transposed) {
  Matrix out;
  out.values.resize(static_cast<size_t>(rows * depth));
  const int64_t size = element_bytes(element), c0 = 32 / size, blocks = up(rows, kSide);
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = base + ((k / c0) * blocks + r / kSide) * kFractal + (r % kSide) * 32 + (k % c0) * size;
      const auto byte = static_cast<size_t>(at);
      if (memory.defined[byte] == 0 && out.undefined < 0) out.undefined = at;
      out.values[static_cast<size_t>(transposed ? k * rows + r : r * depth + k)] =
          element_value(&memory.bytes[byte], element);
    }
  }
  return out;
}

int64_t accumulator(int64_t base, int64_t m, int64_t n, int64_t blocks) {
  return base + ((n / kSide) * blocks + m / kSide) * kAccumulator + (m % kSide) * 64 + (n % kSide) * 4;
}

/// Adds a row of products: `sum[j] += a * b[j]`.
void add_products(float* sum, float a, const float* b, int64_t n) {
  for (int64_t j = 0; j < n; ++j) sum[j] += a * b[j];
}

bool pair_is_legal(int a, int b) {
  const auto is_f8 = [](int e) { return e == kF8e4m3 || e == kF8e5m2; };
  if (is_f8(a) && is_f8(b)) return true;
  return a == b && (a == kF32 || a == kF16 || a == kBf16 || a == kI8);
}

}  // namespace

void load_l0(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const bool is_a = r.call == kLoadL0a || r.call == kLoadL0aT, transposes = r.call == kLoadL0aT || r.call == kLoadL0bT;
  const int64_t m_step = a[4], k_step = a[5], src_stride = a[6], dst_stride = a[7], element = a[8], c0 = 32 / element;
  bool fine = op.require(a[0] % kFractal == 0, fmt::format("the L0 address {} is no multiple of 512", a[0]));
  fine &= op.require(m_step >= 0 && m_step <= 255 && k_step >= 0 && k_step <= 255, "a step beyond 255");
  fine &= op.require(a[2] >= 0 && a[3] >= 0 && a[2] <= 0xffff && a[3] <= 0xffff && dst_stride >= 0 &&
                         dst_stride <= 0xffff && src_stride >= -0x8000 && src_stride <= 0xffff,
                     "a start or stride beyond 16 bits");
  if (transposes) {
    fine &= op.require(element != 1 || m_step % 2 == 0, "elements of 8 bits need an even m_step");
    fine &= op.require(element != 4 || k_step % 2 == 0, "elements of 32 bits need an even k_step");
  }
  if (!fine || m_step == 0 || k_step == 0) return;
  Memory &l1 = *core.memories.l1, &l0 = is_a ? *core.memories.l0a : *core.memories.l0b;
  const auto source = [&](int64_t k) { return a[1] + ((a[3] + k) * src_stride + a[2]) * kFractal; };
  const bool dense = src_stride == m_step;
  for (int64_t k = 0; k < (dense ? 1 : k_step); ++k) {
    fine &= op.read(l1, source(k), (dense ? k_step : 1) * m_step * kFractal);
  }
  const int64_t groups = transposes ? m_step * kSide / c0 : k_step, width = transposes ? k_step * c0 / kSide : m_step;
  const bool dense_to = dst_stride == width;
  for (int64_t g = 0; g < (dense_to ? 1 : groups); ++g) {
    fine &= op.write(l0, a[0] + g * dst_stride * kFractal, (dense_to ? groups : 1) * width * kFractal);
  }
  if (!fine) return;
  const auto move = [&](int64_t to, int64_t from, int64_t bytes) {
    std::copy_n(l1.bytes.begin() + from, bytes, l0.bytes.begin() + to);
    std::copy_n(l1.defined.begin() + from, bytes, l0.defined.begin() + to);
  };
  for (int64_t k = 0; k < k_step; ++k) {
    if (!transposes) {
      move(a[0] + k * dst_stride * kFractal, source(k), m_step * kFractal);
      continue;
    }
    for (int64_t row = 0; row < m_step * kSide; ++row) {
      for (int64_t lane = 0; lane < c0; ++lane) {
        const int64_t c = k * c0 + lane;
        move(a[0] + ((row / c0) * dst_stride + c / kSide) * kFractal + (c % kSide) * 32 + (row % c0) * element,
             source(k) + row * 32 + lane * element, element);
      }
    }
  }
}

void multiply(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t m = a[3], k = a[4], n = a[5];
  const int left = static_cast<int>(a[10]), right = static_cast<int>(a[11]);
  const bool accumulates = a[9] == 0;
  bool fine = op.require(m >= 0 && m <= 4095 && k >= 0 && k <= 4095 && n >= 0 && n <= 4095,
                         fmt::format("m, k, n = {}, {}, {}; 0 to 4095 are allowed", m, k, n));
  fine &= op.require(a[0] % kAccumulator == 0, "the L0C address is no multiple of 1024");
  fine &= op.require(a[1] % kFractal == 0 && a[2] % kFractal == 0, "an L0A or L0B address that is no multiple of 512");
  fine &= op.require(pair_is_legal(left, right), "the cube does not multiply these types");
  fine &= op.require(m != 1 || a[7] != 0, "m = 1 without disable_gemv reads A as a plain row");
  fine &= op.require(accumulates == false || a[8] == 0, "a bias table, which is not simulated");
  fine &= op.require(a[6] == 0 || a[6] == 2 || a[6] == 3, "a unit flag other than 0, 2 and 3");
  if (!fine || m == 0 || k == 0 || n == 0) return;
  Memory &l0a = *core.memories.l0a, &l0b = *core.memories.l0b, &l0c = *core.memories.l0c;
  const int64_t c0 = 32 / element_bytes(left), rows = up(m, kSide), columns = up(n, kSide), depth = up(k, c0);
  fine &= op.read(l0a, a[1], depth * rows * kFractal);
  fine &= op.read(l0b, a[2], depth * columns * kFractal);
  // The unit chains large products by itself; small ones that add to the same place must be kept apart.
  if (accumulates && rows * columns < 10) op.in_order(false);
  if (accumulates) fine &= op.read(l0c, a[0], rows * columns * kAccumulator);
  fine &= op.write(l0c, a[0], rows * columns * kAccumulator);
  if (!fine) return;

  Matrix x = unpack(l0a, a[1], m, k, left, false), y = unpack(l0b, a[2], n, k, right, true);
  if (left == kF32 && r.registers.hf32) {
    for (float& v : x.values) v = to_hf32(v);
    for (float& v : y.values) v = to_hf32(v);
  }
  if (x.undefined >= 0) op.undefined("L0A", x.undefined);
  if (y.undefined >= 0) op.undefined("L0B", y.undefined);
  int64_t hole = -1;
  std::vector<float> sums(static_cast<size_t>(n));
  std::vector<int32_t> whole(static_cast<size_t>(n));
  for (int64_t i = 0; i < m; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    std::fill(whole.begin(), whole.end(), 0);
    for (int64_t j = 0; j < n && accumulates; ++j) {
      const auto at = static_cast<size_t>(accumulator(a[0], i, j, rows));
      if (l0c.defined[at] == 0) hole = static_cast<int64_t>(at);
      std::memcpy(left == kI8 ? static_cast<void*>(&whole[static_cast<size_t>(j)]) : &sums[static_cast<size_t>(j)],
                  &l0c.bytes[at], 4);
    }
    for (int64_t p = 0; p < k; ++p) {
      const float factor = x.values[static_cast<size_t>(i * k + p)];
      const float* row = &y.values[static_cast<size_t>(p * n)];
      if (left != kI8) {
        add_products(sums.data(), factor, row, n);
        continue;
      }
      for (int64_t j = 0; j < n; ++j) {
        const int32_t product = static_cast<int32_t>(factor) * static_cast<int32_t>(row[j]);
        int32_t& sum = whole[static_cast<size_t>(j)];
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(product));
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<size_t>(accumulator(a[0], i, j, rows));
      std::memcpy(
          &l0c.bytes[at],
          left == kI8 ? static_cast<const void*>(&whole[static_cast<size_t>(j)]) : &sums[static_cast<size_t>(j)], 4);
      std::memset(&l0c.defined[at], 1, 4);
    }
  }
  if (hole >= 0) op.undefined("L0C", hole);
}

}  // namespace tl::simulate::ascend
