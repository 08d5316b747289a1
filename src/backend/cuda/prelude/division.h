// Division of float by a value that may be the same for many dividends.
//
// | name         | meaning                                                     |
// |--------------|-------------------------------------------------------------|
// | divide(a, b) | a / b, correctly rounded                                    |
//
// What depends on the divisor alone is plain arithmetic that a compiler shares between divisions, unlike the check and
// the reciprocal in its own sequence for `/`. Two corrections by the exact remainder round correctly (P. Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990) while neither the quotient nor a
// remainder leaves the normal numbers: divisors within 2^-30 .. 2^30, dividends 0 or within 2^-90 .. 2^90. Others
// divide as the compiler does, out of line.
#pragma once
#include "base.h"

namespace tlp {

__device__ __noinline__ float divide_any(float a, float b) { return a / b; }

TLP_INLINE float divide(float a, float b) {
  float estimate = __fdividef(1.0f, b);
  float reciprocal = ::fmaf(::fmaf(-b, estimate, 1.0f), estimate, estimate);
  float start = a * reciprocal;
  float quotient = ::fmaf(::fmaf(-b, start, a), reciprocal, start);
  quotient = ::fmaf(::fmaf(-b, quotient, a), reciprocal, quotient);
  float size_a = ::fabsf(a), size_b = ::fabsf(b);
  bool moderate = size_b >= 0x1p-30f && size_b <= 0x1p30f && size_a <= 0x1p90f;
  // The corrections lose the sign of a zero.
  if (moderate && a == 0.0f) return start;
  return moderate && size_a >= 0x1p-90f ? quotient : divide_any(a, b);
}

}  // namespace tlp
