// Functions that the machine has only the parts of, for float, f16 and bf16. Accuracy in ulp of float, beside that of
// the machine's own functions; at most 1 for f16 and bf16.
//
// | name              | ulp |
// |-------------------|-----|
// | asinh acosh atanh | 2   |
// | atan2 hypot       | 1   |
#pragma once
#include "round.h"

namespace tlp {

inline constexpr float log_of_two = 0x1.62e43p-1f;
// Halves of pi, and what is missing of them.
inline constexpr float half_pi = 0x1.921fb6p0f, half_pi_rest = -0x1.777a5cp-25f;

TLP_INLINE float asinh(float x) {
  float a = fabsf(x);
  float near = log1pf(a + a * a / (1.0f + sqrtf(1.0f + a * a))), far = logf(a) + log_of_two;
  return copysign(a < 0x1p14f ? near : far, x);
}
TLP_INLINE float acosh(float x) {
  float above = x - 1.0f;
  float near = log1pf(above + sqrtf(above * (above + 2.0f))), far = logf(x) + log_of_two;
  return x < 1.0f ? not_a_number : x < 0x1p14f ? near : far;
}
TLP_INLINE float atanh(float x) {
  float a = fabsf(x);
  return copysign(0.5f * log1pf(2.0f * a / (1.0f - a)), x);
}
TLP_VIA_FLOAT_1(asinh)
TLP_VIA_FLOAT_1(acosh)
TLP_VIA_FLOAT_1(atanh)

/// The arc tangent of a quotient of at most 1, moved to its octant.
TLP_INLINE float atan2(float y, float x) {
  if (x != x || y != y) return x + y;
  float across = fabsf(x), up = fabsf(y);
  bool steep = up > across, back = (bits_of(x) & 0x80000000u) != 0;
  float smaller = steep ? across : up, larger = steep ? up : across;
  float angle = atanf(larger == 0 ? 0.0f : smaller == larger ? 1.0f : smaller / larger);
  float from = steep ? half_pi : 2.0f * half_pi, rest = steep ? half_pi_rest : 2.0f * half_pi_rest;
  float moved = (steep == back ? from + angle : from - angle) + rest;
  return copysign(steep || back ? moved : angle, y);
}
TLP_VIA_FLOAT_2(atan2)

/// Squares of numbers near 1 neither overflow nor vanish.
TLP_INLINE float hypot(float x, float y) {
  float a = fabsf(x), b = fabsf(y);
  if (a == infinity || b == infinity) return infinity;
  float larger = a > b ? a : b;
  i32 scale = larger > 0x1p60f ? -70 : larger < 0x1p-60f ? 100 : 0;
  a = ldexp(a, scale);
  b = ldexp(b, scale);
  return ldexp(sqrtf(a * a + b * b), -scale);
}
TLP_VIA_FLOAT_2(hypot)

}  // namespace tlp
