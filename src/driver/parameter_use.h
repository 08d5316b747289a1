#pragma once

#include "ir/function.h"
#include "runtime/signature.h"

namespace tl {

/// Says of every parameter of `signature`, which is that of `function`, whether the function touches it
/// (ParamSpec::used) and whether it writes to it (ParamSpec::written). Where a function of the user's may touch memory
/// that is not named, all tensors count as used.
void mark_parameter_use(const Function& function, Signature& signature);

}  // namespace tl
