// Integers as 16-bit floats, rounded once to nearest even, by way of double.
#pragma once
#include "types.h"

namespace tlp {

/// Integers with more than 24 bits need care: the rounding to float must not precede the rounding to H.
template <class H, class S>
TLP_INLINE H integer_to_half(S x) {
  if constexpr (sizeof(S) <= 2) {
    return H(float(x));
  } else if constexpr (sizeof(S) == 4) {
    return H(double(x));
  } else {
    bool negative = limits<S>::is_signed && x < S(0);
    u64 magnitude = negative ? u64(0) - u64(x) : u64(x);
    // Keep 48 bits and a sticky one: exact in double, and the same half.
    u64 shortened = (magnitude & ~u64(0xffff)) | u64((magnitude & 0xffff) != 0) << 16;
    double value = double(magnitude >> 40 ? shortened : magnitude);
    return H(negative ? -value : value);
  }
}

}  // namespace tlp
