#pragma once

#include "runtime/executor.h"

namespace tl {

/// The executor of an artifact's target: the host's processor for "host", the interpreter for "interpret". Its `run`
/// throws CompileError with everything that the interpreter's checker has found.
std::unique_ptr<Executor> make_executor(std::shared_ptr<const Artifact> artifact);

}  // namespace tl
