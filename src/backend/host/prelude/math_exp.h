// Exponentials, for float, double, f16, bf16.
//
// | name            | float accuracy (without FMA) | special values                                   |
// |-----------------|------------------------------|--------------------------------------------------|
// | exp(x)          | <= 1.1 ulp                   | exp(-inf) = 0, exp(inf) = inf; subnormal results |
// | exp2(x)         | <= 1 ulp (1.2)               | exact for integers                               |
// | exp10(x)        | <= 1 ulp (1.3)               |                                                  |
// | sigmoid(x)      | <= 1.6 ulp (2)               | 1 / (1 + e^-x), without overflow                 |
//
// The float forms are branch-free and vectorise. Method: x = n ln2 + r with |r| <= ln2 / 2, ln2 split into a part of 16
// bits (n times it is exact) and the rest (W. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980);
// e^r by a minimax polynomial (minimax.py: exp, exp2, exp10; relative error < 3.2e-9); times 2^n in two exact steps, so
// that overflow and subnormal results round once. The double forms are library calls.
#pragma once
#include "polynomial.h"
#include "types.h"

namespace tlp {

/// x rounded to an integer by adding 1.5 * 2^23: valid for |x| < 2^22.
struct rounded_float {
  float value;
  i32 integer;
};
TLP_INLINE rounded_float round_product(float x, float factor) {
  float shifted = madd(x, factor, 0x1.8p23f);
  return {shifted - 0x1.8p23f, i32(bits_of(shifted) - 0x4b400000u)};
}

/// p * 2^n for -252 <= n <= 254, rounded once.
TLP_INLINE float scale(float p, i32 n) {
  i32 half = n >> 1;
  return p * float_of(u32(half + 127) << 23) * float_of(u32(n - half + 127) << 23);
}

/// e^x * 2^shift.
TLP_INLINE float exp_scaled(float x, i32 shift) {
  x = x < -105.0f ? -105.0f : x;
  x = x > 90.0f ? 90.0f : x;
  rounded_float n = round_product(x, 0x1.715476p+0f);
  float r = madd(-n.value, 0x1.62e4p-1f, x);
  r = madd(-n.value, 0x1.7f7d1cp-20f, r);
  float tail = horner(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558aep-5f, 0x1.12398p-7f, 0x1.6a4f72p-10f);
  return scale(1.0f + madd(r * r, tail, r), n.integer + shift);
}

TLP_INLINE float exp(float x) { return exp_scaled(x, 0); }

TLP_INLINE float exp2(float x) {
  x = x < -152.0f ? -152.0f : x;
  x = x > 130.0f ? 130.0f : x;
  rounded_float n = round_product(x, 1.0f);
  float r = x - n.value;
  return scale(
      horner(r, 1.0f, 0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6af7ap-5f, 0x1.3b2dd4p-7f, 0x1.5f0952p-10f, 0x1.4178a4p-13f),
      n.integer);
}

TLP_INLINE float exp10(float x) {
  x = x < -46.0f ? -46.0f : x;
  x = x > 39.0f ? 39.0f : x;
  rounded_float n = round_product(x, 0x1.a934fp+1f);
  float r = madd(-n.value, 0x1.344p-2f, x);
  r = madd(-n.value, 0x1.3509f8p-18f, r);
  return scale(
      horner(r, 1.0f, 0x1.26bb1cp+1f, 0x1.53524ap+1f, 0x1.046f9cp+1f, 0x1.2bd9fep+0f, 0x1.156a38p-1f, 0x1.a63d3cp-3f),
      n.integer);
}

/// With e = e^-|x| <= 1 nothing overflows: 1 / (1 + e) on the right, e / (1 + e) on the left. One Newton step takes
/// back the rounding of 1 + e and of the quotient; its reciprocal 1 / (1 + e) is the quotient or its complement.
TLP_INLINE float sigmoid(float x) {
  float e = exp(-__builtin_fabsf(x)), numerator = x < 0 ? e : 1.0f;
  float sum = 1.0f + e, lost = e - (sum - 1.0f);
  float quotient = numerator / sum;
  float remainder = madd(-quotient, lost, madd(-quotient, sum, numerator));
  return madd(remainder, x < 0 ? 1.0f - quotient : quotient, quotient);
}

TLP_INLINE double exp(double x) { return __builtin_exp(x); }
TLP_INLINE double exp2(double x) { return __builtin_exp2(x); }
TLP_INLINE double exp10(double x) { return __builtin_pow(10.0, x); }
TLP_INLINE double sigmoid(double x) {
  double e = __builtin_exp(-__builtin_fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

TLP_VIA_FLOAT_1(exp)
TLP_VIA_FLOAT_1(exp2)
TLP_VIA_FLOAT_1(exp10)
TLP_VIA_FLOAT_1(sigmoid)

}  // namespace tlp
