// Quotients by one divisor.
//
//   divide_all<N>(x, d)   x[n] = x[n] / d for n < N
//
// With r = 1 / d rounded correctly, q = x * r is within 1.5 units in the last place of x / d, and q - (q * d - x) * r,
// both steps fused, rounds correctly: for a quotient's mantissa above the numerator's by Markstein's theorem, else by
// trial of every divisor with the numerators whose quotients lie so near to the middle of two floats that the error of
// r could matter. That holds while q * d - x is exact, which it is for |x| >= 2^-86; below, the result is off by at
// most two units in the last place. Bounding q keeps quotients near the largest float; the correction brings infinite
// ones back.
#pragma once

#include "base.h"

namespace tlp {

template <int N>
TLP_INLINE void divide_all(float* x, float d) {
  if (d >= 0x1p-100f && d <= 0x1p40f) {
    constexpr float largest = 0x1.fffffep127f;
    const float r = 1.0f / d;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const float q = fminf(fmaxf(x[n] * r, -largest), largest);
      x[n] = fmaf(fmaf(q, d, -x[n]), -r, q);
    }
  } else {
    // A loop that stays one: the division is inlined once, and this is not where time goes.
    float each[N];
#pragma unroll
    for (int n = 0; n < N; ++n) each[n] = x[n];
#pragma unroll 1
    for (int n = 0; n < N; ++n) each[n] = each[n] / d;
#pragma unroll
    for (int n = 0; n < N; ++n) x[n] = each[n];
  }
}

}  // namespace tlp
