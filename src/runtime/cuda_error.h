// Failures of the CUDA driver, as messages.
#pragma once

#include <string>

namespace tl {

struct CudaFailure {
  int error = 0;
  /// "CUDA_ERROR_INVALID_VALUE" and what the driver says about it.
  std::string name, text;
};

/// Throws CompileError 93: `what` says that this system has no driver or device for something. `help` empty: how to get
/// a driver, and what needs none.
[[noreturn]] void throw_no_cuda(std::string what, std::string reason, std::string help = {});

/// Throws CompileError 94: `what` ("cannot launch kernel f") failed. Says whether the process can go on, and what to
/// do.
[[noreturn]] void throw_cuda_failure(const CudaFailure& failure, const std::string& what, std::string note = {});

}  // namespace tl
