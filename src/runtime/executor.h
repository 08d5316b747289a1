// Runs artifacts on bound arguments.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "runtime/arguments.h"
#include "runtime/artifact.h"

namespace tl {

/// Takes what kernels print, whole lines at a time. May be called from any thread.
using PrintSink = std::function<void(std::string_view text)>;
using Poll = std::function<void()>;

/// A loaded artifact. `run` may be called from several threads at once.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Returns when the call is complete. Throws CompileError 110, with the user's line, when an assertion fails.
  /// `poll` is called now and then by executors that work in steps; what it throws ends the call.
  virtual void run(const BoundCall& call, const PrintSink& print, const Poll& poll = {}) = 0;
};

/// Loads an artifact of the host target. Throws InternalError when its binary cannot be loaded or lacks a kernel.
std::unique_ptr<Executor> make_host_executor(std::shared_ptr<const Artifact> artifact);

}  // namespace tl
