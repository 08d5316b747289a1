// Elementary functions, for float, double, f16, bf16.
//
// Accuracy in ulp of the result's type, as the CUDA programming guide documents CUDA's functions; f16 and bf16 are
// computed in float and rounded: at most 1. Functions whose float form is documented above the language's bound are
// computed in double and rounded.
//
// | name                                          | float   | double |
// |-----------------------------------------------|---------|--------|
// | exp exp2 exp10 log log2 log10 log1p           | 1 .. 2  | 1      |
// | sin cos asin acos atan tanh erf               | 2       | 2      |
// | tan atan2 acosh pow hypot                     | 0.51    | 2      |
// | sinh cosh asinh atanh                         | 3       | 3      |
// | rsqrt                                         | 2       | 1      |
// | sigmoid                                       | 4       | 4      |
#pragma once
#include "types.h"

namespace tlp {

#define TLP_FUNCTION_1(name)                              \
  TLP_INLINE float name(float x) { return ::name##f(x); } \
  TLP_INLINE double name(double x) { return ::name(x); }  \
  TLP_VIA_FLOAT_1(name)
#define TLP_WIDE_FUNCTION_1(name)                                     \
  TLP_INLINE double name(double x) { return ::name(x); }              \
  TLP_INLINE float name(float x) { return float(::name(double(x))); } \
  TLP_VIA_FLOAT_1(name)
#define TLP_WIDE_FUNCTION_2(name)                                                         \
  TLP_INLINE double name(double x, double y) { return ::name(x, y); }                     \
  TLP_INLINE float name(float x, float y) { return float(::name(double(x), double(y))); } \
  TLP_VIA_FLOAT_2(name)

TLP_FUNCTION_1(exp)
TLP_FUNCTION_1(exp2)
TLP_FUNCTION_1(exp10)
TLP_FUNCTION_1(log)
TLP_FUNCTION_1(log2)
TLP_FUNCTION_1(log10)
TLP_FUNCTION_1(log1p)
TLP_FUNCTION_1(sin)
TLP_FUNCTION_1(cos)
TLP_FUNCTION_1(asin)
TLP_FUNCTION_1(acos)
TLP_FUNCTION_1(atan)
TLP_FUNCTION_1(sinh)
TLP_FUNCTION_1(cosh)
TLP_FUNCTION_1(tanh)
TLP_FUNCTION_1(asinh)
TLP_FUNCTION_1(atanh)
TLP_FUNCTION_1(erf)
TLP_FUNCTION_1(rsqrt)
TLP_WIDE_FUNCTION_1(tan)
TLP_WIDE_FUNCTION_1(acosh)
TLP_WIDE_FUNCTION_2(atan2)
TLP_WIDE_FUNCTION_2(pow)
TLP_WIDE_FUNCTION_2(hypot)

/// The exponential of a negative number neither overflows nor loses a small result.
TLP_INLINE float sigmoid(float x) {
  float e = ::expf(-::fabsf(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}
TLP_INLINE double sigmoid(double x) {
  double e = ::exp(-::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
TLP_VIA_FLOAT_1(sigmoid)

#undef TLP_FUNCTION_1
#undef TLP_WIDE_FUNCTION_1
#undef TLP_WIDE_FUNCTION_2

}  // namespace tlp
