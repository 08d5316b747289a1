// Functions made of square roots, for float, double, f16, bf16.
//
// | name        | accuracy                                                         |
// |-------------|------------------------------------------------------------------|
// | rsqrt(x)    | 1 / sqrt(x): <= 1.5 ulp; +-0 give +-inf                          |
// | hypot(x, y) | float: <= 0.51 ulp, no spurious overflow; hypot(inf, NaN) is inf |
//
// All but the double form of hypot is branch-free and vectorises.
#pragma once
#include "round.h"

namespace tlp {

TLP_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
TLP_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

TLP_INLINE float hypot(float x, float y) {
  double a = x, b = y;
  float result = float(__builtin_sqrt(a * a + b * b));
  result = isinf(y) ? infinity : result;
  return isinf(x) ? infinity : result;
}
TLP_INLINE double hypot(double x, double y) { return __builtin_hypot(x, y); }

TLP_VIA_FLOAT_1(rsqrt)
TLP_VIA_FLOAT_2(hypot)

}  // namespace tlp
