// Smaller, larger, magnitude, for every scalar type.
//
// | name      | meaning                                                               |
// |-----------|-----------------------------------------------------------------------|
// | min(a, b) | IEEE 754-2019 minimum: NaN if either is NaN; -0 is smaller than +0    |
// | max(a, b) | IEEE 754-2019 maximum: NaN if either is NaN; +0 is larger than -0     |
// | abs(x)    | clears the sign (also of NaN); integers wrap: abs(lowest) is lowest   |
#pragma once
#include "types.h"

namespace tlp {

TLP_INLINE float abs(float x) { return float_of(bits_of(x) & 0x7fffffffu); }
TLP_INLINE double abs(double x) { return double_of(bits_of(x) & 0x7fffffffffffffffull); }
TLP_INLINE f16 abs(f16 x) { return f16::of_bits(x.bits & 0x7fff); }
TLP_INLINE bf16 abs(bf16 x) { return bf16::of_bits(x.bits & 0x7fff); }
template <class T>
TLP_INLINE T abs(T x) {
  return x < T(0) ? T(modular<T>(0) - modular<T>(x)) : x;
}

// Equal operands differ at most in the sign of zero, which `and` clears and `or` keeps.
template <class T>
TLP_INLINE T larger_float(T a, T b) {
  T larger = a > b ? a : b;
  larger = a == b ? bit_cast<T>(bits_of(a) & bits_of(b)) : larger;
  return a != a ? a : larger;
}
template <class T>
TLP_INLINE T smaller_float(T a, T b) {
  T smaller = a < b ? a : b;
  smaller = a == b ? bit_cast<T>(bits_of(a) | bits_of(b)) : smaller;
  return a != a ? a : smaller;
}

#if __CUDA_ARCH__ >= 800
TLP_INLINE float max(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
TLP_INLINE float min(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#else
TLP_INLINE float max(float a, float b) { return larger_float(a, b); }
TLP_INLINE float min(float a, float b) { return smaller_float(a, b); }
#endif
TLP_INLINE double max(double a, double b) { return larger_float(a, b); }
TLP_INLINE double min(double a, double b) { return smaller_float(a, b); }
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

}  // namespace tlp
