// Smaller, larger, magnitude, for every scalar type.
//
// | name              | meaning                                                               |
// |-------------------|-----------------------------------------------------------------------|
// | min(a, b)         | IEEE 754-2019 minimum: NaN if either is NaN; -0 is smaller than +0    |
// | max(a, b)         | IEEE 754-2019 maximum: NaN if either is NaN; +0 is larger than -0     |
// | clamp(x, lo, hi)  | min(max(x, lo), hi): NaN stays NaN                                    |
// | abs(x)            | clears the sign (also of NaN); integers wrap: abs(lowest) is lowest   |
#pragma once
#include "types.h"

namespace tlp {

TLP_INLINE float abs(float x) { return __builtin_fabsf(x); }
TLP_INLINE double abs(double x) { return __builtin_fabs(x); }
TLP_INLINE f16 abs(f16 x) { return f16::of_bits(x.bits & 0x7fff); }
TLP_INLINE bf16 abs(bf16 x) { return bf16::of_bits(x.bits & 0x7fff); }
template <class T>
TLP_INLINE T abs(T x) {
  return x < T(0) ? T(modular<T>(0) - modular<T>(x)) : x;
}

// Equal operands differ at most in the sign of zero, which `and` clears and `or` keeps; equal other values are
// unchanged.
TLP_INLINE float max(float a, float b) {
  float larger = a > b ? a : b;
  larger = a == b ? float_of(bits_of(a) & bits_of(b)) : larger;
  return a != a ? a : larger;
}
TLP_INLINE double max(double a, double b) {
  double larger = a > b ? a : b;
  larger = a == b ? double_of(bits_of(a) & bits_of(b)) : larger;
  return a != a ? a : larger;
}
TLP_INLINE float min(float a, float b) {
  float smaller = a < b ? a : b;
  smaller = a == b ? float_of(bits_of(a) | bits_of(b)) : smaller;
  return a != a ? a : smaller;
}
TLP_INLINE double min(double a, double b) {
  double smaller = a < b ? a : b;
  smaller = a == b ? double_of(bits_of(a) | bits_of(b)) : smaller;
  return a != a ? a : smaller;
}
TLP_VIA_FLOAT_2(min)
TLP_VIA_FLOAT_2(max)
template <class T>
TLP_INLINE T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
TLP_INLINE T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
TLP_INLINE T clamp(T x, T low, T high) {
  return min(max(x, low), high);
}

}  // namespace tlp
