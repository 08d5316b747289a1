// Throughput of the host prelude on one core: elementary functions beside the C library's, the tile multiply beside the
// peak of fused multiply-add, reductions, and streaming stores. By hand:
//
//   g++ -std=c++17 -O3 -march=native -fno-math-errno -fno-trapping-math -ffp-contract=off -Isrc
//       benchmarks/host/prelude.cpp -o /tmp/prelude_bench && /tmp/prelude_bench
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "backend/host/prelude/copy.h"
#include "backend/host/prelude/gemm.h"
#include "backend/host/prelude/math_erf.h"
#include "backend/host/prelude/math_exp.h"
#include "backend/host/prelude/math_hyperbolic.h"
#include "backend/host/prelude/math_inverse_trig.h"
#include "backend/host/prelude/math_log.h"
#include "backend/host/prelude/math_pow.h"
#include "backend/host/prelude/math_round.h"
#include "backend/host/prelude/math_trig.h"
#include "backend/host/prelude/reduce.h"

namespace {

using tlp::i64;

/// Seconds of one call: the least of 15 rounds of `calls`.
template <class F>
double seconds(int calls, F&& body) {
  double best = 1e9;
  for (int round = 0; round < 15; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
  }
  return best;
}

void keep(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

constexpr int kCount = 4096;
alignas(64) float input[kCount], output[kCount];

template <class Ours, class Theirs>
void function(const char* name, Ours ours, Theirs theirs) {
  double vector = seconds(200, [&] {
    for (int i = 0; i < kCount; ++i) output[i] = ours(input[i]);
    keep(output);
  });
  double scalar = seconds(20, [&] {
    for (int i = 0; i < kCount; ++i) {
      output[i] = theirs(input[i]);
      asm volatile("" : : : "memory");
    }
  });
  std::printf("%-10s %6.2f ns/element, C library %6.2f (%.1fx)\n", name, vector / kCount * 1e9, scalar / kCount * 1e9,
              scalar / vector);
}
#define FUNCTION(name, reference) \
  function(#name, [](float x) { return tlp::name(x); }, [](float x) { return float(reference); })

double peak_flops() {
  using tlp::vec;
  vec<float> sums[16];
  for (auto& sum : sums) sum = tlp::splat(1.0f);
  vec<float> a = tlp::splat(0.999f), b = tlp::splat(1e-3f);
  constexpr int steps = 100000;
  double time = seconds(1, [&] {
    for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 16
      for (auto& sum : sums) sum = tlp::multiply_add(sum, a, b);
    }
    for (auto& sum : sums) keep(&sum);
  });
  return 2.0 * steps * 16 * tlp::lanes<float> / time;
}

template <bool TransposeA, bool TransposeB, class A, class C>
void tile_multiply(const char* name, double peak) {
  constexpr int n = 64;
  static A a[n * n], b[n * n];
  static C c[n * n];
  double time = seconds(500, [&] {
    tlp::gemm<TransposeA, TransposeB, n, n, n>(a, n, b, n, c, n, true);
    keep(c);
  });
  double flops = 2.0 * n * n * n / time;
  std::printf("gemm 64x64x64 %-18s %7.1f GFLOP/s, %3.0f %% of peak\n", name, flops * 1e-9, 100 * flops / peak);
}

void vector_add() {
  constexpr i64 n = 1 << 24, block = 4096;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  const float *x = a.data(), *y = b.data();
  float* z = c.data();
  double plain = seconds(1, [&] {
    for (i64 i = 0; i < n; ++i) z[i] = x[i] + y[i];
    keep(z);
  });
  double streamed = seconds(1, [&] {
    for (i64 i = 0; i < n; i += block) tlp::stream_map(z + i, block, [&](i64 j) { return x[i + j] + y[i + j]; });
    tlp::stream_fence();
    keep(z);
  });
  std::printf("vector add of 2^24: %.2f ms, streaming %.2f ms (%.2fx)\n", plain * 1e3, streamed * 1e3,
              plain / streamed);
}

}  // namespace

int main() {
  for (int i = 0; i < kCount; ++i) input[i] = 0.001f + 0.9f * float(i) / kCount;
  FUNCTION(exp, std::exp(x));
  FUNCTION(exp2, std::exp2(x));
  FUNCTION(exp10, std::pow(10.0f, x));
  FUNCTION(sigmoid, 1 / (1 + std::exp(-x)));
  FUNCTION(log, std::log(x));
  FUNCTION(log2, std::log2(x));
  FUNCTION(log1p, std::log1p(x));
  FUNCTION(sin, std::sin(x));
  FUNCTION(cos, std::cos(x));
  FUNCTION(tan, std::tan(x));
  FUNCTION(asin, std::asin(x));
  FUNCTION(atan, std::atan(x));
  FUNCTION(sinh, std::sinh(x));
  FUNCTION(tanh, std::tanh(x));
  FUNCTION(asinh, std::asinh(x));
  FUNCTION(atanh, std::atanh(x));
  FUNCTION(erf, std::erf(x));
  FUNCTION(rsqrt, 1 / std::sqrt(x));
  function("pow(x,2.5)", [](float x) { return tlp::pow(x, 2.5f); }, [](float x) { return std::pow(x, 2.5f); });

  double row = seconds(200, [] {
    float sum = tlp::reduce_row<tlp::sum_of, float>(input, kCount);
    keep(&sum);
  });
  double largest = seconds(200, [] {
    float max = tlp::reduce_row<tlp::max_of, float>(input, kCount);
    keep(&max);
  });
  std::printf("row of 4096: sum %.2f us, max %.2f us\n", row * 1e6, largest * 1e6);

  double peak = peak_flops();
  std::printf("peak %.1f GFLOP/s in float\n", peak * 1e-9);
  tile_multiply<false, false, float, float>("float", peak);
  tile_multiply<true, false, float, float>("float, A^T", peak);
  tile_multiply<false, true, float, float>("float, B^T", peak);
  tile_multiply<false, false, tlp::f16, float>("f16 -> float", peak);
  tile_multiply<false, true, tlp::f16, tlp::f16>("f16 -> f16, B^T", peak);
  tile_multiply<false, false, tlp::bf16, float>("bf16 -> float", peak);
  tile_multiply<false, false, tlp::i8, tlp::i32>("i8 -> i32", peak);
  tile_multiply<false, false, double, double>("double", peak / 2);
  vector_add();
}
