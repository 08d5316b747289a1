#pragma once

#include "passes/pass.h"

namespace tl {

/// Turns tile operations into loops over elements, for one thread that does the whole tile. Requires regions inside
/// their buffers (clip-copies). Ensures: no tile.copy, tile.fill or tile.relayout is left; a tile.reduce that is left
/// reduces one contiguous row into one element; a tile.gemm that is left has operands whose last stride is 1 and types
/// the prelude multiplies. Loops whose iterations are independent say so ("independent").
void lower_tiles(Function& function, PassContext& context);

}  // namespace tl
