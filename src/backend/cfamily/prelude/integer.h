// Integer arithmetic with stated results for every operand, for all widths, signed and unsigned.
//
// | name                                 | meaning                                                               |
// |--------------------------------------|-----------------------------------------------------------------------|
// | floor_div(a, b), floor_mod(a, b)     | quotient towards -inf; remainder with the divisor's sign              |
// | trunc_div(a, b), trunc_mod(a, b)     | quotient towards zero; remainder with the dividend's sign             |
// | shift_left(a, n), shift_right(a, n)  | n outside [0, width): 0, or the sign fill for a signed right shift    |
// | popcount(a)                          | number of set bits, of a's type                                       |
// | clz(a), ffs(a)                       | i32: leading zeros (width for 0); 1 + lowest set bit (0 for 0)        |
//
// Division: by zero, quotient and remainder are 0; lowest / -1 wraps to lowest, remainder 0.
#pragma once
#include "threads.h"

namespace tlp {

template <class T>
TLP_INLINE T trunc_div(T a, T b) {
  if (b == T(0)) return T(0);
  if (limits<T>::is_signed && b == T(-1)) return T(modular<T>(0) - modular<T>(a));
  return T(a / b);
}
template <class T>
TLP_INLINE T trunc_mod(T a, T b) {
  if (b == T(0) || (limits<T>::is_signed && b == T(-1))) return T(0);
  return T(a % b);
}
template <class T>
TLP_INLINE T floor_div(T a, T b) {
  T quotient = trunc_div(a, b), remainder = trunc_mod(a, b);
  bool above = limits<T>::is_signed && remainder != 0 && (remainder ^ b) < 0;
  return above ? T(quotient - 1) : quotient;
}
template <class T>
TLP_INLINE T floor_mod(T a, T b) {
  T remainder = trunc_mod(a, b);
  bool above = limits<T>::is_signed && remainder != 0 && (remainder ^ b) < 0;
  return above ? T(remainder + b) : remainder;
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
  if (u64(n) < width) return T(a >> (u32(n) & (width - 1)));
  if constexpr (limits<T>::is_signed) return a < T(0) ? T(-1) : T(0);
  return T(0);
}

/// The bits of a, without those of its sign extension.
template <class T>
TLP_INLINE u64 own_bits(T a) {
  return u64(a) & (~u64(0) >> (64 - limits<T>::width));
}
template <class T>
TLP_INLINE T popcount(T a) {
  return T(count_bits(own_bits(a)));
}
template <class T>
TLP_INLINE i32 clz(T a) {
  return leading_zeros(own_bits(a)) - (64 - limits<T>::width);
}
template <class T>
TLP_INLINE i32 ffs(T a) {
  return lowest_set(own_bits(a));
}

}  // namespace tlp
