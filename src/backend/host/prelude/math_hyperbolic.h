// Hyperbolic functions and their inverses, for float, double, f16, bf16.
//
// | name                          | float accuracy | special values                                    |
// |-------------------------------|----------------|---------------------------------------------------|
// | sinh(x), cosh(x), tanh(x)     | <= 2 ulp       | signs of zero kept; overflow to inf where due     |
// | asinh(x), acosh(x), atanh(x)  | <= 0.51 ulp    | acosh below 1: NaN; atanh(+-1) = +-inf, above NaN |
//
// The float forms are branch-free and vectorise: near zero an odd minimax polynomial (minimax.py: sinh, tanh; relative
// error < 5e-9), elsewhere through e^|x|; the inverses through a double logarithm, and two Taylor terms near zero. The
// double forms are library calls.
#pragma once
#include "math_exp.h"
#include "math_log.h"

namespace tlp {

TLP_INLINE float sinh(float x) {
  float a = __builtin_fabsf(x), square = x * x;
  float tail = horner(square, 0x1.555556p-3f, 0x1.1110ep-7f, 0x1.a022bcp-13f, 0x1.756c1ep-19f);
  float small = madd(a * square, tail, a);
  float half_exp = exp_scaled(a, -1);  // e^a / 2 stays finite as long as sinh does
  float large = half_exp - 0.25f / half_exp;
  return __builtin_copysignf(a < 1.0f ? small : large, x);
}

TLP_INLINE float cosh(float x) {
  float half_exp = exp_scaled(__builtin_fabsf(x), -1);
  return half_exp + 0.25f / half_exp;
}

TLP_INLINE float tanh(float x) {
  float a = __builtin_fabsf(x), square = x * x;
  float tail = horner(square, -0x1.555532p-2f, 0x1.110702p-3f, -0x1.b83842p-5f, 0x1.520f1cp-6f, -0x1.758382p-8f);
  float small = madd(a * square, tail, a);
  float large = 1.0f - 2.0f / (exp(a + a) + 1.0f);
  return __builtin_copysignf(a < 0.625f ? small : large, x);
}

TLP_INLINE float asinh(float x) {
  double a = __builtin_fabsf(x), square = a * a;
  double value = log_wide(a + __builtin_sqrt(square + 1.0));
  value = a < 0x1p-10 ? madd(a * square, -1.0 / 6, a) : value;
  value = a < __builtin_inf() ? value : a;
  return __builtin_copysignf(float(value), x);
}

TLP_INLINE float acosh(float x) {
  double d = x;
  double value = log_wide(d + __builtin_sqrt(d * d - 1.0));
  float result = x < __builtin_inff() ? float(value) : x;
  return x >= 1.0f ? result : __builtin_nanf("");
}

TLP_INLINE float atanh(float x) {
  double a = __builtin_fabsf(x);
  double value = 0.5 * log_wide((1.0 + a) / (1.0 - a));
  value = a < 0x1p-10 ? madd(a * a * a, 1.0 / 3, a) : value;
  value = a == 1.0 ? __builtin_inf() : value;
  value = a <= 1.0 ? value : __builtin_nan("");
  return __builtin_copysignf(float(value), x);
}

TLP_INLINE double sinh(double x) { return __builtin_sinh(x); }
TLP_INLINE double cosh(double x) { return __builtin_cosh(x); }
TLP_INLINE double tanh(double x) { return __builtin_tanh(x); }
TLP_INLINE double asinh(double x) { return __builtin_asinh(x); }
TLP_INLINE double acosh(double x) { return __builtin_acosh(x); }
TLP_INLINE double atanh(double x) { return __builtin_atanh(x); }

TLP_VIA_FLOAT_1(sinh)
TLP_VIA_FLOAT_1(cosh)
TLP_VIA_FLOAT_1(tanh)
TLP_VIA_FLOAT_1(asinh)
TLP_VIA_FLOAT_1(acosh)
TLP_VIA_FLOAT_1(atanh)

}  // namespace tlp
