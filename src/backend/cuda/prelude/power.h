// Powers and roots, and the error function.
//
// Accuracy in ulp of the result's type, as the CUDA programming guide documents CUDA's functions; at most 1 for f16 and
// bf16.
//
// | name      | float   | double |
// |-----------|---------|--------|
// | rsqrt     | 2       | 1      |
// | pow hypot | 0.51    | 2      |
// | erf       | 2       | 2      |
#pragma once
#include "function_forms.h"

namespace tlp {

TLP_FUNCTION_1(rsqrt)
TLP_FUNCTION_1(erf)
TLP_WIDE_FUNCTION_2(pow)
TLP_WIDE_FUNCTION_2(hypot)

}  // namespace tlp
