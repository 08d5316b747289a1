// Integer arithmetic of the program of a core, as the functions of these names for threads.
#pragma once
#include "base.h"

namespace tlp::core {

template <class T>
__aicore__ inline T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
__aicore__ inline T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
__aicore__ inline T trunc_div(T a, T b) {
  if (b == T(0)) return T(0);
  if (limits<T>::is_signed && b == T(-1)) return T(modular<T>(0) - modular<T>(a));
  return T(a / b);
}
template <class T>
__aicore__ inline T trunc_mod(T a, T b) {
  if (b == T(0) || (limits<T>::is_signed && b == T(-1))) return T(0);
  return T(a % b);
}
template <class T>
__aicore__ inline T floor_div(T a, T b) {
  T quotient = trunc_div(a, b), remainder = trunc_mod(a, b);
  bool above = limits<T>::is_signed && remainder != 0 && (remainder ^ b) < 0;
  return above ? T(quotient - 1) : quotient;
}
template <class T>
__aicore__ inline T floor_mod(T a, T b) {
  T remainder = trunc_mod(a, b);
  bool above = limits<T>::is_signed && remainder != 0 && (remainder ^ b) < 0;
  return above ? T(remainder + b) : remainder;
}

}  // namespace tlp::core
