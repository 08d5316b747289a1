// Logarithms, for float, double, f16, bf16.
//
// | name        | float accuracy (without FMA) | special values                                                    |
// |-------------|------------------------------|-------------------------------------------------------------------|
// | log(x)      | <= 1 ulp                     | 0 gives -inf, negative gives NaN, inf gives inf; subnormals right |
// | log2(x)     | <= 1.3 ulp (1.8)             | exact for powers of two                                           |
// | log10(x)    | <= 1 ulp (1.8)               |                                                                   |
// | log1p(x)    | <= 0.51 ulp                  | log(1 + x): -1 gives -inf, below NaN                              |
//
// The float forms are branch-free and vectorise. Method: x = 2^e m with m in [sqrt(1/2), sqrt(2)), f = m - 1, minimax
// polynomials of log(1 + f) relative to its value (minimax.py: log, log2, log10; error < 6e-9); constants in two parts,
// after Cody and Waite. log1p goes through log_wide, a double logarithm by atanh(f / (2 + f)). The double forms are
// library calls.
#pragma once
#include "polynomial.h"
#include "types.h"

namespace tlp {

struct log_parts {
  float f, exponent;
};
TLP_INLINE log_parts split_for_log(float x) {
  bool tiny = x < 0x1p-126f;
  u32 u = bits_of(tiny ? x * 0x1p23f : x) - 0x3f3504f3u;  // relative to sqrt(1/2)
  i32 exponent = (i32(u) >> 23) - (tiny ? 23 : 0);
  return {float_of((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f, float(exponent)};
}
TLP_INLINE float finish_log(float x, float value) {
  value = x < __builtin_inff() ? value : x;  // inf and NaN
  float outside = x == 0 ? -__builtin_inff() : __builtin_nanf("");
  return x > 0 ? value : outside;
}

TLP_INLINE float log(float x) {
  log_parts p = split_for_log(x);
  float square = p.f * p.f;
  float tail = horner(p.f, 0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a01ep-3f, -0x1.54729p-3f, 0x1.22d902p-3f,
                      -0x1.0d81c4p-3f, 0x1.055fa4p-3f, -0x1.38ceacp-4f);
  float value = madd(square * p.f, tail, p.exponent * 0x1.7f7d1cp-20f);
  value = madd(-0.5f, square, value) + p.f;
  return finish_log(x, madd(p.exponent, 0x1.62e4p-1f, value));
}

TLP_INLINE float log2(float x) {
  log_parts p = split_for_log(x);
  float tail = horner(p.f, -0x1.71547p-1f, 0x1.ec7092p-2f, -0x1.715af6p-2f, 0x1.277fc8p-2f, -0x1.eaa56ep-3f,
                      0x1.a2b6cep-3f, -0x1.87c526p-3f, 0x1.7f9178p-3f, -0x1.c5b19p-4f);
  float value = madd(p.f, 0x1.4ae0cp-26f, p.f * p.f * tail);
  return finish_log(x, madd(p.f, 0x1.715476p+0f, value) + p.exponent);
}

TLP_INLINE float log10(float x) {
  log_parts p = split_for_log(x);
  float tail = horner(p.f, -0x1.bcb7aap-3f, 0x1.287a7p-3f, -0x1.bcbf3cp-4f, 0x1.63d062p-4f, -0x1.276d8ep-4f,
                      0x1.f850aep-5f, -0x1.d752bap-5f, 0x1.cccd8cp-5f, -0x1.10f3b8p-5f);
  float value = madd(p.f, -0x1.5b235ep-27f, p.f * p.f * tail);
  value = madd(p.exponent, 0x1.3509f8p-18f, value);
  value = madd(p.f, 0x1.bcb7b2p-2f, value);
  return finish_log(x, madd(p.exponent, 0x1.344p-2f, value));
}

/// Natural logarithm of a positive normal finite double; relative error < 1e-15 away from 1, absolute < 1e-16 near it.
TLP_INLINE double log_wide(double x) {
  constexpr u64 root_half = 0x3fe6a09e667f3bcdull;
  u64 u = bits_of(x) - root_half;
  i32 exponent = i32(u32(u >> 32)) >> 20;
  double f = double_of((u & 0xfffffffffffffull) + root_half) - 1.0;
  double s = f / (2.0 + f), square = s * s;
  double tail = horner(square, 0x1.5555555553988p-2, 0x1.999999a28b27bp-3, 0x1.2492417cb96fdp-3, 0x1.c722757494203p-4,
                       0x1.732c7559c4feap-4, 0x1.5873fe3436c63p-4);
  double twice = s + s;
  return madd(double(exponent), 0x1.62e42fefa39efp-1, madd(twice * square, tail, twice));
}

TLP_INLINE float log1p(float x) {
  double d = x;
  double value = log_wide(1.0 + d);
  value = __builtin_fabs(d) < 0x1p-20 ? madd(-0.5 * d, d, d) : value;
  float result = x < __builtin_inff() ? float(value) : x;
  float outside = x == -1.0f ? -__builtin_inff() : __builtin_nanf("");
  return x > -1.0f ? result : outside;
}

TLP_INLINE double log(double x) { return __builtin_log(x); }
TLP_INLINE double log2(double x) { return __builtin_log2(x); }
TLP_INLINE double log10(double x) { return __builtin_log10(x); }
TLP_INLINE double log1p(double x) { return __builtin_log1p(x); }

TLP_VIA_FLOAT_1(log)
TLP_VIA_FLOAT_1(log2)
TLP_VIA_FLOAT_1(log10)
TLP_VIA_FLOAT_1(log1p)

}  // namespace tlp
