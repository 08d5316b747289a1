// Reductions by IEEE 754-2019 maximum and minimum: NaN wins, -0 < +0.
#pragma once
#include "minmax.h"
#include "reduce.h"

namespace tlp {

TLP_REDUCTION(max_of, tlp::max(a, b))
TLP_REDUCTION(min_of, tlp::min(a, b))
TLP_REDUCTION(absmax_of, tlp::max(a, b))

}  // namespace tlp
