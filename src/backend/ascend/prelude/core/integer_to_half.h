// Integers as 16-bit floats, rounded once to nearest even, by way of float32.
#pragma once
#include "types.h"

namespace tlp {

/// Keeps at least 17 of the bits that count, and one that says whether there are others: exact in float, and the same
/// half.
template <class H, class S>
TLP_INLINE H integer_to_half(S x) {
  bool negative = limits<S>::is_signed && x < S(0);
  u64 magnitude = negative ? u64(0) - u64(x) : u64(x);
  float unit = negative ? -1.0f : 1.0f;
  for (; magnitude >> 24 != 0; unit *= 256.0f) magnitude = magnitude >> 8 | u64((magnitude & 0xff) != 0);
  return H(float(u32(magnitude)) * unit);
}

}  // namespace tlp
