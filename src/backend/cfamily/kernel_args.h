#pragma once

#include <vector>

#include "backend/cfamily/emitted_source.h"
#include "ir/function.h"

namespace tl {

/// What the body of a launch, of threads or of cores, uses of what is around it, in the order of parameters, memory of
/// the call, symbols, then first use: the arguments of its kernel.
std::vector<Param> kernel_args(const Function& function, const Op& launch);

/// The kernel of a launch that `before` launches of the function stand before: its symbol, threads and arguments.
EmittedKernel kernel_of(const Function& function, const Op& launch, size_t before);

}  // namespace tl
