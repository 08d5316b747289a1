#pragma once

// Element types and small vectors of Ascend C on the host.

#include "host_abi.h"

__extension__ typedef _Float16 half;

/// 16 bits: float without its low half, rounded to the nearest, ties to even.
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  constexpr bfloat16_t(float value) : bits(round(__builtin_bit_cast(uint32_t, value))) {}
  constexpr operator float() const { return __builtin_bit_cast(float, uint32_t(bits) << 16); }
  static constexpr uint16_t round(uint32_t u) {
    if ((u & 0x7fffffff) > 0x7f800000) return uint16_t((u >> 16) | 0x40);
    return uint16_t((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
};

#define TL_BF16_OPERATOR(op)                                                                                       \
  inline bfloat16_t operator op(bfloat16_t a, bfloat16_t b) { return bfloat16_t(float(a) op float(b)); }           \
  inline bfloat16_t& operator op##=(bfloat16_t & a, bfloat16_t b) { return a = bfloat16_t(float(a) op float(b)); } \
  inline float operator op(bfloat16_t a, float b) { return float(a) op b; }                                        \
  inline float operator op(float a, bfloat16_t b) { return a op float(b); }                                        \
  inline bfloat16_t operator op(bfloat16_t a, int b) { return bfloat16_t(float(a) op float(b)); }                  \
  inline bfloat16_t operator op(int a, bfloat16_t b) { return bfloat16_t(float(a) op float(b)); }
TL_BF16_OPERATOR(+)
TL_BF16_OPERATOR(-)
TL_BF16_OPERATOR(*)
TL_BF16_OPERATOR(/)
#undef TL_BF16_OPERATOR
inline bfloat16_t operator-(bfloat16_t a) { return bfloat16_t(-float(a)); }

namespace tl_ascend {

/// A float in eight bits, rounded to the nearest, ties to even; what is too large becomes the largest finite number.
template <int kMantissa, int kBias, int kLargest>
inline uint8_t to_float8(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint8_t sign = uint8_t(bits >> 24 & 0x80);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7f;
  int exponent = int(magnitude >> 23) - 127;
  if (exponent >= 30) return sign | kLargest;
  if (exponent < 1 - kBias) exponent = 1 - kBias;
  // In units of the last place: adding and taking away 2^23 rounds.
  const float units =
      __builtin_bit_cast(float, magnitude) * __builtin_bit_cast(float, uint32_t(127 + kMantissa - exponent) << 23);
  volatile float shifted = units + 8388608.0f;
  const int code = int(shifted - 8388608.0f) + ((exponent + kBias - 1) << kMantissa);
  return uint8_t(sign | (code > kLargest ? kLargest : code));
}

/// `kTop` is the lowest pattern that is no number; infinity where it ends in zeros.
template <int kMantissa, int kBias, int kTop>
inline float from_float8(uint8_t bits) {
  const int magnitude = bits & 0x7f, mantissa = magnitude & ((1 << kMantissa) - 1), exponent = magnitude >> kMantissa;
  float value;
  if (magnitude >= kTop) {
    value = magnitude == kTop && mantissa == 0 ? __builtin_inff() : __builtin_nanf("");
  } else {
    const int scale = (exponent == 0 ? 1 : exponent) - kBias - kMantissa;
    value =
        float(mantissa + (exponent == 0 ? 0 : 1 << kMantissa)) * __builtin_bit_cast(float, uint32_t(127 + scale) << 23);
  }
  return bits & 0x80 ? -value : value;
}

}  // namespace tl_ascend

/// Eight-bit floats, scales and packed fours; distinct types, so that templates tell them apart.
struct float8_e4m3_t {
  uint8_t bits;
  float8_e4m3_t() = default;
  explicit float8_e4m3_t(float value) : bits(tl_ascend::to_float8<3, 7, 0x7e>(value)) {}
  explicit operator float() const { return tl_ascend::from_float8<3, 7, 0x7f>(bits); }
};
struct float8_e5m2_t {
  uint8_t bits;
  float8_e5m2_t() = default;
  explicit float8_e5m2_t(float value) : bits(tl_ascend::to_float8<2, 15, 0x7b>(value)) {}
  explicit operator float() const { return tl_ascend::from_float8<2, 15, 0x7c>(bits); }
};
struct fp8_e8m0_t {
  uint8_t bits;
};
struct float4_e2m1x2_t {
  uint8_t bits;
};
using fp8_e4_t = float8_e4m3_t;

#define TL_VECTOR_TYPE(name, type)                                         \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; };                 \
  struct alignas(4 * sizeof(type)) name##4 { type x, y, z, w; };           \
  inline name##2 make_##name##2(type x, type y) { return name##2 {x, y}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return name##4 {x, y, z, w}; }
TL_VECTOR_TYPE(float, float)
TL_VECTOR_TYPE(int, int32_t)
TL_VECTOR_TYPE(uint, uint32_t)
TL_VECTOR_TYPE(short, int16_t)
TL_VECTOR_TYPE(ushort, uint16_t)
TL_VECTOR_TYPE(char, int8_t)
TL_VECTOR_TYPE(uchar, uint8_t)
TL_VECTOR_TYPE(half, half)
#undef TL_VECTOR_TYPE
struct uint1 {
  uint32_t x;
};
struct int1 {
  int32_t x;
};
struct alignas(4) bfloat16x2_t {
  bfloat16_t x, y;
};
/// The bits of two float8 numbers, the first in the low byte.
using __asc_fp8x2_storage_t = uint16_t;
struct alignas(2) float8_e4m3x2_t {
  float8_e4m3_t x, y;
  operator __asc_fp8x2_storage_t() const { return uint16_t(x.bits | y.bits << 8); }
};
struct alignas(2) float8_e5m2x2_t {
  float8_e5m2_t x, y;
  operator __asc_fp8x2_storage_t() const { return uint16_t(x.bits | y.bits << 8); }
};

#define TL_LANEWISE(op)                                                                       \
  inline float2 operator op(float2 a, float2 b) { return {a.x op b.x, a.y op b.y}; }          \
  inline half2 operator op(half2 a, half2 b) { return {half(a.x op b.x), half(a.y op b.y)}; } \
  inline bfloat16x2_t operator op(bfloat16x2_t a, bfloat16x2_t b) { return {a.x op b.x, a.y op b.y}; }
TL_LANEWISE(+)
TL_LANEWISE(-)
TL_LANEWISE(*)
TL_LANEWISE(/)
#undef TL_LANEWISE

inline half2 __float22half2_rn(float2 v) { return {half(v.x), half(v.y)}; }
inline float2 __half22float2(half2 v) { return {float(v.x), float(v.y)}; }
inline bfloat16x2_t __float22bfloat162_rn(float2 v) { return {bfloat16_t(v.x), bfloat16_t(v.y)}; }
inline float2 __bfloat1622float2(bfloat16x2_t v) { return {float(v.x), float(v.y)}; }

inline constexpr int __ASC_SATFINITE = 0, __ASC_E4M3 = 0, __ASC_E5M2 = 1;
inline uint16_t __asc_cvt_float2_to_fp8x2(float2 v, int, int format) {
  const auto byte = [&](float x) { return format == __ASC_E4M3 ? float8_e4m3_t(x).bits : float8_e5m2_t(x).bits; };
  return uint16_t(byte(v.x) | byte(v.y) << 8);
}
inline float2 __e4m3x22float2(uint16_t v) {
  return {tl_ascend::from_float8<3, 7, 0x7f>(uint8_t(v)), tl_ascend::from_float8<3, 7, 0x7f>(uint8_t(v >> 8))};
}
inline float2 __e5m2x22float2(uint16_t v) {
  return {tl_ascend::from_float8<2, 15, 0x7c>(uint8_t(v)), tl_ascend::from_float8<2, 15, 0x7c>(uint8_t(v >> 8))};
}

namespace tl_ascend {

template <class T>
inline constexpr int element_of = kOtherElement;
template <>
inline constexpr int element_of<float> = kF32;
template <>
inline constexpr int element_of<half> = kF16;
template <>
inline constexpr int element_of<bfloat16_t> = kBf16;
template <>
inline constexpr int element_of<int8_t> = kI8;
template <>
inline constexpr int element_of<uint8_t> = kU8;
template <>
inline constexpr int element_of<int16_t> = kI16;
template <>
inline constexpr int element_of<uint16_t> = kU16;
template <>
inline constexpr int element_of<int32_t> = kI32;
template <>
inline constexpr int element_of<uint32_t> = kU32;
template <>
inline constexpr int element_of<int64_t> = kI64;
template <>
inline constexpr int element_of<uint64_t> = kU64;
template <>
inline constexpr int element_of<float8_e4m3_t> = kF8e4m3;
template <>
inline constexpr int element_of<float8_e5m2_t> = kF8e5m2;

}  // namespace tl_ascend
