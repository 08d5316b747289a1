// The code of an artifact on one device.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/artifact.h"
#include "runtime/cuda_driver.h"
#include "runtime/executor.h"

namespace tl {

/// The primary context of a device, which the framework uses too, as this thread's current one while this value lives;
/// then the one before.
class CurrentContext {
 public:
  CurrentContext(const CudaDriver& driver, CudaHandle context);
  ~CurrentContext() {
    if (before_ != context_) api_.set_current(before_);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const CudaApi& api_;
  CudaHandle context_;
  CudaHandle before_ = nullptr;
};

/// Holds on to the arguments of its constructor.
class CudaModule {
 public:
  /// Throws CompileError 93 for an index without a device.
  CudaModule(const CudaDriver& driver, const Artifact& artifact, const CompileLater& later, int device);

  CudaHandle context() const { return context_; }
  const CudaDevice& device() const { return device_; }
  /// How many blocks of a loaded kernel the device holds at once; 0 for one whose blocks do not meet.
  int64_t resident_blocks(int kernel) const { return resident_blocks_[kernel]; }

  /// The function of Artifact::kernels[kernel], for a launch on `stream`; the context is current. The first call for a
  /// text compiles it where it was left for later, and loads it. That throws CompileError 94 when the driver refuses
  /// the code or the stream is being captured (loading is no part of a graph), 91 for a kernel that wants more shared
  /// memory than the device has, and what compiling throws.
  CudaHandle function(int kernel, CudaHandle stream) {
    const CudaHandle found = functions_[kernel].load(std::memory_order_acquire);
    return found != nullptr ? found : load(kernel, stream);
  }

 private:
  CudaHandle load(int kernel, CudaHandle stream);
  void load_binary(int code, const std::string& binary);
  CudaHandle find(CudaHandle module, const KernelInfo& kernel) const;
  int64_t count_resident(CudaHandle function, const KernelInfo& kernel) const;

  const CudaDriver& driver_;
  const Artifact& artifact_;
  const CompileLater& later_;
  const int index_;
  const CudaDevice device_;
  CudaHandle context_ = nullptr;
  std::mutex mutex_;
  /// By kernel; null until its text is loaded.
  std::vector<std::atomic<CudaHandle>> functions_;
  /// Set before the function is.
  std::vector<int64_t> resident_blocks_;
};

}  // namespace tl
