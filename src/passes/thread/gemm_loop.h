#pragma once

#include "analysis/facts.h"
#include "passes/thread/point_code.h"
#include "passes/thread/vector_access.h"

namespace tl {

/// The products of `inner_steps` steps of the inner dimension, added to the registers `sums`, which are laid out as
/// `code`'s points. For each group of steps, the thread's rows of A and columns of B are moved to registers, as vectors
/// where they can be, and multiplied there. Precondition: the layout's digits are split, A and B are in memory.
OpPtr gemm_loop(const Gemm& gemm, const PointCode& code, const Buffer& sums, int64_t inner_steps, const Facts& facts,
                const AccessRules& rules);

}  // namespace tl
