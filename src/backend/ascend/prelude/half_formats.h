// Conversions of 16-bit floats, by the machine's own types.
#pragma once
#include "base.h"

namespace tlp {

/// Rounds to odd: truncates, then sets the last bit when inexact. A later rounding to <= 22 bits is then single.
TLP_INLINE float round_to_odd(double x) {
  float nearest = float(x);
  u32 bits = bits_of(nearest);
  bool beyond = x < 0 ? double(nearest) < x : double(nearest) > x;
  bool exact = double(nearest) == x || x != x;
  return float_of((beyond ? bits - 1 : bits) | (exact ? 0u : 1u));
}

struct f16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return float(__builtin_bit_cast(half, bits)); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return __builtin_bit_cast(u16, half(x)); }
};

struct bf16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return float_of(u32(bits) << 16); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return __builtin_bit_cast(u16, bfloat16_t(x)); }
};

}  // namespace tlp
