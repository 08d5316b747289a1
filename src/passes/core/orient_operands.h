#pragma once

#include "passes/pass.h"

namespace tl {

/// Tiles in L0A and L0B lie as the cube unit reads them, A as (M, K) and B as (N, K), and tiles in L0A, L0B and L0C are
/// as high as products take them to be: the height says where the columns of fractals begin. Requires:
/// `align-core-rows`. Ensures: products of such tiles have transpose_a=false and transpose_b=true; copies to L0
/// transpose where that asks for it; a region whose tile is lower than its buffer has a view of that height.
void orient_operands(Function& function, PassContext& context);

}  // namespace tl
