// Binary float formats as data, with bit-exact conversion to and from double.
//
// Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification (OFP8) 1.0; OCP Microscaling Formats (MX) 1.0; the
// "fnuz" formats after Noune et al., "8-bit Numerical Formats for Deep Neural Networks" (arXiv:2206.02915).
#pragma once

#include <cstdint>

#include "types/dtype.h"

namespace tl {

/// Which bit patterns are not finite numbers.
enum class NonFinite : uint8_t {
  kIeee,   ///< the largest exponent: mantissa 0 is infinity, the others NaN
  kFn,     ///< no infinity; all exponent and mantissa bits set is NaN
  kFnuz,   ///< no infinity and no negative zero, whose pattern is the only NaN
  kNone,   ///< every pattern is finite
  kScale,  ///< e8m0: unsigned powers of two without zero; all bits set is NaN
};

/// What becomes of a value whose rounded magnitude exceeds the largest finite number.
enum class Overflow : uint8_t {
  kFormat,    ///< the format's own: infinity where there is one, else NaN, else the largest finite number
  kSaturate,  ///< the largest finite number of that sign, for infinities too; NaN stays NaN
};

/// Facts of one float format.
struct FloatFormat {
  uint8_t bits;  ///< sign, exponent and mantissa together
  uint8_t exponent_bits;
  uint8_t mantissa_bits;  ///< stored bits, without the implicit one
  int16_t bias;
  NonFinite non_finite;
  uint8_t low_padding = 0;  ///< unused bits below the mantissa: 13 in tfloat32, which lives in a float32's word

  constexpr bool has_infinity() const { return non_finite == NonFinite::kIeee; }
  constexpr bool has_nan() const { return non_finite != NonFinite::kNone; }
  constexpr bool has_sign() const { return non_finite != NonFinite::kScale; }
  constexpr bool has_zero() const { return non_finite != NonFinite::kScale; }
  constexpr bool has_negative_zero() const { return has_sign() && non_finite != NonFinite::kFnuz; }
  /// Exponent of the smallest normal number.
  constexpr int min_exponent() const { return (has_zero() ? 1 : 0) - bias; }
  /// Pattern of the largest finite number, without padding.
  constexpr uint64_t max_code() const {
    const uint64_t all = (uint64_t{1} << (exponent_bits + mantissa_bits)) - 1;
    if (non_finite == NonFinite::kIeee) return all - (uint64_t{1} << mantissa_bits);
    return non_finite == NonFinite::kFn || non_finite == NonFinite::kScale ? all - 1 : all;
  }
};

/// The format of a floating type (of its element, if a vector). Precondition: `t.is_floating()`.
const FloatFormat& float_format(DType t);

/// Largest finite value of a floating type; the smallest is its negative, except for e8m0 (see `float_min`).
double float_max(DType t);
/// Smallest (most negative) finite value; 2^-127 for e8m0.
double float_min(DType t);
/// Smallest positive normal value.
double float_min_normal(DType t);
/// Smallest positive value.
double float_min_positive(DType t);
/// Distance from 1 to the next larger value.
double float_epsilon(DType t);

/// Rounds `value` once, to nearest with ties to even, and returns the pattern in the low bits of the result.
///
/// Under-range values become subnormal or a zero of their sign. Over-range: see Overflow; so float16, bfloat16 and
/// e5m2 overflow to infinity, e4m3fn and the fnuz formats to NaN, fp6 and fp4 to their largest number. NaN keeps its
/// sign and the leading bits of its payload where the format has room; fp6 and fp4, which have no NaN, give the
/// positive largest number, as the conversion instructions of GPUs do. The unpacked fp4 uses the low half of its byte.
///
/// e8m0 encodes the magnitude (the sign is dropped), rounds halves up, gives 0 for zero and everything up to 2^-127,
/// 1 between 2^-127 and 2^-126, and NaN for infinity and NaN; PyTorch's conversion does the same.
uint64_t encode_float(DType t, double value, Overflow overflow = Overflow::kFormat);

/// The exact value of a pattern; bits above the format's width and padding bits are ignored.
double decode_float(DType t, uint64_t bits);

/// `decode_float(t, encode_float(t, value, overflow))`: the value that a variable of this type holds after assignment.
double round_to_float(DType t, double value, Overflow overflow = Overflow::kFormat);

}  // namespace tl
