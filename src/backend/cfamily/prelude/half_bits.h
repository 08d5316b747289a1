// Conversions of 16-bit floats for a "half_formats.h" of machines that have none of their own: branch-free on integers,
// so that a plain loop over an array vectorises. A NaN keeps sign and payload and becomes quiet.
#pragma once
#include "base.h"

namespace tlp {

TLP_INLINE float f16_bits_to_float(u16 h) {
  u32 magnitude = u32(h & 0x7fff) << 13;
  // 0x38800000 is 2^-14: placing a subnormal's 10 bits under it and subtracting it again normalises exactly.
  u32 subnormal = bits_of(float_of(magnitude + 0x38800000u) - 0x1p-14f);
  u32 normal = magnitude + 0x38000000u;
  u32 special = (magnitude + 0x70000000u) | (magnitude > 0x0f800000u ? 0x00400000u : 0u);
  u32 value = magnitude >= 0x0f800000u ? special : normal;
  value = magnitude < 0x00800000u ? subnormal : value;
  return float_of(value | u32(h & 0x8000) << 16);
}

TLP_INLINE u16 float_to_f16_bits(float x) {
  u32 u = bits_of(x), magnitude = u & 0x7fffffffu;
  u32 bounded = magnitude < 0x47800000u ? magnitude : 0x47800000u;  // 2^16 and above round to infinity
  u32 normal = (bounded - 0x38000000u + 0xfffu + (bounded >> 13 & 1u)) >> 13;
  // Adding 0.5 leaves exactly the multiples of 2^-24 in the low bits: the float adder rounds.
  u32 subnormal = bits_of(float_of(bounded) + 0.5f) - 0x3f000000u;
  u32 value = bounded < 0x38800000u ? subnormal : normal;
  value = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : value;
  return u16(value | (u >> 16 & 0x8000u));
}

TLP_INLINE float bf16_bits_to_float(u16 b) {
  u32 u = u32(b) << 16;
  return float_of(u | ((u & 0x7fffffffu) > 0x7f800000u ? 0x00400000u : 0u));
}

TLP_INLINE u16 float_to_bf16_bits(float x) {
  u32 u = bits_of(x);
  u32 rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  return u16((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : rounded);
}

/// Rounds to odd: truncates, then sets the last bit when inexact. A later rounding to <= 22 bits is then single.
TLP_INLINE float round_to_odd(double x) {
  float nearest = float(x);
  u32 u = bits_of(nearest);
  double back = nearest, magnitude = x < 0 ? -x : x, back_magnitude = back < 0 ? -back : back;
  u32 truncated = back_magnitude > magnitude ? u - 1 : u;
  return float_of(back == x || x != x ? u : truncated | 1u);
}

struct f16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return f16_bits_to_float(bits); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return float_to_f16_bits(x); }
};
struct bf16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return bf16_bits_to_float(bits); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return float_to_bf16_bits(x); }
};

}  // namespace tlp
