#pragma once

#include "passes/pass.h"

namespace tl {

/// Makes one element-wise statement of a launch that is a chain of them: tiles between the first loads and the last
/// store disappear. Launches that do anything else, or need a tile twice, stay as they are.
/// Requires: `tiles-to-loops`; with loads of tensors beside the one that is written, `PassContext::tensors_apart`.
/// Ensures: every element is computed as before, in one parallel loop; launches that rely on tensors being apart carry
/// the hint "tensors_apart".
void forward_tiles(Function& function, PassContext& context);

}  // namespace tl
