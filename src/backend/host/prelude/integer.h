// Integer arithmetic with stated results for every operand, for all widths, signed and unsigned.
//
// | name                                 | meaning                                                               |
// |--------------------------------------|-----------------------------------------------------------------------|
// | wrap_add wrap_sub wrap_mul (a, b)    | modulo 2^width                                                        |
// | wrap_neg(a)                          | modulo 2^width: the lowest value maps to itself                       |
// | floor_div(a, b), floor_mod(a, b)     | quotient towards -inf; remainder with the divisor's sign              |
// | trunc_div(a, b), trunc_mod(a, b)     | quotient towards zero; remainder with the dividend's sign             |
// | ceil_div(a, b)                       | quotient towards +inf                                                 |
// | shift_left(a, n), shift_right(a, n)  | n outside [0, width): 0, or the sign fill for a signed right shift    |
// | popcount(a)                          | number of set bits, of a's type                                       |
// | clz(a), ffs(a)                       | i32: leading zeros (width for 0); 1 + lowest set bit (0 for 0)        |
//
// Division: by zero, quotient and remainder are 0; lowest / -1 wraps to lowest, remainder 0. A divisor that is a
// positive constant after inlining costs no test; a power of two becomes a shift or a mask.
#pragma once
#include "base.h"

namespace tlp {

template <class T>
TLP_INLINE T wrap_add(T a, T b) {
  return T(modular<T>(a) + modular<T>(b));
}
template <class T>
TLP_INLINE T wrap_sub(T a, T b) {
  return T(modular<T>(a) - modular<T>(b));
}
template <class T>
TLP_INLINE T wrap_mul(T a, T b) {
  return T(modular<T>(a) * modular<T>(b));
}
template <class T>
TLP_INLINE T wrap_neg(T a) {
  return T(modular<T>(0) - modular<T>(a));
}

/// Whether b is known, after inlining, to be a positive constant.
#define TLP_CONSTANT_DIVISOR(b) (__builtin_constant_p(b) && (b) > T(0))

template <class T>
TLP_INLINE T trunc_div(T a, T b) {
  if (TLP_CONSTANT_DIVISOR(b)) return T(a / b);
  if (b == T(0)) return T(0);
  if (limits<T>::is_signed && b == T(-1)) return wrap_neg(a);
  return T(a / b);
}
template <class T>
TLP_INLINE T trunc_mod(T a, T b) {
  if (TLP_CONSTANT_DIVISOR(b)) return T(a % b);
  if (b == T(0) || (limits<T>::is_signed && b == T(-1))) return T(0);
  return T(a % b);
}
template <class T>
TLP_INLINE T floor_div(T a, T b) {
  if (TLP_CONSTANT_DIVISOR(b)) {
    if ((b & (b - 1)) == 0) return T(a >> __builtin_ctzll(u64(b)));
    return T(a / b - (a % b < 0));
  }
  T quotient = trunc_div(a, b), remainder = trunc_mod(a, b);
  return T(quotient - (remainder != 0 && ((remainder ^ b) < 0)));
}
template <class T>
TLP_INLINE T floor_mod(T a, T b) {
  if (TLP_CONSTANT_DIVISOR(b)) {
    if ((b & (b - 1)) == 0) return T(a & (b - 1));
    T remainder = T(a % b);
    return T(remainder + (remainder < 0 ? b : T(0)));
  }
  T remainder = trunc_mod(a, b);
  return T(remainder + (remainder != 0 && ((remainder ^ b) < 0) ? b : T(0)));
}
template <class T>
TLP_INLINE T ceil_div(T a, T b) {
  T quotient = trunc_div(a, b), remainder = trunc_mod(a, b);
  return T(quotient + (remainder != 0 && ((remainder < 0) == (b < 0))));
}

template <class T, class N>
TLP_INLINE T shift_left(T a, N n) {
  constexpr u32 width = limits<T>::width;
  modular<T> shifted = modular<T>(a) << (u32(n) & (width - 1));
  return u64(n) < width ? T(shifted) : T(0);
}
template <class T, class N>
TLP_INLINE T shift_right(T a, N n) {
  constexpr u32 width = limits<T>::width;
  T fill = a < T(0) ? T(-1) : T(0);
  return u64(n) < width ? T(a >> (u32(n) & (width - 1))) : fill;
}

// Without the builtin: where the machine counts bits of vectors, g++ 12 takes a vector of numbers that it knows for
// their counts.
template <class T>
TLP_INLINE T popcount(T a) {
  u64 bits = u64(a) & (~u64(0) >> (64 - limits<T>::width));
  bits -= (bits >> 1) & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  for (int step = 8; step < 64; step *= 2) bits += bits >> step;
  return T(bits & 127);
}
template <class T>
TLP_INLINE i32 clz(T a) {
  u64 bits = u64(a) & (~u64(0) >> (64 - limits<T>::width));
  return bits ? __builtin_clzll(bits) - (64 - limits<T>::width) : limits<T>::width;
}
template <class T>
TLP_INLINE i32 ffs(T a) {
  return __builtin_ffsll(i64(a));
}

}  // namespace tlp
