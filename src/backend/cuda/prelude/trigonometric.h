// Functions of circles and hyperbolas.
//
// Accuracy in ulp of the result's type, as the CUDA programming guide documents CUDA's functions; at most 1 for f16 and
// bf16.
//
// | name                        | float   | double |
// |-----------------------------|---------|--------|
// | sin cos asin acos atan tanh | 2       | 2      |
// | tan atan2 acosh             | 0.51    | 2      |
// | sinh cosh asinh atanh       | 3       | 3      |
#pragma once
#include "function_forms.h"

namespace tlp {

TLP_FUNCTION_1(sin)
TLP_FUNCTION_1(cos)
TLP_FUNCTION_1(asin)
TLP_FUNCTION_1(acos)
TLP_FUNCTION_1(atan)
TLP_FUNCTION_1(sinh)
TLP_FUNCTION_1(cosh)
TLP_FUNCTION_1(tanh)
TLP_FUNCTION_1(asinh)
TLP_FUNCTION_1(atanh)
TLP_WIDE_FUNCTION_1(tan)
TLP_WIDE_FUNCTION_1(acosh)
TLP_WIDE_FUNCTION_2(atan2)

}  // namespace tlp
