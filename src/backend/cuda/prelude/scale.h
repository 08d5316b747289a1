// Products with powers of two, for float, double, f16, bf16.
//
// | name        | meaning                    |
// |-------------|----------------------------|
// | ldexp(x, n) | x * 2^n, correctly rounded |
#pragma once
#include "types.h"

namespace tlp {

TLP_INLINE float ldexp(float x, i32 n) { return ::ldexpf(x, n); }
TLP_INLINE double ldexp(double x, i32 n) { return ::ldexp(x, n); }
template <class Format>
TLP_INLINE half_float<Format> ldexp(half_float<Format> x, i32 n) {
  return half_float<Format>(::ldexpf(float(x), n));
}

}  // namespace tlp
