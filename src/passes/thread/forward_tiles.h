#pragma once

#include "passes/pass.h"

namespace tl {

/// Hint of a launch whose loads and stores were brought together: its program is the user's only where no tensor that
/// is written shares memory with one that is read, but for tensors of one shape, strides and dtype at one address.
inline constexpr const char* kTensorsApartHint = "tensors_apart";

/// Makes one element-wise statement of a launch that is a chain of them: tiles between the first loads and the last
/// store disappear. Launches that do anything else, or need a tile twice, stay as they are.
/// Requires: `tiles-to-loops`; with loads of tensors beside the one that is written, `PassContext::tensors_apart`.
/// Ensures: every element is computed as before, in one parallel loop; launches that rely on tensors being apart carry
/// the hint "tensors_apart".
void forward_tiles(Function& function, PassContext& context);

/// Whether two tensors have one shape, strides and dtype, so that at one address their elements are the same memory
/// index by index.
bool same_elements(const BufferNode& a, const BufferNode& b);

}  // namespace tl
