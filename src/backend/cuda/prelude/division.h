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

/// Whether |x| lies in [2^-n, 2^n): its exponent, as the bits have it, is in a range.
template <int N>
TLP_INLINE bool has_moderate_exponent(float x) {
  return ((bits_of(x) >> 23 & 0xffu) - u32(127 - N)) < u32(2 * N);
}

TLP_INLINE float divide(float a, float b) {
  float estimate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(b));
  float reciprocal = ::fmaf(::fmaf(-b, estimate, 1.0f), estimate, estimate);
  float quotient = a * reciprocal;
  quotient = ::fmaf(::fmaf(-b, quotient, a), reciprocal, quotient);
  quotient = ::fmaf(::fmaf(-b, quotient, a), reciprocal, quotient);
  bool moderate = has_moderate_exponent<30>(b) && (a == 0.0f || has_moderate_exponent<90>(a));
  // The corrections lose the sign of a zero quotient.
  if (a == 0.0f) quotient = a * reciprocal;
  return moderate ? quotient : divide_any(a, b);
}

}  // namespace tlp
