// Inverse trigonometric functions, for float, double, f16, bf16.
//
// | name               | float accuracy | special values                                              |
// |--------------------|----------------|-------------------------------------------------------------|
// | asin(x), acos(x)   | <= 2 ulp       | |x| > 1 gives NaN                                           |
// | atan(x)            | <= 2 ulp       | atan(+-inf) = +-pi/2                                        |
// | atan2(y, x)        | <= 2 ulp       | those of C99 Annex F: all signs of zero and infinity        |
//
// The float forms are branch-free and vectorise. asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)) beyond 0.6 and
// atan(x) = pi/2 - atan(1/x) beyond 1, pi in two parts; odd minimax polynomials in between (minimax.py: asin, atan;
// relative error < 6e-9). The double forms are library calls.
#pragma once
#include "polynomial.h"
#include "types.h"

namespace tlp {

constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;

/// asin(s) for 0 <= s <= 0.6, square = s^2.
TLP_INLINE float asin_polynomial(float s, float square) {
  float tail =
      horner(square, 0x1.5554d8p-3f, 0x1.3365bep-4f, 0x1.66fe1cp-5f, 0x1.2c7c58p-5f, -0x1.1f2732p-10f, 0x1.cab71p-5f);
  return madd(s * square, tail, s);
}
/// atan(t) for 0 <= t <= 1.
TLP_INLINE float atan_polynomial(float t) {
  float square = t * t;
  float tail = horner(square, -0x1.55553ep-2f, 0x1.9991eap-3f, -0x1.2420fap-3f, 0x1.c092dap-4f, -0x1.5820d2p-4f,
                      0x1.da893p-5f, -0x1.fe54dep-6f, 0x1.65245ep-7f, -0x1.d54caap-10f);
  return madd(t * square, tail, t);
}

TLP_INLINE float asin(float x) {
  float a = __builtin_fabsf(x);
  bool outer = a > 0.6f;
  float square = outer ? 0.5f - 0.5f * a : a * a;
  float p = asin_polynomial(outer ? __builtin_sqrtf(square) : a, square);
  return __builtin_copysignf(outer ? kHalfPiHigh - (2.0f * p - kHalfPiLow) : p, x);
}

TLP_INLINE float acos(float x) {
  float a = __builtin_fabsf(x);
  bool outer = a > 0.6f;
  float square = outer ? 0.5f - 0.5f * a : a * a;
  float p = asin_polynomial(outer ? __builtin_sqrtf(square) : a, square);
  float inner = kHalfPiHigh - (__builtin_copysignf(p, x) - kHalfPiLow);
  float left = 2.0f * kHalfPiHigh - (2.0f * p - 2.0f * kHalfPiLow);
  return outer ? (x < 0 ? left : 2.0f * p) : inner;
}

TLP_INLINE float atan(float x) {
  float a = __builtin_fabsf(x);
  bool outer = a > 1.0f;
  float p = atan_polynomial(outer ? 1.0f / a : a);
  return __builtin_copysignf(outer ? kHalfPiHigh - (p - kHalfPiLow) : p, x);
}

TLP_INLINE float atan2(float y, float x) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
  bool steep = ay > ax;
  float small = steep ? ax : ay, large = steep ? ay : ax;
  float ratio = small / large;
  ratio = large == 0 ? 0.0f : ratio;
  ratio = small == __builtin_inff() ? 1.0f : ratio;
  float angle = atan_polynomial(ratio);
  angle = steep ? kHalfPiHigh - (angle - kHalfPiLow) : angle;
  angle = i32(bits_of(x)) < 0 ? 2.0f * kHalfPiHigh - (angle - 2.0f * kHalfPiLow) : angle;
  return x != x || y != y ? x + y : __builtin_copysignf(angle, y);
}

TLP_INLINE double asin(double x) { return __builtin_asin(x); }
TLP_INLINE double acos(double x) { return __builtin_acos(x); }
TLP_INLINE double atan(double x) { return __builtin_atan(x); }
TLP_INLINE double atan2(double y, double x) { return __builtin_atan2(y, x); }

TLP_VIA_FLOAT_1(asin)
TLP_VIA_FLOAT_1(acos)
TLP_VIA_FLOAT_1(atan)
TLP_VIA_FLOAT_2(atan2)

}  // namespace tlp
