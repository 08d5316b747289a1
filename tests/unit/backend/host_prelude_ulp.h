// Distance between computed floats and a double reference, in units in the last place of the reference.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tlp_test {

inline float float_from_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline std::uint32_t bits_from_float(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// Spacing of floats at the magnitude of `reference`; 2^-149 for subnormal results.
inline double float_spacing(double reference) {
  int exponent = 0;
  std::frexp(reference, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// |computed - reference| in float ulps; infinite when they differ in being NaN, in the sign of zero, or where exactly
/// one overflows although the reference is not at the edge of the range.
inline double float_ulps(float computed, double reference) {
  const double never = std::numeric_limits<double>::infinity();
  if (std::isnan(reference)) return std::isnan(computed) ? 0 : never;
  if (std::isnan(computed)) return never;
  if (std::signbit(computed) != std::signbit(reference)) return never;
  const double limit = std::ldexp(1.0, 128);
  double bounded = std::isinf(computed) ? std::copysign(limit, computed) : double(computed);
  double target = std::fabs(reference) > limit ? std::copysign(limit, reference) : reference;
  if (bounded == target) return 0;
  return std::fabs(bounded - target) / float_spacing(std::fabs(target) == limit ? 0.75 * limit : target);
}

/// Distance between sampled float bit patterns: a prime by default, 1 (all of them) when HOST_PRELUDE_STRIDE says so.
inline std::uint64_t sample_stride() {
  const char* text = std::getenv("HOST_PRELUDE_STRIDE");
  return text ? std::strtoull(text, nullptr, 10) : 4093;
}

}  // namespace tlp_test
