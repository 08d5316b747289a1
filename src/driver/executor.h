#pragma once

#include "runtime/executor.h"

namespace tl {

/// The executor of an artifact's target: the host's processor for "host", the interpreter for "interpret", a GPU
/// for "sm_*". The interpreter's `run` throws CompileError with everything that its checker has found.
/// `later` compiles what a GPU's artifact has left for later.
std::unique_ptr<Executor> make_executor(std::shared_ptr<const Artifact> artifact, CompileLater later = {});

}  // namespace tl
