// What running kernels say: failed assertions and prints.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/artifact.h"
#include "runtime/executor.h"
#include "runtime/kernel_abi.h"

namespace tl {

/// Collects the messages of one call. Its context is what kernels get; every function may be called from any thread.
class KernelMessages {
 public:
  KernelMessages(const Artifact& artifact, const PrintSink& print);
  KernelMessages(const KernelMessages&) = delete;
  KernelMessages& operator=(const KernelMessages&) = delete;

  const tl_host_context* context() const { return &context_; }
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// An assertion of the host program does not hold: hands all printed text on and throws CompileError 110.
  [[noreturn]] void fail_on_host(int message);
  /// Hands all printed text on, then throws CompileError 110 if an assertion has failed: of those that did, the one of
  /// the first tile program. What the sink throws passes through.
  void finish();

 private:
  struct Failure {
    int message;
    tl_host_place place;
  };
  void fail(int message, const tl_host_place* place);
  void print(int message, const tl_host_place* place, int count, const tl_host_value* values);
  void flush();

  const Artifact& artifact_;
  const PrintSink& sink_;
  tl_host_context context_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Failure> first_;
  std::string text_;
  /// What the sink threw while the kernel ran.
  std::exception_ptr sink_error_;
};

/// "msg: BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): A[0]=1.5", a line for each value.
std::string print_text(const Message& message, const tl_host_place* place, int count, const tl_host_value* values);

}  // namespace tl
