// Polynomials.
//
// | name                  | meaning                                                     |
// |-----------------------|-------------------------------------------------------------|
// | madd(a, b, c)         | a * b + c; one rounding where the machine has FMA, else two |
// | horner(x, c0, c1, ..) | c0 + c1 x + c2 x^2 + ...                                    |
#pragma once
#include "base.h"

namespace tlp {

#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
TLP_INLINE float madd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TLP_INLINE double madd(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
TLP_INLINE float madd(float a, float b, float c) { return a * b + c; }
TLP_INLINE double madd(double a, double b, double c) { return a * b + c; }
#endif

/// Horner's rule: c0 + c1 x + c2 x^2 + ...
template <class T>
TLP_INLINE T horner(T, T c) {
  return c;
}
template <class T, class... Rest>
TLP_INLINE T horner(T x, T c0, T c1, Rest... rest) {
  return madd(horner(x, c1, rest...), x, c0);
}

}  // namespace tlp
