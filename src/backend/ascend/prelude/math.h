// Elementary functions of float32, as the machine has them; of 16-bit floats by way of it.
#pragma once
#include "types.h"

namespace tlp {

#define TLP_FLOAT_1(name, call)                   \
  TLP_INLINE float name(float x) { return call; } \
  TLP_VIA_FLOAT_1(name)
TLP_FLOAT_1(exp, expf(x))
TLP_FLOAT_1(exp2, exp2f(x))
TLP_FLOAT_1(exp10, exp10f(x))
TLP_FLOAT_1(log, logf(x))
TLP_FLOAT_1(log2, log2f(x))
TLP_FLOAT_1(log10, log10f(x))
TLP_FLOAT_1(log1p, log1pf(x))
TLP_FLOAT_1(sin, sinf(x))
TLP_FLOAT_1(cos, cosf(x))
TLP_FLOAT_1(tan, tanf(x))
TLP_FLOAT_1(asin, asinf(x))
TLP_FLOAT_1(acos, acosf(x))
TLP_FLOAT_1(atan, atanf(x))
TLP_FLOAT_1(sinh, sinhf(x))
TLP_FLOAT_1(cosh, coshf(x))
TLP_FLOAT_1(tanh, tanhf(x))
TLP_FLOAT_1(erf, erff(x))
TLP_FLOAT_1(rsqrt, rsqrtf(x))
TLP_FLOAT_1(sigmoid, 1.0f / (1.0f + expf(-x)))
TLP_INLINE float pow(float x, float y) { return powf(x, y); }
TLP_VIA_FLOAT_2(pow)

}  // namespace tlp
