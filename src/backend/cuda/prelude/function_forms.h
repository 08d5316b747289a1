// How CUDA's functions become functions of the language, for float, double, f16, bf16. Functions whose float form is
// documented above the language's bound are computed in double and rounded; f16 and bf16 are computed in float and
// rounded.
#pragma once
#include "types.h"

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
