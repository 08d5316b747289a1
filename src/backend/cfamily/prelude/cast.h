// Conversions between all scalar types.
//
// | name       | meaning                     |
// |------------|-----------------------------|
// | cast<D>(x) | the value of x as D         |
//
// integer -> integer wraps at the destination's width; float -> integer truncates towards zero, saturates, NaN gives 0;
// anything -> bool is x != 0 (NaN gives true); every conversion to a floating type rounds once to nearest even.
// Branch-free; a loop over an array vectorises where the machine has the conversion.
#pragma once
#include "integer_to_half.h"

namespace tlp {

template <class D, class S>
TLP_INLINE D saturate_float(S x) {
  constexpr S low = limits<D>::is_signed ? -S(u64(1) << (limits<D>::width - 1)) : S(0);
  constexpr S high = S(u64(1) << (limits<D>::width - 1)) * (limits<D>::is_signed ? S(1) : S(2));
  using Wide = select_type<(sizeof(D) < 4), i32, D>;  // narrow results are exact in i32, which machines convert to
  S bounded = x < high ? x : S(0);                    // comparisons are false for NaN, which ends as 0
  bounded = bounded > low ? bounded : S(0);
  D value = D(Wide(bounded));
  value = x >= high ? limits<D>::highest : value;
  return x <= low ? limits<D>::lowest : value;
}

template <class D, class S>
TLP_INLINE D cast(S x) {
  if constexpr (is_same<D, S>) {
    return x;
  } else if constexpr (is_half<S>) {
    if constexpr (is_same<D, bool>) {
      return (x.bits & 0x7fff) != 0;
    } else {
      return cast<D>(float(x));
    }
  } else if constexpr (is_same<D, bool>) {
    return x != S(0);
  } else if constexpr (is_same<S, bool> && bools_are_bytes) {
    return cast<D>(__builtin_bit_cast(u8, x));
  } else if constexpr (is_half<D>) {
    if constexpr (is_floating<S>) {
      return D(x);
    } else {
      return integer_to_half<D>(x);
    }
  } else if constexpr (is_floating<S> && !is_floating<D>) {
    return saturate_float<D>(x);
  } else {
    return D(x);
  }
}

}  // namespace tlp
