// Sine, cosine, tangent, for float, double, f16, bf16.
//
// | name           | float accuracy | special values                                         |
// |----------------|----------------|--------------------------------------------------------|
// | sin(x), cos(x) | <= 1.5 ulp     | any finite x is reduced exactly; +-inf gives NaN       |
// | tan(x)         | <= 0.51 ulp    | as above                                               |
//
// The float forms are branch-free, right for every float, and vectorise (a gather per element). Reduction after M.
// Payne and R. Hanek ("Radian reduction for trigonometric functions", SIGNUM 1983): only the bits of 2/pi that matter
// modulo 4 for x's exponent are multiplied, from a table (minimax.py: two_over_pi) of 29 bits, whose product with the
// 24-bit x is exact in double, and 53 more; the error, 2^-56 of a quadrant, is far below the closest that a float comes
// to a multiple of pi/2. Minimax polynomials (minimax.py: sin, cos, tan) finish. The double forms are library calls.
#pragma once
#include "polynomial.h"
#include "types.h"

namespace tlp {

// Element k: 2/pi modulo 2^(1-k), for floats of exponent k + 24 (element 0 also for smaller ones), in two parts.
static constexpr double kTwoOverPiHigh[104] = {
    0x1.45f306cp-1,   0x1.45f306dp-1,   0x1.17cc1b6p-3,  0x1.17cc1b7p-3,  0x1.7cc1b7p-7,   0x1.7cc1b7p-7,
    0x1.7cc1b72p-7,   0x1.7cc1b72p-7,   0x1.f306dc8p-9,  0x1.f306dc9p-9,  0x1.e60db93p-10, 0x1.cc1b727p-11,
    0x1.9836e4ep-12,  0x1.306dc9cp-13,  0x1.836e4e4p-16, 0x1.836e4e4p-16, 0x1.836e4e4p-16, 0x1.06dc9c8p-17,
    0x1.b72722p-23,   0x1.b72722p-23,   0x1.b72722p-23,  0x1.b72722p-23,  0x1.b72722p-23,  0x1.b72722p-23,
    0x1.6e4e441p-24,  0x1.b939104p-26,  0x1.b939105p-26, 0x1.727220ap-27, 0x1.c9c882ap-29, 0x1.c9c882ap-29,
    0x1.9391054p-30,  0x1.27220a9p-31,  0x1.3910548p-34, 0x1.391054ap-34, 0x1.391054ap-34, 0x1.c882a5p-37,
    0x1.c882a52p-37,  0x1.c882a53p-37,  0x1.91054a7p-38, 0x1.220a94fp-39, 0x1.1054a7cp-42, 0x1.1054a7ep-42,
    0x1.1054a7fp-42,  0x1.054a7fp-46,   0x1.054a7fp-46,  0x1.054a7fp-46,  0x1.054a7fp-46,  0x1.529fc2p-52,
    0x1.529fc2p-52,   0x1.529fc2p-52,   0x1.529fc24p-52, 0x1.529fc26p-52, 0x1.529fc27p-52, 0x1.4a7f09cp-54,
    0x1.4a7f09dp-54,  0x1.29fc274p-56,  0x1.29fc275p-56, 0x1.4fe13a8p-59, 0x1.4fe13aap-59, 0x1.4fe13abp-59,
    0x1.3f84eaep-61,  0x1.3f84eafp-61,  0x1.fc2757cp-64, 0x1.fc2757cp-64, 0x1.fc2757dp-64, 0x1.f84eafap-65,
    0x1.f09d5f4p-66,  0x1.e13abe8p-67,  0x1.c2757d1p-68, 0x1.84eafa3p-69, 0x1.09d5f47p-70, 0x1.3abe8fp-75,
    0x1.3abe8f8p-75,  0x1.3abe8f8p-75,  0x1.3abe8fap-75, 0x1.3abe8fap-75, 0x1.d5f47d4p-78, 0x1.d5f47d4p-78,
    0x1.d5f47d4p-78,  0x1.abe8fa9p-79,  0x1.57d1f53p-80, 0x1.5f47d4cp-82, 0x1.5f47d4dp-82, 0x1.7d1f534p-84,
    0x1.7d1f534p-84,  0x1.f47d4d2p-86,  0x1.f47d4d3p-86, 0x1.e8fa9a6p-87, 0x1.d1f534dp-88, 0x1.a3ea69bp-89,
    0x1.47d4d37p-90,  0x1.1f534dcp-92,  0x1.1f534ddp-92, 0x1.f534dd8p-96, 0x1.f534ddcp-96, 0x1.f534ddcp-96,
    0x1.f534ddcp-96,  0x1.ea69bb8p-97,  0x1.d4d377p-98,  0x1.a9a6eep-99,  0x1.534ddcp-100, 0x1.4d37702p-102,
    0x1.4d37703p-102, 0x1.34ddc0cp-104,
};
static constexpr double kTwoOverPiLow[104] = {
    0x1.c9c882a53f84fp-29,  0x1.9391054a7f09dp-30,  0x1.27220a94fe13bp-31,  0x1.391054a7f09d6p-34,
    0x1.391054a7f09d6p-34,  0x1.391054a7f09d6p-34,  0x1.c882a53f84ebp-37,   0x1.c882a53f84ebp-37,
    0x1.c882a53f84ebp-37,   0x1.91054a7f09d5fp-38,  0x1.220a94fe13abfp-39,  0x1.1054a7f09d5f4p-42,
    0x1.1054a7f09d5f4p-42,  0x1.1054a7f09d5f4p-42,  0x1.054a7f09d5f48p-46,  0x1.054a7f09d5f48p-46,
    0x1.054a7f09d5f48p-46,  0x1.054a7f09d5f48p-46,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,
    0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,
    0x1.4a7f09d5f47d5p-54,  0x1.4a7f09d5f47d5p-54,  0x1.29fc2757d1f53p-56,  0x1.29fc2757d1f53p-56,
    0x1.4fe13abe8fa9ap-59,  0x1.4fe13abe8fa9ap-59,  0x1.4fe13abe8fa9ap-59,  0x1.3f84eafa3ea6ap-61,
    0x1.3f84eafa3ea6ap-61,  0x1.fc2757d1f534ep-64,  0x1.fc2757d1f534ep-64,  0x1.fc2757d1f534ep-64,
    0x1.f84eafa3ea69cp-65,  0x1.f09d5f47d4d37p-66,  0x1.e13abe8fa9a6fp-67,  0x1.c2757d1f534dep-68,
    0x1.84eafa3ea69bcp-69,  0x1.09d5f47d4d377p-70,  0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,
    0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,   0x1.d5f47d4d37703p-78,
    0x1.d5f47d4d37703p-78,  0x1.d5f47d4d37703p-78,  0x1.abe8fa9a6ee07p-79,  0x1.57d1f534ddc0ep-80,
    0x1.5f47d4d377037p-82,  0x1.5f47d4d377037p-82,  0x1.7d1f534ddc0dbp-84,  0x1.7d1f534ddc0dbp-84,
    0x1.f47d4d377036ep-86,  0x1.f47d4d377036ep-86,  0x1.e8fa9a6ee06dbp-87,  0x1.d1f534ddc0db6p-88,
    0x1.a3ea69bb81b6cp-89,  0x1.47d4d377036d9p-90,  0x1.1f534ddc0db63p-92,  0x1.1f534ddc0db63p-92,
    0x1.f534ddc0db629p-96,  0x1.f534ddc0db629p-96,  0x1.f534ddc0db629p-96,  0x1.f534ddc0db629p-96,
    0x1.ea69bb81b6c53p-97,  0x1.d4d377036d8a5p-98,  0x1.a9a6ee06db14bp-99,  0x1.534ddc0db6296p-100,
    0x1.4d377036d8a56p-102, 0x1.4d377036d8a56p-102, 0x1.34ddc0db6295ap-104, 0x1.34ddc0db6295ap-104,
    0x1.a6ee06db14acdp-107, 0x1.a6ee06db14acdp-107, 0x1.a6ee06db14acdp-107, 0x1.4ddc0db629599p-108,
    0x1.377036d8a5665p-110, 0x1.377036d8a5665p-110, 0x1.bb81b6c52b328p-113, 0x1.bb81b6c52b328p-113,
    0x1.bb81b6c52b328p-113, 0x1.77036d8a5664fp-114, 0x1.dc0db6295993cp-116, 0x1.dc0db6295993cp-116,
    0x1.b81b6c52b3279p-117, 0x1.7036d8a5664f1p-118, 0x1.c0db6295993c4p-120, 0x1.c0db6295993c4p-120,
    0x1.81b6c52b32788p-121, 0x1.036d8a5664f11p-122, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129,
    0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129,
    0x1.b6c52b3278872p-129, 0x1.6d8a5664f10e4p-130, 0x1.b6295993c439p-132,  0x1.b6295993c439p-132,
};

/// x = (quadrant + 4 n) pi/2 + angle, |angle| <= pi/4 up to rounding.
struct quadrant_angle {
  double angle;
  u32 quadrant;
};
TLP_INLINE quadrant_angle reduce_angle(float x) {
  i32 row = i32(bits_of(x) >> 23 & 0xff) - 151;
  row = row < 0 ? 0 : row;
  row = row > 103 ? 103 : row;
  double d = x, product = d * kTwoOverPiHigh[row];
  double shifted = madd(d, kTwoOverPiLow[row], product) + 0x1.8p52;  // rounds to an integer, held in the low bits
  double fraction = madd(d, kTwoOverPiLow[row], product - (shifted - 0x1.8p52));
  return {fraction * 0x1.921fb54442d18p+0, u32(bits_of(shifted))};
}

TLP_INLINE float sin_of_quadrant(float r, u32 quadrant) {
  float square = r * r;
  float sine = madd(r * square, horner(square, -0x1.555556p-3f, 0x1.111174p-7f, -0x1.a0597ap-13f, 0x1.7c3fa6p-19f), r);
  float cosine = horner(square, 1.0f, -0.5f, 0x1.55554ap-5f, -0x1.6c0c2ap-10f, 0x1.99e918p-16f);
  float value = quadrant & 1 ? cosine : sine;
  return float_of(bits_of(value) ^ (quadrant & 2) << 30);
}

TLP_INLINE float sin(float x) {
  quadrant_angle q = reduce_angle(x);
  float value = sin_of_quadrant(float(q.angle), q.quadrant);
  return x == 0 ? x : value;  // keeps -0
}
TLP_INLINE float cos(float x) {
  quadrant_angle q = reduce_angle(x);
  return sin_of_quadrant(float(q.angle), q.quadrant + 1);
}
TLP_INLINE float tan(float x) {
  quadrant_angle q = reduce_angle(x);
  double square = q.angle * q.angle;
  double tail = horner(square, 0x1.5555555364519p-2, 0x1.11111240a44ecp-3, 0x1.ba1b21db9d2f8p-5, 0x1.665c8c77012bap-6,
                       0x1.21a52650b7129p-7, 0x1.e569a8ace8dcbp-9, 0x1.284f447c49a9ap-10, 0x1.36af7b34a4d87p-10,
                       -0x1.a7370be27420dp-12, 0x1.d06556c1ef289p-12);
  double tangent = madd(q.angle * square, tail, q.angle);
  return float(q.quadrant & 1 ? -1.0 / tangent : tangent);
}

TLP_INLINE double sin(double x) { return __builtin_sin(x); }
TLP_INLINE double cos(double x) { return __builtin_cos(x); }
TLP_INLINE double tan(double x) { return __builtin_tan(x); }

TLP_VIA_FLOAT_1(sin)
TLP_VIA_FLOAT_1(cos)
TLP_VIA_FLOAT_1(tan)

}  // namespace tlp
