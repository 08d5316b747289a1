// Kernels as the host backend writes them, for prelude_vs_torch.py: tile programs [first, last) of a grid.
#include "backend/host/prelude/copy.h"
#include "backend/host/prelude/gemm.h"
#include "backend/host/prelude/math_exp.h"
#include "backend/host/prelude/math_round.h"
#include "backend/host/prelude/reduce.h"

using namespace tlp;

extern "C" {

/// 2^24 elements in blocks of 4096.
__attribute__((visibility("default"))) void vector_add(const float* a, const float* b, float* c, i64 first, i64 last) {
  for (i64 t = first; t < last; ++t) {
    const float *x = a + t * 4096, *y = b + t * 4096;
    stream_map(c + t * 4096, 4096, [&](i64 i) { return x[i] + y[i]; });
  }
  stream_fence();
}

/// A row of 4096 a program.
__attribute__((visibility("default"))) void softmax(const float* a, float* c, i64 first, i64 last) {
  alignas(64) float x[4096];
  for (i64 t = first; t < last; ++t) {
    copy_row(x, a + t * 4096, 4096);
    float largest = reduce_row<max_of, float>(x, 4096);
    for (int i = 0; i < 4096; ++i) x[i] = exp(x[i] - largest);
    float sum = reduce_row<sum_of, float>(x, 4096);
    stream_map(c + t * 4096, 4096, [&](i64 i) { return x[i] / sum; });
  }
  stream_fence();
}

__attribute__((visibility("default"))) void rms_norm(const float* a, const float* w, float* c, i64 first, i64 last) {
  alignas(64) float x[4096], square[4096];
  for (i64 t = first; t < last; ++t) {
    copy_row(x, a + t * 4096, 4096);
    for (int i = 0; i < 4096; ++i) square[i] = x[i] * x[i];
    float scale = rsqrt(reduce_row<sum_of, float>(square, 4096) / 4096.0f + 1e-6f);
    stream_map(c + t * 4096, 4096, [&](i64 i) { return x[i] * scale * w[i]; });
  }
  stream_fence();
}

/// 1024^3 in tiles of 64x64x64.
__attribute__((visibility("default"))) void matmul(const float* a, const float* b, float* c, i64 first, i64 last) {
  alignas(64) float a_tile[4096], b_tile[4096], c_tile[4096];
  for (i64 t = first; t < last; ++t) {
    i64 row = t / 16 * 64, column = t % 16 * 64;
    fill_row(c_tile, 0.0f, 4096);
    for (i64 k = 0; k < 1024; k += 64) {
      copy_tile(a_tile, 64, a + row * 1024 + k, 1024, 64, 64);
      copy_tile(b_tile, 64, b + k * 1024 + column, 1024, 64, 64);
      gemm<false, false, 64, 64, 64>(a_tile, 64, b_tile, 64, c_tile, 64, true);
    }
    copy_tile(c + row * 1024 + column, 1024, c_tile, 64, 64, 64);
  }
}
}
