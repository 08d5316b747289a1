#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "runtime/cuda_module.h"
#include "runtime/executor.h"
#include "runtime/host_program_run.h"
#include "runtime/kernel_messages.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same on every device.
constexpr int64_t kMaxGrid[3] = {(int64_t{1} << 31) - 1, 65535, 65535};

/// One device during one call: launches go into the call's stream, and so does memory.
class CudaMachine {
 public:
  CudaMachine(const CudaDriver& driver, const Artifact& artifact, CudaModule& module, const BoundCall& call,
              const PrintSink& print)
      : driver_(driver),
        artifact_(artifact),
        module_(module),
        stream_(call.stream),
        memory_(call.memory),
        print_(print) {}
  /// The stream uses the memory before it is released, whatever has become of the call.
  ~CudaMachine() {
    for (const uint64_t address : own_memory_) driver_.api().release(address, stream_);
  }
  CudaMachine(const CudaMachine&) = delete;
  CudaMachine& operator=(const CudaMachine&) = delete;

  void launch(const LaunchStep& step, const int64_t (&grid)[3], std::span<uint64_t> args) {
    for (int i = 0; i < 3; ++i) {
      if (grid[i] <= kMaxGrid[i]) continue;
      throw_grid_too_large(artifact_, step, grid, "is larger than (2^31 - 1, 65535, 65535), which a GPU can launch");
    }
    // A parameter is read where it lies, as wide as the kernel declares it: the low bytes of a word.
    CallBuffer<void*> params(args.size());
    for (size_t i = 0; i < args.size(); ++i) params[i] = &args[i];
    const KernelInfo& kernel = artifact_.kernels[step.kernel];
    const CudaHandle function = module_.function(step.kernel, stream_);
    if (kernel.programs_meet) check_resident(step, grid);
    const auto number = [](int64_t value) { return static_cast<unsigned>(value); };
    const auto start = [&](const auto& entry, auto... last) {
      return entry(function, number(grid[0]), number(grid[1]), number(grid[2]), number(kernel.threads[0]),
                   number(kernel.threads[1]), number(kernel.threads[2]), number(kernel.shared_bytes), stream_,
                   params.data(), last...);
    };
    const int error =
        kernel.programs_meet ? start(driver_.api().launch_together) : start(driver_.api().launch, nullptr);
    if (error != 0) throw_failed(kernel, grid, error);
  }

  /// From the framework, which keeps memory at hand; else from the driver.
  uint64_t workspace(int64_t bytes) {
    const size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    uint64_t address = memory_ != nullptr ? memory_->allocate(size, artifact_.name) : 0;
    if (address != 0) return address;
    if (const int error = driver_.api().allocate(&address, size, stream_); error != 0) {
      throw_cuda_failure(driver_.failure(error),
                         fmt::format("cannot allocate a workspace of {} bytes for kernel {}", bytes, artifact_.name));
    }
    own_memory_.push_back(address);
    return address;
  }

  /// Barriers leave the word as it was, and launches follow each other in the stream: one serves the call.
  uint64_t grid_state() {
    if (grid_state_ != 0) return grid_state_;
    grid_state_ = workspace(sizeof(unsigned));
    if (const int error = driver_.api().fill_words(grid_state_, 0, 1, stream_); error != 0) {
      throw_cuda_failure(driver_.failure(error), fmt::format("cannot clear memory for kernel {}", artifact_.name));
    }
    return grid_state_;
  }

  void fail(int message) { KernelMessages(artifact_, print_).fail_on_host(message); }
  bool stopped() const { return false; }

 private:
  /// Blocks that wait for each other must run at once.
  void check_resident(const LaunchStep& step, const int64_t (&grid)[3]) const {
    const int64_t most = module_.resident_blocks(step.kernel);
    if (grid[0] <= most && grid[1] <= most && grid[2] <= most && grid[0] * grid[1] * grid[2] <= most) return;
    Diagnostic diagnostic;
    diagnostic.code = 91;
    diagnostic.message = fmt::format(
        "grid of {} is too large for T.sync_grid: its programs run at once, and {} holds {} of them: ({}, {}, {})",
        artifact_.kernels[step.kernel].symbol, module_.device().name, most, grid[0], grid[1], grid[2]);
    diagnostic.help = fmt::format("use at most {} programs, each with a loop over tiles", most);
    throw CompileError(std::move(diagnostic));
  }

  [[noreturn]] void throw_failed(const KernelInfo& kernel, const int64_t (&grid)[3], int error) const {
    throw_cuda_failure(driver_.failure(error), fmt::format("cannot launch kernel {}", artifact_.name),
                       fmt::format("{}: grid ({}, {}, {}), block ({}, {}, {}), {} bytes of dynamic shared memory",
                                   kernel.symbol, grid[0], grid[1], grid[2], kernel.threads[0], kernel.threads[1],
                                   kernel.threads[2], kernel.shared_bytes));
  }

  const CudaDriver& driver_;
  const Artifact& artifact_;
  CudaModule& module_;
  CudaHandle stream_;
  CallerMemory* memory_;
  const PrintSink& print_;
  /// What the driver has given.
  std::vector<uint64_t> own_memory_;
  uint64_t grid_state_ = 0;
};

class CudaExecutor : public Executor {
 public:
  CudaExecutor(std::shared_ptr<const Artifact> artifact, CompileLater later, const CudaDriver* driver)
      : artifact_(std::move(artifact)), later_(std::move(later)), driver_(driver) {
    artifact_->verify();
    TL_CHECK(!artifact_->binary.empty() || artifact_->kernels.empty(), "no compiled code in " + artifact_->name);
  }
  ~CudaExecutor() override {
    for (const auto& module : modules_) delete module.load();
  }

  void run(const BoundCall& call, const PrintSink& print, const Poll&, const WarningSink&) override {
    CudaModule& module = module_of(call);
    const CudaDriver& driver = *driver_;
    const CurrentContext current(driver, module.context());
    CudaMachine machine(driver, *artifact_, module, call, print);
    HostProgramRun(*artifact_, call, machine).run();
  }

 private:
  static constexpr int kMaxDevices = 64;

  CudaModule& module_of(const BoundCall& call) {
    if (call.device.index >= 0 && call.device.index < kMaxDevices) {
      CudaModule* loaded = modules_[call.device.index].load(std::memory_order_acquire);
      if (loaded != nullptr) return *loaded;
    }
    return prepare(call);
  }

  /// A call without tensors runs on the thread's current device.
  CudaModule& prepare(const BoundCall& call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (driver_ == nullptr) driver_ = &cuda_driver();
    const int index = call.device.index >= 0 ? call.device.index : driver_.load()->current_device();
    TL_CHECK(index < kMaxDevices, "more CUDA devices than a process can have");
    std::atomic<CudaModule*>& module = modules_[index];
    if (module.load() == nullptr) {
      module.store(new CudaModule(*driver_, *artifact_, later_, index), std::memory_order_release);
    }
    return *module.load();
  }

  std::shared_ptr<const Artifact> artifact_;
  const CompileLater later_;
  /// Set before any module is.
  std::atomic<const CudaDriver*> driver_;
  std::mutex mutex_;
  /// By device; null until a call has run there.
  std::array<std::atomic<CudaModule*>, kMaxDevices> modules_{};
};

}  // namespace

std::unique_ptr<Executor> make_cuda_executor(std::shared_ptr<const Artifact> artifact, CompileLater later,
                                             const CudaDriver* driver) {
  return std::make_unique<CudaExecutor>(std::move(artifact), std::move(later), driver);
}

}  // namespace tl
