// Neighbours of float, f16 and bf16, and signs of the 16-bit ones, by their bits alone: parts of "round.h".
#pragma once
#include "types.h"

namespace tlp {

template <class Format>
TLP_INLINE half_float<Format> copysign(half_float<Format> x, half_float<Format> y) {
  return half_float<Format>::of_bits(u16((x.bits & 0x7fffu) | (y.bits & 0x8000u)));
}

TLP_INLINE float nextafter(float x, float y) {
  u32 u = bits_of(x);
  u32 stepped = (x < y) == (x > 0) ? u + 1 : u - 1;
  stepped = x == 0 ? (bits_of(y) & 0x80000000u) | 1u : stepped;
  float result = x == y ? y : float_of(stepped);
  return x != x || y != y ? x + y : result;
}
template <class Format>
TLP_INLINE half_float<Format> nextafter(half_float<Format> x, half_float<Format> y) {
  using Half = half_float<Format>;
  float a = float(x), b = float(y);
  u32 stepped = (a < b) == (a > 0) ? x.bits + 1u : x.bits - 1u;
  stepped = a == 0 ? (y.bits & 0x8000u) | 1u : stepped;
  Half result = Half::of_bits(a == b ? y.bits : u16(stepped));
  return a != a || b != b ? Half(a + b) : result;
}

}  // namespace tlp
