#pragma once

#include "backend/host/host_emitter.h"
#include "driver/signature_of.h"
#include "runtime/host_program.h"

namespace tl {

/// The host's part of a function after outline-host-statements: its launches, loops, branches, names and assertions.
/// Adds slots to `signature` for its variables, and messages for its assertions.
HostProgram host_program_of(const Function& function, const std::vector<EmittedKernel>& kernels,
                            FunctionSignature& signature, std::vector<EmittedMessage>& messages);

}  // namespace tl
