#pragma once

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/pass.h"

namespace tl {

/// A product of tiles in L1: its operands go through L0A and L0B in parts along K, which take the halves of L0 in turn,
/// by the iterations of `loop` where each has one part. `hoisted` receives the allocations.
Block lower_l1_gemm(const Gemm& gemm, const For* loop, Block& hoisted, const Facts& facts, PassContext& context);

/// A product of parts of tiles in L0, whose extents may be known only at run time: where it has elements.
Block lower_l0_gemm(OpPtr gemm, const Facts& facts);

}  // namespace tl
