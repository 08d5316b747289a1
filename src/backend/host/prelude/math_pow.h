// Power, for float, double, f16, bf16.
//
// | name      | float accuracy | special values                                                                    |
// |-----------|----------------|-----------------------------------------------------------------------------------|
// | pow(x, y) | <= 0.51 ulp    | those of C99 Annex F: pow(x, 0) = pow(1, y) = 1 also for NaN, signed zeros and inf |
//
// The float form is branch-free and vectorises: 2^(y log2 |x|) in double (log_wide; minimax.py: exp2_wide, relative
// error < 1e-12), then the sign and the exceptional cases. The double form is a library call.
#pragma once
#include "math_log.h"

namespace tlp {

/// 2^t for |t| <= 1000 or NaN; relative error < 1e-12.
TLP_INLINE double exp2_wide(double t) {
  double shifted = t + 0x1.8p52, n = shifted - 0x1.8p52, r = t - n;
  double p = horner(r, 1.0, 0x1.62e42fef89c5p-1, 0x1.ebfbdff8ee1dfp-3, 0x1.c6b08dcef398dp-5, 0x1.3b2ab5ed4cb55p-7,
                    0x1.5d874ce035d6dp-10, 0x1.430aa87f2b051p-13, 0x1.00d86d2fb39b9p-16, 0x1.61c53168be0eap-20);
  return p * double_of((bits_of(shifted) + 1023) << 52);  // the low bits of `shifted` hold n
}

TLP_INLINE float pow(float x, float y) {
  double a = __builtin_fabsf(x), wide_y = y;
  double log2_x = log_wide(a) * 0x1.71547652b82fep+0;
  log2_x = a < __builtin_inf() ? log2_x : __builtin_inf();
  log2_x = a > 0 ? log2_x : -__builtin_inf();
  double t = wide_y * log2_x;
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  float result = float(exp2_wide(t));
  result = a == 1.0 ? 1.0f : result;  // also for infinite y

  float half_y = 0.5f * y;  // inexact only for subnormal y, which is no integer
  bool integral = __builtin_truncf(y) == y, odd = integral && __builtin_truncf(half_y) != half_y;
  result = odd ? __builtin_copysignf(result, x) : result;
  result = x < 0 && x > -__builtin_inff() && !integral ? __builtin_nanf("") : result;
  result = x != x || y != y ? __builtin_nanf("") : result;
  return x == 1.0f || y == 0 ? 1.0f : result;
}

TLP_INLINE double pow(double x, double y) { return __builtin_pow(x, y); }

TLP_VIA_FLOAT_2(pow)

}  // namespace tlp
