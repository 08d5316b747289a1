#include "types/float_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

namespace tl {
namespace {

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr uint64_t kDoubleSign = uint64_t{1} << 63;
constexpr uint64_t kDoubleMantissaMask = (uint64_t{1} << kDoubleMantissa) - 1;

/// Row i is the format of TypeClass(kBFloat + i).
constexpr std::array<FloatFormat, 14> kFormats = {{
    // bits, exponent, mantissa, bias
    {16, 8, 7, 127, NonFinite::kIeee},       // bfloat16
    {19, 8, 10, 127, NonFinite::kIeee, 13},  // tfloat32
    {8, 3, 4, 3, NonFinite::kIeee},          // float8_e3m4
    {8, 4, 3, 7, NonFinite::kIeee},          // float8_e4m3
    {8, 4, 3, 11, NonFinite::kFnuz},         // float8_e4m3b11fnuz
    {8, 4, 3, 7, NonFinite::kFn},            // float8_e4m3fn
    {8, 4, 3, 8, NonFinite::kFnuz},          // float8_e4m3fnuz
    {8, 5, 2, 15, NonFinite::kIeee},         // float8_e5m2
    {8, 5, 2, 16, NonFinite::kFnuz},         // float8_e5m2fnuz
    {8, 8, 0, 127, NonFinite::kScale},       // float8_e8m0fnu
    {6, 2, 3, 1, NonFinite::kNone},          // float6_e2m3fn
    {6, 3, 2, 3, NonFinite::kNone},          // float6_e3m2fn
    {4, 2, 1, 1, NonFinite::kNone},          // float4_e2m1fn
    {4, 2, 1, 1, NonFinite::kNone},          // float4_e2m1_unpacked
}};
constexpr int kFirstFormat = static_cast<int>(TypeClass::kBFloat);
static_assert(static_cast<int>(TypeClass::kFloat4E2M1Unpacked) == kFirstFormat + static_cast<int>(kFormats.size()) - 1);
constexpr FloatFormat kFloat16 = {16, 5, 10, 15, NonFinite::kIeee};
constexpr FloatFormat kFloat32 = {32, 8, 23, 127, NonFinite::kIeee};
constexpr FloatFormat kFloat64 = {64, 11, 52, 1023, NonFinite::kIeee};

uint64_t sign_bit(const FloatFormat& f) { return f.has_sign() ? uint64_t{1} << (f.bits - 1) : 0; }

uint64_t infinity_code(const FloatFormat& f) { return f.max_code() + 1; }

/// The format's NaN; an IEEE one keeps the leading bits of the payload, or becomes quiet if none is left.
uint64_t encode_nan(const FloatFormat& f, uint64_t sign, uint64_t double_mantissa) {
  switch (f.non_finite) {
    case NonFinite::kIeee: {
      const uint64_t payload = double_mantissa >> (kDoubleMantissa - f.mantissa_bits);
      const uint64_t quiet = uint64_t{1} << (f.mantissa_bits - 1);
      return sign | infinity_code(f) | (payload != 0 ? payload : quiet);
    }
    case NonFinite::kFn:
      return sign | (f.max_code() + 1);
    case NonFinite::kFnuz:
      return sign_bit(f);
    case NonFinite::kScale:
      return f.max_code() + 1;
    case NonFinite::kNone:
      return f.max_code();
  }
  return 0;
}

uint64_t encode_overflow(const FloatFormat& f, uint64_t sign, Overflow overflow) {
  if (overflow == Overflow::kSaturate || !f.has_nan()) return sign | f.max_code();
  return f.has_infinity() ? sign | infinity_code(f) : encode_nan(f, sign, 0);
}

/// x / 2^shift to nearest, ties to even. Preconditions: x < 2^53, shift > 0.
uint64_t shift_right_rounded(uint64_t x, int shift) {
  if (shift > kDoubleMantissa + 2) return 0;  // less than half
  const uint64_t quotient = x >> shift;
  const uint64_t rest = x - (quotient << shift);
  const uint64_t half = uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

/// Exponent and significand (implicit bit included) of a finite double; subnormals keep the smallest exponent.
struct Parts {
  int exponent;
  uint64_t significand;
};

Parts split(uint64_t magnitude) {
  const int field = static_cast<int>(magnitude >> kDoubleMantissa);
  const uint64_t mantissa = magnitude & kDoubleMantissaMask;
  if (field == 0) return {1 - kDoubleBias, mantissa};
  return {field - kDoubleBias, mantissa | uint64_t{1} << kDoubleMantissa};
}

/// Rounded pattern of a finite magnitude; may exceed `max_code`. A carry out of the significand moves into the
/// exponent.
uint64_t round_magnitude(const FloatFormat& f, Parts parts) {
  const int exponent = std::max(parts.exponent, f.min_exponent());
  const int shift = kDoubleMantissa - f.mantissa_bits + (exponent - parts.exponent);
  const uint64_t above_smallest = static_cast<uint64_t>(exponent - f.min_exponent());
  return (above_smallest << f.mantissa_bits) + shift_right_rounded(parts.significand, shift);
}

/// e8m0 has no zero and no subnormals; below its smallest exponent PyTorch rounds up whatever exceeds 2^-127.
uint64_t encode_scale(const FloatFormat& f, Parts parts) {
  if (parts.exponent < f.min_exponent() || parts.significand == 0) return 0;
  const uint64_t one = uint64_t{1} << kDoubleMantissa;
  const uint64_t threshold = parts.exponent == f.min_exponent() ? one + 1 : one + one / 2;
  return static_cast<uint64_t>(parts.exponent - f.min_exponent()) + (parts.significand >= threshold ? 1 : 0);
}

/// 2^exponent for any exponent of a finite, normal double.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kDoubleBias) << kDoubleMantissa);
}

uint64_t encode_narrow(const FloatFormat& f, double value, Overflow overflow) {
  const uint64_t source = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = source & ~kDoubleSign;
  const uint64_t sign = (source & kDoubleSign) != 0 ? sign_bit(f) : 0;
  const uint64_t infinity = ~kDoubleMantissaMask & ~kDoubleSign;
  if (magnitude > infinity) return encode_nan(f, sign, source & kDoubleMantissaMask);
  if (magnitude == infinity) return encode_overflow(f, sign, overflow);
  const Parts parts = split(magnitude);
  const uint64_t code = f.has_zero() ? round_magnitude(f, parts) : encode_scale(f, parts);
  if (code > f.max_code()) return encode_overflow(f, sign, overflow);
  if (code == 0 && !f.has_negative_zero()) return 0;
  return sign | code;
}

double decode_magnitude(const FloatFormat& f, uint64_t code) {
  const uint64_t field = code >> f.mantissa_bits;
  const uint64_t mantissa = code & ((uint64_t{1} << f.mantissa_bits) - 1);
  if (!f.has_zero()) return power_of_two(static_cast<int>(field) - f.bias);
  const uint64_t significand = field == 0 ? mantissa : mantissa | uint64_t{1} << f.mantissa_bits;
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - f.bias - f.mantissa_bits;
  return static_cast<double>(significand) * power_of_two(exponent);
}

double decode_narrow(const FloatFormat& f, uint64_t pattern) {
  const uint64_t sign = (pattern & sign_bit(f)) != 0 ? kDoubleSign : 0;
  const uint64_t code = pattern & ~sign_bit(f) & ((uint64_t{1} << f.bits) - 1);
  const auto with_sign = [sign](uint64_t bits) { return std::bit_cast<double>(bits | sign); };
  const uint64_t infinity = ~kDoubleMantissaMask & ~kDoubleSign;
  const uint64_t quiet = uint64_t{1} << (kDoubleMantissa - 1);
  if (f.non_finite == NonFinite::kFnuz && code == 0 && sign != 0) return std::bit_cast<double>(infinity | quiet);
  if (code <= f.max_code()) return with_sign(std::bit_cast<uint64_t>(decode_magnitude(f, code)));
  if (f.non_finite != NonFinite::kIeee) return with_sign(infinity | quiet);
  const uint64_t payload = code - infinity_code(f);
  return with_sign(infinity | payload << (kDoubleMantissa - f.mantissa_bits));
}

}  // namespace

const FloatFormat& float_format(DType t) {
  assert(t.is_floating());
  if (t.cls() == TypeClass::kFloat) return t.bits() == 64 ? kFloat64 : t.bits() == 32 ? kFloat32 : kFloat16;
  return kFormats[static_cast<std::size_t>(static_cast<int>(t.cls()) - kFirstFormat)];
}

double float_max(DType t) {
  const FloatFormat& f = float_format(t);
  return decode_float(t, f.max_code() << f.low_padding);
}

double float_min(DType t) { return float_format(t).has_sign() ? -float_max(t) : float_min_positive(t); }

double float_min_normal(DType t) { return std::ldexp(1.0, float_format(t).min_exponent()); }

double float_min_positive(DType t) {
  const FloatFormat& f = float_format(t);
  return std::ldexp(1.0, f.min_exponent() - f.mantissa_bits);
}

double float_epsilon(DType t) { return std::ldexp(1.0, -float_format(t).mantissa_bits); }

uint64_t encode_float(DType t, double value, Overflow overflow) {
  const FloatFormat& f = float_format(t);
  if (f.bits == 64) {
    const bool saturate = overflow == Overflow::kSaturate && std::isinf(value);
    return std::bit_cast<uint64_t>(saturate ? std::copysign(float_max(t), value) : value);
  }
  if (f.bits == 32 && overflow == Overflow::kFormat && !std::isnan(value)) {
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  return encode_narrow(f, value, overflow) << f.low_padding;
}

double decode_float(DType t, uint64_t bits) {
  const FloatFormat& f = float_format(t);
  return f.bits == 64 ? std::bit_cast<double>(bits) : decode_narrow(f, bits >> f.low_padding);
}

double round_to_float(DType t, double value, Overflow overflow) {
  return decode_float(t, encode_float(t, value, overflow));
}

}  // namespace tl
