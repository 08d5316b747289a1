// The 16-bit floating types: storage, exact conversions, arithmetic.
//
// | name                       | meaning                                                                         |
// |----------------------------|---------------------------------------------------------------------------------|
// | f16, bf16                  | IEEE binary16 and bfloat16, one u16 `bits`                                      |
// | float(h), double(h)        | exact value                                                                     |
// | f16(x), bf16(x)            | from float or double, one rounding to nearest even; NaN stays a quiet NaN       |
// | + - * / (also +=), unary - | computed in float, rounded once per operation: correctly rounded                |
// | == != < <= > >=            | IEEE comparison                                                                 |
// | is_half<T>                 | T is f16 or bf16                                                                |
// | TLP_VIA_FLOAT_1, _2 (name) | defines name(h) / name(h, h) for both types through the float function          |
//
// No product or sum of p-bit floats rounded first to float (24 bits) and then to p <= 11 bits differs from the directly
// rounded one, because 24 >= 2 * 11 + 2 (S. Figueroa, "When is double rounding innocuous?", 1995); the same holds for
// quotient and root.
#pragma once
#include "half_formats.h"

namespace tlp {

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
