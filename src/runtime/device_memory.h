// Memory of a CUDA device that outlives no call: for comparisons, and for callers without a framework.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl {

class DeviceMemory {
 public:
  /// `bytes` on a device, not initialised. Throws CompileError 93 or 94.
  explicit DeviceMemory(size_t bytes, int device = 0);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  uint64_t address() const { return address_; }
  /// Copies all bytes from or to the host; done when it returns, after everything launched before.
  void fill_from(const void* host);
  void copy_to(void* host) const;

 private:
  size_t bytes_;
  void* context_ = nullptr;
  uint64_t address_ = 0;
};

}  // namespace tl
