// Rounding, classification and exact functions of float, f16 and bf16: as the shared header of this name, of what the
// machine has, and of integers where it has no function. float64 is not computed in.
//
// | name                            | meaning                                                      |
// |---------------------------------|--------------------------------------------------------------|
// | floor ceil trunc (x)            | exact; an integer is itself                                  |
// | round nearbyint (x)             | to the nearest integer, ties to even; an integer is itself   |
// | isnan isinf isfinite (x)        | bool                                                         |
// | copysign(x, y), nextafter(x, y) | exact; nextafter steps in the operands' own type             |
// | ldexp(x, n)                     | x * 2^n, correctly rounded                                   |
// | sqrt(x)                         | correctly rounded                                            |
// | fmod(x, y)                      | exact                                                        |
#pragma once
#include "neighbours.h"
#include "types.h"

namespace tlp {

#define TLP_ROUNDING(name, function)                     \
  TLP_INLINE float name(float x) { return function(x); } \
  TLP_VIA_FLOAT_1(name)                                  \
  template <class T>                                     \
  TLP_INLINE T name(T x) {                               \
    return x;                                            \
  }
TLP_ROUNDING(floor, floorf)
TLP_ROUNDING(ceil, ceilf)
TLP_ROUNDING(trunc, truncf)
TLP_ROUNDING(round, nearbyintf)
TLP_ROUNDING(nearbyint, nearbyintf)
#undef TLP_ROUNDING

template <class T>
TLP_INLINE bool isnan(T x) {
  return x != x;
}
#define TLP_FLOAT_TEST(name, test, of_integers)           \
  TLP_INLINE bool name(float x) { return test; }          \
  TLP_INLINE bool name(f16 x) { return name(float(x)); }  \
  TLP_INLINE bool name(bf16 x) { return name(float(x)); } \
  template <class T>                                      \
  TLP_INLINE bool name(T) {                               \
    return of_integers;                                   \
  }
TLP_FLOAT_TEST(isinf, fabsf(x) == infinity, false)
TLP_FLOAT_TEST(isfinite, fabsf(x) < infinity, true)
#undef TLP_FLOAT_TEST

TLP_INLINE float copysign(float x, float y) {
  return float_of((bits_of(x) & 0x7fffffffu) | (bits_of(y) & 0x80000000u));
}

TLP_INLINE float power_of_two(i32 n) { return float_of(u32(n + 127) << 23); }
/// In factors of which all but the last leave the significand as it is: going down they keep 24 bits above the smallest
/// normal number.
TLP_INLINE float ldexp(float x, i32 n) {
  for (i32 step = 0; step < 2 && n > 127; ++step, n -= 127) x *= power_of_two(127);
  for (i32 step = 0; step < 2 && n < -126; ++step, n += 102) x *= power_of_two(-102);
  return x * power_of_two(n > 127 ? 127 : n < -126 ? -126 : n);
}
template <class Format>
TLP_INLINE half_float<Format> ldexp(half_float<Format> x, i32 n) {
  return half_float<Format>(ldexp(float(x), n));
}

/// The remainder of integers that are the significands, taken in steps of as many bits as a word has left.
TLP_INLINE float fmod(float x, float y) {
  u32 sign = bits_of(x) & 0x80000000u, a = bits_of(x) & 0x7fffffffu, b = bits_of(y) & 0x7fffffffu;
  if (b == 0 || a >= 0x7f800000u || b > 0x7f800000u) return not_a_number;
  if (a < b) return x;
  i32 exponent = a >> 23 == 0 ? 1 : i32(a >> 23), last = b >> 23 == 0 ? 1 : i32(b >> 23);
  u64 divisor = (b & 0x7fffffu) | (b >> 23 == 0 ? 0u : 0x800000u);
  u64 rest = ((a & 0x7fffffu) | (a >> 23 == 0 ? 0u : 0x800000u)) % divisor;
  for (i32 left = exponent - last; left > 0; left -= 40) rest = (rest << (left < 40 ? left : 40)) % divisor;
  return float_of(bits_of(ldexp(float(u32(rest)), last - 150)) | sign);
}
TLP_VIA_FLOAT_2(fmod)

TLP_INLINE float sqrt(float x) { return sqrtf(x); }
TLP_VIA_FLOAT_1(sqrt)

}  // namespace tlp
