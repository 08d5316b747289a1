#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <new>

#include "runtime/executor.h"
#include "runtime/host_program_run.h"
#include "runtime/kernel_messages.h"
#include "runtime/shared_object.h"
#include "runtime/thread_pool.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

/// Memory that lives for one call.
class Workspace {
 public:
  static constexpr std::align_val_t kAlignment{256};
  explicit Workspace(int64_t bytes)
      : data_(::operator new(static_cast<size_t>(std::max<int64_t>(bytes, 1)), kAlignment)) {}
  ~Workspace() { ::operator delete(data_, kAlignment); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

 private:
  void* data_;
};

struct LoadedKernel {
  tl_host_kernel function;
  Pace pace{0};
};

/// The host's processor during one call.
class HostMachine {
 public:
  HostMachine(const Artifact& artifact, std::deque<LoadedKernel>& kernels, KernelMessages& messages)
      : artifact_(artifact), kernels_(kernels), messages_(messages) {}

  void launch(const LaunchStep& step, const int64_t (&grid)[3], std::span<uint64_t> args) {
    int64_t total = 1;
    for (const int64_t extent : grid) {
      if (__builtin_mul_overflow(total, extent, &total)) {
        throw_grid_too_large(artifact_, step, grid, "has more than 2^63 programs");
      }
    }
    LoadedKernel& kernel = kernels_[step.kernel];
    const auto run_programs = [&](int64_t first, int64_t last) {
      if (!messages_.failed()) kernel.function(args.data(), grid, first, last, messages_.context());
    };
    parallel_for(total, run_programs, kernel.pace);
  }
  uint64_t workspace(int64_t bytes) { return workspaces_.emplace_back(std::make_unique<Workspace>(bytes))->address(); }
  uint64_t grid_state() { internal_error(__FILE__, __LINE__, "kind", "programs that meet, on the host"); }
  void fail(int message) { messages_.fail_on_host(message); }
  bool stopped() const { return messages_.failed(); }

 private:
  const Artifact& artifact_;
  std::deque<LoadedKernel>& kernels_;
  KernelMessages& messages_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

class HostExecutor : public Executor {
 public:
  explicit HostExecutor(std::shared_ptr<const Artifact> artifact)
      : artifact_(std::move(artifact)), library_(artifact_->name, artifact_->binary) {
    artifact_->verify();
    for (const KernelInfo& kernel : artifact_->kernels) {
      void* found = library_.find(kernel.symbol);
      TL_CHECK(found != nullptr, "the compiled code lacks " + kernel.symbol);
      kernels_.emplace_back().function = reinterpret_cast<tl_host_kernel>(found);
    }
  }

  void run(const BoundCall& call, const PrintSink& print, const Poll&, const WarningSink&) override {
    KernelMessages messages(*artifact_, print);
    HostMachine machine(*artifact_, kernels_, messages);
    HostProgramRun(*artifact_, call, machine).run();
    messages.finish();
  }

 private:
  std::shared_ptr<const Artifact> artifact_;
  SharedObject library_;
  /// A deque: its elements stay where they are.
  std::deque<LoadedKernel> kernels_;
};

}  // namespace

void throw_grid_too_large(const Artifact& artifact, const LaunchStep& step, const int64_t (&grid)[3], const char* limit,
                          const char* help) {
  Diagnostic diagnostic;
  diagnostic.code = 91;
  diagnostic.loc = artifact.kernels[step.kernel].loc;
  diagnostic.help = help;
  diagnostic.message = fmt::format("grid of {} {}: ({}, {}, {})", artifact.kernels[step.kernel].symbol, limit, grid[0],
                                   grid[1], grid[2]);
  throw CompileError(std::move(diagnostic));
}

std::unique_ptr<Executor> make_host_executor(std::shared_ptr<const Artifact> artifact) {
  return std::make_unique<HostExecutor>(std::move(artifact));
}

}  // namespace tl
