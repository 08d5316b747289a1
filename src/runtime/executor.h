// Runs artifacts on bound arguments.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "runtime/arguments.h"
#include "runtime/artifact.h"
#include "support/diagnostic.h"

namespace tl {

/// Takes what kernels print, whole lines at a time. May be called from any thread.
using PrintSink = std::function<void(std::string_view text)>;
using Poll = std::function<void()>;
/// Takes what a call does without: nothing that its results depend on.
using WarningSink = std::function<void(const Diagnostic&)>;

/// A loaded artifact. `run` may be called from several threads at once.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Returns when the call is complete; on a GPU, when its launches stand in the call's stream. Throws CompileError
  /// 110, with the user's line, when an assertion fails. `poll` is called now and then by executors that work in steps;
  /// what it throws ends the call. Without `warn` warnings are dropped.
  virtual void run(const BoundCall& call, const PrintSink& print, const Poll& poll = {},
                   const WarningSink& warn = {}) = 0;
};

/// Loads an artifact of the host target. Throws InternalError when its binary cannot be loaded or lacks a kernel.
std::unique_ptr<Executor> make_host_executor(std::shared_ptr<const Artifact> artifact);

class CudaDriver;

/// The binary of a text that the artifact has without one (KernelInfo::code), compiled now. May be called from several
/// threads at once; throws what the compiler throws.
using CompileLater = std::function<std::string(int code)>;

/// Loads an artifact of a CUDA target. Nothing of the driver is needed before the first `run`: it loads the code of the
/// variant that it takes on the device of the call, once a device. `driver` null: the system's. Its `run` throws
/// CompileError 93 without a driver or device, 94 when a call of the driver fails, 91 for a grid beyond the device's
/// limits and for more shared memory than the device has. Code that was loaded stays loaded: a captured graph may
/// launch it at any time. Without `later`, a text without a binary is an InternalError.
std::unique_ptr<Executor> make_cuda_executor(std::shared_ptr<const Artifact> artifact, CompileLater later = {},
                                             const CudaDriver* driver = nullptr);

}  // namespace tl
