#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor.h"

namespace tl {

/// What the host's compiler is given to run an artifact of an Ascend target in the simulator.
std::string ascend_host_text(const Artifact& artifact);
std::vector<std::string> ascend_host_flags();

/// Loads an artifact of an Ascend target whose binary is that text, compiled. Its `run` throws CompileError with what
/// the simulator finds wrong, at the user's lines. Where the environment variable TL_ASCEND_TIMELINE names a file, the
/// estimated timeline of the last launch is written to it, in the format of Chrome's and Perfetto's traces; warning 88
/// where that cannot be.
std::unique_ptr<Executor> make_ascend_executor(std::shared_ptr<const Artifact> artifact);

}  // namespace tl
