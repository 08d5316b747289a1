// Exponentials and logarithms.
//
// Accuracy in ulp of the result's type, as the CUDA programming guide documents CUDA's functions; at most 1 for f16 and
// bf16.
//
// | name                                | float   | double |
// |-------------------------------------|---------|--------|
// | exp exp2 exp10 log log2 log10 log1p | 1 .. 2  | 1      |
// | sigmoid                             | 4       | 4      |
#pragma once
#include "function_forms.h"

namespace tlp {

TLP_FUNCTION_1(exp)
TLP_FUNCTION_1(exp2)
TLP_FUNCTION_1(exp10)
TLP_FUNCTION_1(log)
TLP_FUNCTION_1(log2)
TLP_FUNCTION_1(log10)
TLP_FUNCTION_1(log1p)

/// The exponential of a negative number neither overflows nor loses a small result.
TLP_INLINE float sigmoid(float x) {
  float e = ::expf(-::fabsf(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}
TLP_INLINE double sigmoid(double x) {
  double e = ::exp(-::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
TLP_VIA_FLOAT_1(sigmoid)

}  // namespace tlp
