// The 16-bit floating types: storage, exact conversions, arithmetic.
//
// | name                          | meaning                                                                      |
// |-------------------------------|------------------------------------------------------------------------------|
// | f16, bf16                     | IEEE binary16 and bfloat16, one u16 `bits`                                   |
// | float(h)                      | exact value; NaN keeps sign and payload and becomes quiet                    |
// | f16(x), bf16(x)               | from float or double, one rounding to nearest even; NaN stays a quiet NaN    |
// | + - * / (also +=), unary -    | computed in float, rounded once per operation: correctly rounded             |
// | == != < <= > >=               | IEEE comparison                                                              |
// | is_half<T>                    | T is f16 or bf16                                                             |
// | TLP_VIA_FLOAT_1, _2 (name)    | defines name(h) / name(h, h) for both types through the float function       |
//
// All conversions are branch-free on integers, so that a plain loop over an array vectorises. No product or sum of
// p-bit floats rounded first to float (24 bits) and then to p <= 11 bits differs from the directly rounded one, because
// 24 >= 2 * 11 + 2 (S. Figueroa, "When is double rounding innocuous?", 1995); the same holds for quotient and root.
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

template <class Format>
struct half_float {
  u16 bits;

  half_float() = default;
  TLP_INLINE_MEMBER explicit half_float(float x) : bits(Format::from_float(x)) {}
  TLP_INLINE_MEMBER explicit half_float(double x) : bits(Format::from_float(round_to_odd(x))) {}
  TLP_INLINE_MEMBER explicit operator float() const { return Format::to_float(bits); }
  TLP_INLINE_MEMBER explicit operator double() const { return Format::to_float(bits); }
  TLP_INLINE_MEMBER static half_float of_bits(u16 bits) {
    half_float result;
    result.bits = bits;
    return result;
  }

#define TLP_HALF_ARITHMETIC(op)                                                 \
  TLP_INLINE_MEMBER friend half_float operator op(half_float a, half_float b) { \
    return half_float(float(a) op float(b));                                    \
  }                                                                             \
  TLP_INLINE_MEMBER half_float& operator op##=(half_float b) { return *this = *this op b; }
#define TLP_HALF_COMPARISON(op) \
  TLP_INLINE_MEMBER friend bool operator op(half_float a, half_float b) { return float(a) op float(b); }
  TLP_HALF_ARITHMETIC(+)
  TLP_HALF_ARITHMETIC(-)
  TLP_HALF_ARITHMETIC(*)
  TLP_HALF_ARITHMETIC(/)
  TLP_HALF_COMPARISON(==)
  TLP_HALF_COMPARISON(!=)
  TLP_HALF_COMPARISON(<)
  TLP_HALF_COMPARISON(<=)
  TLP_HALF_COMPARISON(>)
  TLP_HALF_COMPARISON(>=)
#undef TLP_HALF_ARITHMETIC
#undef TLP_HALF_COMPARISON
  TLP_INLINE_MEMBER half_float operator-() const { return of_bits(u16(bits ^ 0x8000u)); }
};

struct f16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return f16_bits_to_float(bits); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return float_to_f16_bits(x); }
};
struct bf16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return bf16_bits_to_float(bits); }
  TLP_INLINE_MEMBER static u16 from_float(float x) { return float_to_bf16_bits(x); }
};

using f16 = half_float<f16_format>;
using bf16 = half_float<bf16_format>;

template <class T>
constexpr bool is_half = is_same<T, f16> || is_same<T, bf16>;

#define TLP_VIA_FLOAT_1(name)                                \
  TLP_INLINE f16 name(f16 x) { return f16(name(float(x))); } \
  TLP_INLINE bf16 name(bf16 x) { return bf16(name(float(x))); }
#define TLP_VIA_FLOAT_2(name)                                                 \
  TLP_INLINE f16 name(f16 x, f16 y) { return f16(name(float(x), float(y))); } \
  TLP_INLINE bf16 name(bf16 x, bf16 y) { return bf16(name(float(x), float(y))); }

}  // namespace tlp
