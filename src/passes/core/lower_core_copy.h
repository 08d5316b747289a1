#pragma once

#include <functional>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/pass.h"

namespace tl {

/// A copy between a tensor and the unified buffer as engines and threads make it: planes one after the other; by an
/// engine where the tile's part begins at a block of 32 bytes, and by threads where it does not. `threads` is asked for
/// the number of threads of a function that moves elements. Requires: regions inside of their buffers, and of one
/// dtype.
Block lower_unified_copy(OpPtr copy, const Facts& facts, const std::function<int64_t()>& threads);

/// A copy to or from a tile of fractals, behind an assertion that the tile's part begins with a fractal where that is
/// not known; nothing and an error where it is known not to. Requires: regions inside of their buffers.
Block lower_fractal_copy(OpPtr copy, const Facts& facts, PassContext& context);

}  // namespace tl
