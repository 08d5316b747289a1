// Products with powers of two, for float, double, f16, bf16; those of floats vectorise.
//
// | name        | meaning                                                   |
// |-------------|-----------------------------------------------------------|
// | ldexp(x, n) | x * 2^n for n of any integer type, correctly rounded      |
#pragma once
#include "types.h"

namespace tlp {

/// n, bounded in magnitude.
template <class N>
TLP_INLINE i32 bounded_exponent(N n, i32 bound) {
  using Wide = select_type<(sizeof(N) < 4), i32, N>;  // every N holds `bound`
  Wide wide = Wide(n);
  if constexpr (limits<Wide>::is_signed) wide = wide < Wide(-bound) ? Wide(-bound) : wide;
  return i32(wide > Wide(bound) ? Wide(bound) : wide);
}
/// A float times any power of two that matters to it (2^-300 .. 2^300) is exact in double.
template <class N>
TLP_INLINE float ldexp(float x, N n) {
  return float(double(x) * double_of(u64(u32(bounded_exponent(n, 300) + 1023)) << 52));
}
template <class N>
TLP_INLINE double ldexp(double x, N n) {
  return __builtin_ldexp(x, bounded_exponent(n, 5000));
}
template <class Format, class N>
TLP_INLINE half_float<Format> ldexp(half_float<Format> x, N n) {
  return half_float<Format>(ldexp(float(x), n));
}

}  // namespace tlp
