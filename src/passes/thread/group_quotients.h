#pragma once

#include "passes/pass.h"

namespace tl {

/// Gives float32 quotients by one divisor, as a thread computes them for the registers of a tile, a loop of their own.
/// Requires: `lower-threads`, which says what loops are unrolled and independent. Ensures: values stay the same; loops
/// with `kCommonDivisorHint` have the form that it says.
void group_quotients(Function& function, PassContext& context);

}  // namespace tl
