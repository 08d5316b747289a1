// Rounding, classification, exact and correctly rounded functions, for float, double, f16, bf16.
//
// | name                                   | meaning and accuracy                                                     |
// |----------------------------------------|--------------------------------------------------------------------------|
// | floor ceil trunc (x)                   | exact                                                                    |
// | round nearbyint rint (x)               | to the nearest integer, ties to even; exact                              |
// | isnan isinf isfinite (x)               | bool                                                                     |
// | copysign(x, y), nextafter(x, y)        | exact; nextafter steps in the operands' own type                         |
// | ldexp(x, n)                            | x * 2^n for n of any integer type, correctly rounded                     |
// | fma(x, y, z)                           | x * y + z, correctly rounded; a library call where there is no FMA       |
// | sqrt(x)                                | correctly rounded                                                        |
// | rsqrt(x)                               | 1 / sqrt(x): <= 1.5 ulp; +-0 give +-inf                                  |
// | hypot(x, y)                            | float: <= 0.51 ulp, no spurious overflow; hypot(inf, NaN) is inf         |
// | fmod(x, y)                             | exact, a library call (does not vectorise)                               |
//
// Everything but fmod and the double forms of nextafter, ldexp and hypot is branch-free and vectorises.
#pragma once
#include "types.h"

namespace tlp {

TLP_INLINE float floor(float x) { return __builtin_floorf(x); }
TLP_INLINE double floor(double x) { return __builtin_floor(x); }
TLP_INLINE float ceil(float x) { return __builtin_ceilf(x); }
TLP_INLINE double ceil(double x) { return __builtin_ceil(x); }
TLP_INLINE float trunc(float x) { return __builtin_truncf(x); }
TLP_INLINE double trunc(double x) { return __builtin_trunc(x); }
TLP_INLINE float rint(float x) { return __builtin_rintf(x); }
TLP_INLINE double rint(double x) { return __builtin_rint(x); }
TLP_INLINE float round(float x) { return __builtin_rintf(x); }
TLP_INLINE double round(double x) { return __builtin_rint(x); }
TLP_INLINE float nearbyint(float x) { return __builtin_rintf(x); }
TLP_INLINE double nearbyint(double x) { return __builtin_rint(x); }

TLP_INLINE bool isnan(float x) { return x != x; }
TLP_INLINE bool isnan(double x) { return x != x; }
TLP_INLINE bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
TLP_INLINE bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
TLP_INLINE bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
TLP_INLINE bool isfinite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
template <class Format>
TLP_INLINE bool isnan(half_float<Format> x) {
  return isnan(float(x));
}
template <class Format>
TLP_INLINE bool isinf(half_float<Format> x) {
  return isinf(float(x));
}
template <class Format>
TLP_INLINE bool isfinite(half_float<Format> x) {
  return isfinite(float(x));
}

TLP_INLINE float copysign(float x, float y) { return __builtin_copysignf(x, y); }
TLP_INLINE double copysign(double x, double y) { return __builtin_copysign(x, y); }

TLP_INLINE float nextafter(float x, float y) {
  u32 u = bits_of(x);
  u32 stepped = (x < y) == (x > 0) ? u + 1 : u - 1;
  stepped = x == 0 ? (bits_of(y) & 0x80000000u) | 1u : stepped;
  float result = x == y ? y : float_of(stepped);
  return x != x || y != y ? x + y : result;
}
TLP_INLINE double nextafter(double x, double y) { return __builtin_nextafter(x, y); }
template <class Format>
TLP_INLINE half_float<Format> nextafter(half_float<Format> x, half_float<Format> y) {
  using Half = half_float<Format>;
  float a = float(x), b = float(y);
  u32 stepped = (a < b) == (a > 0) ? x.bits + 1u : x.bits - 1u;
  stepped = a == 0 ? (y.bits & 0x8000u) | 1u : stepped;
  Half result = Half::of_bits(a == b ? y.bits : u16(stepped));
  return a != a || b != b ? Half(a + b) : result;
}

/// n, bounded in magnitude.
template <class N>
TLP_INLINE i32 bounded_exponent(N n, i32 bound) {
  using Wide = select_type<(sizeof(N) < 4), i32, N>;  // every N holds `bound`
  Wide wide = Wide(n);
  if constexpr (limits<Wide>::is_signed) wide = wide < Wide(-bound) ? Wide(-bound) : wide;
  return i32(wide > Wide(bound) ? Wide(bound) : wide);
}
/// A float times any power of two that matters to it (2^-300 .. 2^300) is exact in double.
template <class N>
TLP_INLINE float ldexp(float x, N n) {
  return float(double(x) * double_of(u64(u32(bounded_exponent(n, 300) + 1023)) << 52));
}
template <class N>
TLP_INLINE double ldexp(double x, N n) {
  return __builtin_ldexp(x, bounded_exponent(n, 5000));
}
template <class Format, class N>
TLP_INLINE half_float<Format> ldexp(half_float<Format> x, N n) {
  return half_float<Format>(ldexp(float(x), n));
}

TLP_INLINE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TLP_INLINE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
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

TLP_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
TLP_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
TLP_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
TLP_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

TLP_INLINE float hypot(float x, float y) {
  double a = x, b = y;
  float result = float(__builtin_sqrt(a * a + b * b));
  result = isinf(y) ? __builtin_inff() : result;
  return isinf(x) ? __builtin_inff() : result;
}
TLP_INLINE double hypot(double x, double y) { return __builtin_hypot(x, y); }

TLP_INLINE float fmod(float x, float y) { return __builtin_fmodf(x, y); }
TLP_INLINE double fmod(double x, double y) { return __builtin_fmod(x, y); }

TLP_VIA_FLOAT_1(floor)
TLP_VIA_FLOAT_1(ceil)
TLP_VIA_FLOAT_1(trunc)
TLP_VIA_FLOAT_1(rint)
TLP_VIA_FLOAT_1(round)
TLP_VIA_FLOAT_1(nearbyint)
TLP_VIA_FLOAT_1(sqrt)
TLP_VIA_FLOAT_1(rsqrt)
TLP_VIA_FLOAT_2(copysign)
TLP_VIA_FLOAT_2(hypot)
TLP_VIA_FLOAT_2(fmod)

}  // namespace tlp
