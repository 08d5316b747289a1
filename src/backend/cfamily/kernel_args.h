#pragma once

#include <vector>

#include "ir/function.h"

namespace tl {

/// What the body of a launch uses of the function around it, in the order of parameters, memory of the call, symbols,
/// then first use: the arguments of its kernel.
std::vector<Param> kernel_args(const Function& function, const Launch& launch);

}  // namespace tl
