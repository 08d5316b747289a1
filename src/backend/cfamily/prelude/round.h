// Rounding, classification, exact and correctly rounded functions, for float, double, f16, bf16.
//
// | name                            | meaning                                                      |
// |---------------------------------|--------------------------------------------------------------|
// | floor ceil trunc (x)            | exact; an integer is itself                                  |
// | round nearbyint (x)             | to the nearest integer, ties to even; an integer is itself   |
// | isnan isinf isfinite (x)        | bool                                                         |
// | copysign(x, y), nextafter(x, y) | exact; nextafter steps in the operands' own type             |
// | fma(x, y, z), sqrt(x)           | correctly rounded                                            |
// | fmod(x, y)                      | exact                                                        |
//
// Everything but fmod and the double form of nextafter is branch-free and vectorises on the host.
#pragma once
#include "neighbours.h"
#include "types.h"

namespace tlp {

#define TLP_ROUNDING(name, function)                                     \
  TLP_INLINE float name(float x) { return TLP_LIBRARY(function##f)(x); } \
  TLP_INLINE double name(double x) { return TLP_LIBRARY(function)(x); }  \
  TLP_VIA_FLOAT_1(name)                                                  \
  template <class T>                                                     \
  TLP_INLINE T name(T x) {                                               \
    return x;                                                            \
  }
TLP_ROUNDING(floor, floor)
TLP_ROUNDING(ceil, ceil)
TLP_ROUNDING(trunc, trunc)
TLP_ROUNDING(round, rint)
TLP_ROUNDING(nearbyint, rint)
#undef TLP_ROUNDING

/// Of integers: they are finite.
template <class T>
TLP_INLINE bool isnan(T x) {
  return x != x;
}
template <class T>
TLP_INLINE bool isinf(T) {
  return false;
}
template <class T>
TLP_INLINE bool isfinite(T) {
  return true;
}
TLP_INLINE bool isinf(float x) { return TLP_LIBRARY(fabsf)(x) == infinity; }
TLP_INLINE bool isinf(double x) { return TLP_LIBRARY(fabs)(x) == infinity; }
TLP_INLINE bool isfinite(float x) { return TLP_LIBRARY(fabsf)(x) < infinity; }
TLP_INLINE bool isfinite(double x) { return TLP_LIBRARY(fabs)(x) < infinity; }
template <class Format>
TLP_INLINE bool isinf(half_float<Format> x) {
  return isinf(float(x));
}
template <class Format>
TLP_INLINE bool isfinite(half_float<Format> x) {
  return isfinite(float(x));
}

TLP_INLINE float copysign(float x, float y) { return TLP_LIBRARY(copysignf)(x, y); }
TLP_INLINE double copysign(double x, double y) { return TLP_LIBRARY(copysign)(x, y); }

TLP_INLINE double nextafter(double x, double y) { return TLP_LIBRARY(nextafter)(x, y); }

TLP_INLINE float fma(float x, float y, float z) { return TLP_LIBRARY(fmaf)(x, y, z); }
TLP_INLINE double fma(double x, double y, double z) { return TLP_LIBRARY(fma)(x, y, z); }
/// The product is exact in double; the error of the sum (Knuth's TwoSum) sets its last bit (round to odd: S. Boldo and
/// G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008), so that the rounding to 16 bits is single.
template <class Format>
TLP_INLINE half_float<Format> fma(half_float<Format> x, half_float<Format> y, half_float<Format> z) {
  double product = double(x) * double(y), addend = double(z);
  double sum = product + addend, added = sum - product;
  double error = (product - (sum - added)) + (addend - added);
  u64 bits = bits_of(sum), odd = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  bool exact = (error == 0) | (error != error) | ((bits & 1) != 0);  // the error of an infinite sum is NaN
  return half_float<Format>(double_of(exact ? bits : odd));
}

TLP_INLINE float sqrt(float x) { return TLP_LIBRARY(sqrtf)(x); }
TLP_INLINE double sqrt(double x) { return TLP_LIBRARY(sqrt)(x); }
TLP_VIA_FLOAT_1(sqrt)

TLP_INLINE float fmod(float x, float y) { return TLP_LIBRARY(fmodf)(x, y); }
TLP_INLINE double fmod(double x, double y) { return TLP_LIBRARY(fmod)(x, y); }
TLP_VIA_FLOAT_2(fmod)

}  // namespace tlp
