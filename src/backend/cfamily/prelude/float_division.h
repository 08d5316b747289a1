// Division of floats by the integer operators, for float, double, f16, bf16 (the integer forms are in integer.h).
//
// | name            | meaning                                                                       |
// |-----------------|-------------------------------------------------------------------------------|
// | floor_div(x, y) | floor of the exact quotient, as Python and NumPy have it; x / y where y is 0  |
// | floor_mod(x, y) | the remainder with the divisor's sign; NaN where y is 0                       |
// | trunc_div(x, y) | trunc(x / y)                                                                  |
// | trunc_mod(x, y) | fmod(x, y): exact, with the dividend's sign                                   |
//
// The quotient is made from the exact remainder and snapped to an integer, as CPython's float_divmod does. On the
// host all but trunc_div call the library and do not vectorise.
#pragma once
#include "round.h"

namespace tlp {

TLP_INLINE float trunc_mod(float x, float y) { return fmod(x, y); }
TLP_INLINE double trunc_mod(double x, double y) { return fmod(x, y); }
TLP_INLINE float trunc_div(float x, float y) { return trunc(x / y); }
TLP_INLINE double trunc_div(double x, double y) { return trunc(x / y); }

/// A remainder with the divisor's sign, and whether it had to be moved by one divisor.
template <class T>
struct floored_remainder {
  T value;
  bool moved;
};
template <class T>
TLP_INLINE floored_remainder<T> floor_remainder(T x, T y) {
  T remainder = trunc_mod(x, y);
  if (remainder == 0) return {copysign(T(0), y), false};
  bool moved = (y < 0) != (remainder < 0);
  return {moved ? remainder + y : remainder, moved};
}
template <class T>
TLP_INLINE T float_floor_div(T x, T y) {
  if (y == 0) return x / y;
  T quotient = (x - trunc_mod(x, y)) / y - (floor_remainder(x, y).moved ? T(1) : T(0));
  if (quotient == 0) return copysign(T(0), x / y);
  T below = floor(quotient);
  return quotient - below > T(0.5) ? below + 1 : below;
}
template <class T>
TLP_INLINE T float_floor_mod(T x, T y) {
  return y == 0 ? T(not_a_number) : floor_remainder(x, y).value;
}

TLP_INLINE float floor_div(float x, float y) { return float_floor_div(x, y); }
TLP_INLINE double floor_div(double x, double y) { return float_floor_div(x, y); }
TLP_INLINE float floor_mod(float x, float y) { return float_floor_mod(x, y); }
TLP_INLINE double floor_mod(double x, double y) { return float_floor_mod(x, y); }

TLP_VIA_FLOAT_2(floor_div)
TLP_VIA_FLOAT_2(floor_mod)
TLP_VIA_FLOAT_2(trunc_div)
TLP_VIA_FLOAT_2(trunc_mod)

}  // namespace tlp
