#pragma once

#include <tvm/ffi/extra/c_env_api.h>

#include <vector>

#include "runtime/arguments.h"

namespace tl::binding {

/// Memory of the framework whose tensors are the arguments of the call that this thread is in. It comes from the
/// framework's cache, and belongs to the pool of a graph that is being captured. Given back when this value ends; the
/// cache hands it on to work that stands behind the call's in the stream.
class FrameworkMemory : public CallerMemory {
 public:
  /// `allocator` null: the one that the ABI library has set for this thread.
  explicit FrameworkMemory(const BoundCall& call, DLPackManagedTensorAllocator allocator = nullptr)
      : call_(call), allocator_(allocator) {}
  ~FrameworkMemory() override;
  FrameworkMemory(const FrameworkMemory&) = delete;
  FrameworkMemory& operator=(const FrameworkMemory&) = delete;

  uint64_t allocate(size_t bytes, const std::string& kernel) override;

 private:
  const BoundCall& call_;
  DLPackManagedTensorAllocator allocator_;
  std::vector<DLManagedTensorVersioned*> held_;
};

}  // namespace tl::binding
