#pragma once

#include "passes/pass.h"

namespace tl {

/// States, before the first statement, what the context says about the sizes of calls: this lowering is taken for calls
/// alone that satisfy it.
/// Ensures: nothing but assumptions is added; a size that they give a value to is that value.
void state_assumptions(Function& function, PassContext& context);

}  // namespace tl
