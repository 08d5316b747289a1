#pragma once

#include <vector>

#include "backend/cfamily/emitted_source.h"
#include "ir/function.h"

namespace tl {

/// What the body of a launch uses of the function around it, in the order of parameters, memory of the call, symbols,
/// then first use: the arguments of its kernel.
std::vector<Param> kernel_args(const Function& function, const Launch& launch);

/// The kernel of a launch that `before` launches of the function stand before: its symbol, threads and arguments.
EmittedKernel kernel_of(const Function& function, const Launch& launch, size_t before);

}  // namespace tl
