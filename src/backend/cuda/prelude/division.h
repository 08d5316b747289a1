// Division of a run of floats by one value.
//
// | name                          | meaning                                                                       |
// |-------------------------------|-------------------------------------------------------------------------------|
// | divide<N>(to, b, dividend)    | to[i] = dividend(i) / b for 0 <= i < N, correctly rounded; every dividend is    |
// |                               | taken before the first quotient is stored                                     |
//
// The divisor's reciprocal is made once, and one branch decides for the whole run. Two corrections by the exact
// remainder round correctly (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
// 1990) while neither a quotient nor a remainder leaves the normal numbers: a divisor within 2^-30 .. 2^30, dividends
// +0 or within 2^-90 .. 2^90. Other runs divide as the compiler does.
#pragma once
#include "base.h"

namespace tlp {

__device__ __noinline__ float divide_any(float a, float b) { return a / b; }

template <int N, class F>
TLP_INLINE void divide(float* to, float b, F&& dividend) {
  float estimate = __fdividef(1.0f, b), size_b = ::fabsf(b);
  float reciprocal = ::fmaf(::fmaf(-b, estimate, 1.0f), estimate, estimate);
  bool moderate = size_b >= 0x1p-30f && size_b <= 0x1p30f;
  float dividends[N], quotients[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    float a = dividend(i), size = ::fabsf(a);
    float quotient = a * reciprocal;
    quotient = ::fmaf(::fmaf(-b, quotient, a), reciprocal, quotient);
    quotients[i] = ::fmaf(::fmaf(-b, quotient, a), reciprocal, quotient);
    dividends[i] = a;
    moderate &= (size <= 0x1p90f) & ((size >= 0x1p-90f) | (bits_of(a) == 0));
  }
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = quotients[i];
  if (!moderate) {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = divide_any(dividends[i], b);
  }
}

}  // namespace tlp
