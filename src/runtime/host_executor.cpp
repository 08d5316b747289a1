#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <new>

#include "runtime/executor.h"
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

/// One call of one host program.
class HostRun {
 public:
  HostRun(const Artifact& artifact, std::deque<LoadedKernel>& kernels, const BoundCall& call, KernelMessages& messages)
      : artifact_(artifact), kernels_(kernels), words_(call.words), slots_(call.slots), messages_(messages) {}

  void run() {
    for (const Variant& variant : artifact_.variants) {
      if (variant.predicate.evaluate(slots_) == 0) continue;
      run(variant.program);
      return;
    }
    internal_error(__FILE__, __LINE__, "variant", "no variant applies to the call of " + artifact_.name);
  }

 private:
  void run(const HostProgram& program) {
    for (const IntProgram& bytes : program.workspaces) {
      workspaces_.push_back(std::make_unique<Workspace>(bytes.evaluate(slots_)));
    }
    run(program.steps);
  }
  void run(const HostSteps& steps) {
    for (const HostStep& step : steps) {
      if (messages_.failed()) return;
      std::visit([this](const auto& s) { run(s); }, step.node());
    }
  }
  void run(const LetStep& step) { slots_[step.slot] = step.value.evaluate(slots_); }
  void run(const LoopStep& step) {
    const int64_t begin = step.begin.evaluate(slots_), end = step.end.evaluate(slots_), by = step.step.evaluate(slots_);
    for (int64_t i = begin; by > 0 ? i < end : by < 0 && i > end; i += by) {
      slots_[step.slot] = i;
      run(step.body);
    }
  }
  void run(const IfStep& step) { run(step.condition.evaluate(slots_) != 0 ? step.then_steps : step.else_steps); }
  void run(const AssertStep& step) {
    if (step.condition.evaluate(slots_) == 0) messages_.fail_on_host(step.message);
  }
  void run(const LaunchStep& step) {
    int64_t grid[3], total = 1;
    for (int i = 0; i < 3; ++i) {
      grid[i] = step.grid[i].evaluate(slots_);
      if (grid[i] <= 0) return;
      if (__builtin_mul_overflow(total, grid[i], &total)) throw_too_large(step);
    }
    args_.clear();
    for (const KernelArg& arg : step.args) args_.push_back(word(arg));
    LoadedKernel& kernel = kernels_[step.kernel];
    const auto run_programs = [&](int64_t first, int64_t last) {
      if (!messages_.failed()) kernel.function(args_.data(), grid, first, last, messages_.context());
    };
    parallel_for(total, run_programs, kernel.pace);
  }

  [[noreturn]] void throw_too_large(const LaunchStep& step) const {
    Diagnostic diagnostic;
    diagnostic.code = 71;
    diagnostic.message =
        fmt::format("grid of {} has more than 2^63 programs: ({}, {}, {})", artifact_.kernels[step.kernel].symbol,
                    step.grid[0].evaluate(slots_), step.grid[1].evaluate(slots_), step.grid[2].evaluate(slots_));
    throw CompileError(std::move(diagnostic));
  }

  uint64_t word(const KernelArg& arg) const {
    switch (arg.kind) {
      case KernelArg::Kind::kParam:
        return words_[arg.index];
      case KernelArg::Kind::kSlot:
        return static_cast<uint64_t>(slots_[arg.index]);
      case KernelArg::Kind::kWorkspace:
        break;
    }
    return workspaces_[arg.index]->address();
  }

  const Artifact& artifact_;
  std::deque<LoadedKernel>& kernels_;
  const std::vector<uint64_t>& words_;
  std::vector<int64_t> slots_;
  KernelMessages& messages_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  std::vector<uint64_t> args_;
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

  void run(const BoundCall& call, const PrintSink& print, const Poll&) override {
    KernelMessages messages(*artifact_, print);
    HostRun(*artifact_, kernels_, call, messages).run();
    messages.finish();
  }

 private:
  std::shared_ptr<const Artifact> artifact_;
  SharedObject library_;
  /// A deque: its elements stay where they are.
  std::deque<LoadedKernel> kernels_;
};

}  // namespace

std::unique_ptr<Executor> make_host_executor(std::shared_ptr<const Artifact> artifact) {
  return std::make_unique<HostExecutor>(std::move(artifact));
}

}  // namespace tl
