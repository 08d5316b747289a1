// The code of an artifact on one device.
#pragma once

#include <vector>

#include "runtime/artifact.h"
#include "runtime/cuda_driver.h"

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

class CudaModule {
 public:
  /// Loads the artifact's binary on a device, for a call on `stream`. Throws CompileError 93 for an index without a
  /// device, 91 for a kernel that wants more shared memory than it has, 94 when the driver refuses the code or the
  /// stream is being captured: loading is no part of a graph.
  CudaModule(const CudaDriver& driver, const Artifact& artifact, int device, CudaHandle stream);

  CudaHandle context() const { return context_; }
  /// The function of Artifact::kernels[kernel].
  CudaHandle function(int kernel) const { return functions_[kernel]; }

 private:
  CudaHandle find(const CudaDriver& driver, const KernelInfo& kernel, const CudaDevice& device) const;

  CudaHandle context_ = nullptr;
  CudaHandle module_ = nullptr;
  std::vector<CudaHandle> functions_;
};

}  // namespace tl
