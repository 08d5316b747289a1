#include "passes/thread/choose_layout.h"

#include "passes/thread/thread_digits.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tl {
namespace {

int64_t product(const std::vector<int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Threads for a row when `rows` rows share `threads`: a divisor of their number.
int64_t threads_per_row(int64_t rows, int64_t threads) {
  if (rows == 1) return threads;
  const auto together = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows)));
  int64_t out = threads / std::gcd(threads, together);
  // A number of threads that is no power of two keeps its odd factor in the row, where a reduction cannot shuffle.
  while (out > 1 && threads % out != 0) --out;
  return std::max<int64_t>(out, 1);
}

}  // namespace

AccessRules rules_of(const PassContext& context) { return {widest_access(context.target), context.tensor_alignment}; }

Fragment spread_layout(const std::vector<int64_t>& extents, int64_t threads, int64_t vector, bool rows) {
  const int64_t size = product(extents), row = extents.back();
  while (vector > 1 && (row % vector != 0 || size < threads * vector)) vector /= 2;
  if (rows) {
    int64_t per_row = threads_per_row(size / row, threads);
    // No more threads than the row has vectors, where fewer still divide.
    for (int64_t fewer = 1; fewer < per_row; ++fewer) {
      if (per_row % fewer == 0 && fewer * vector >= row) per_row = fewer;
    }
    if (auto layout = Fragment::distribute_rows(extents, threads, per_row, vector)) return *layout;
  }
  auto plain = Fragment::distribute(extents, threads, vector);
  if (ThreadDigits::of(*plain).split) return *plain;
  // Threads that cross rows unevenly would need divisions for every coordinate.
  int64_t per_row = std::min(threads, ceil_div(row, vector));
  while (threads % per_row != 0) --per_row;
  auto by_rows = Fragment::distribute_rows(extents, threads, per_row, vector);
  return by_rows && ThreadDigits::of(*by_rows).split ? *by_rows : *plain;
}

Fragment accumulator_layout(const Gemm& gemm, const std::vector<int64_t>& extents, int64_t threads) {
  const int64_t n = extents.back(), m = extents[extents.size() - 2];
  const int64_t wide = !gemm.transpose_b && n % 4 == 0 ? 4 : 1, high = gemm.transpose_a && m % 4 == 0 ? 4 : 1;
  int64_t across = 1, best = INT64_MAX;
  for (int64_t a = 1; a <= threads; ++a) {
    if (threads % a != 0) continue;
    const int64_t columns = ceil_div(n, a * wide) * wide, rows = ceil_div(m, threads / a * high) * high;
    // Where the tile divides evenly, the number of registers is the same, and what decides is what is read for them.
    const int64_t cost = columns * rows + columns + rows;
    if (cost < best) across = a, best = cost;
  }
  const int64_t down = threads / across;
  const int64_t column_parts = ceil_div(n, across * wide), row_parts = ceil_div(m, down * high);
  const int64_t pitch = column_parts * across * wide;
  std::vector<int64_t> box = extents;
  box.back() = pitch;
  box[box.size() - 2] = row_parts * down * high;
  const auto lanes = Layout::make({{across, wide}, {down, high * pitch}});
  const auto registers =
      Layout::make({{wide, 1}, {column_parts, across * wide}, {high, pitch}, {row_parts, down * high * pitch}});
  return *Fragment::affine(extents, box, *lanes, *registers);
}

}  // namespace tl
