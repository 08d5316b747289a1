// The error function, for float, double, f16, bf16.
//
// | name   | float accuracy | special values     |
// |--------|----------------|--------------------|
// | erf(x) | <= 1.5 ulp     | erf(+-inf) = +-1   |
//
// The float form is branch-free and vectorises: below 1 an odd minimax polynomial; from 1 on 1 - exp(-q(x)) with q a
// minimax polynomial of -log(erfc) (minimax.py: erf, erfc; errors < 2e-9 of the result). The double form is a library
// call.
#pragma once
#include "math_exp.h"

namespace tlp {

TLP_INLINE float erf(float x) {
  float a = __builtin_fabsf(x), square = x * x;
  float slope = horner(square, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f, -0x1.b7f71ap-6f, 0x1.53f224p-8f,
                       -0x1.a3516p-11f, 0x1.47720ep-14f);
  float small = madd(a, slope, a);
  float bounded = a > 3.95f ? 3.95f : a;  // erf rounds to 1 from 3.92 on
  float q = horner(bounded, -0x1.a1e41p-13f, 0x1.212fccp+0f, 0x1.442502p-1f, 0x1.bcb616p-4f, -0x1.9ee7e2p-6f,
                   0x1.17216p-8f, -0x1.df5d86p-12f, 0x1.96e71cp-16f, -0x1.7f3c7cp-23f);
  float large = 1.0f - exp(-q);
  return __builtin_copysignf(a < 1.0f ? small : large, x);
}

TLP_INLINE double erf(double x) { return __builtin_erf(x); }

TLP_VIA_FLOAT_1(erf)

}  // namespace tlp
