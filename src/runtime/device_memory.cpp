#include "runtime/device_memory.h"

#include <algorithm>

#include "runtime/cuda_driver.h"
#include "runtime/cuda_module.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

void expect(int error, const char* what) {
  if (error != 0) throw_cuda_failure(cuda_driver().failure(error), what);
}

}  // namespace

DeviceMemory::DeviceMemory(size_t bytes, int device) : bytes_(bytes) {
  const CudaApi& api = cuda_driver().api();
  int handle = 0;
  expect(api.device_get(&handle, device), "cannot find the device");
  expect(api.primary_context(&context_, handle), "cannot open the device");
  const CurrentContext current(cuda_driver(), context_);
  expect(api.allocate(&address_, std::max<size_t>(bytes, 1), nullptr), "cannot allocate memory of the device");
}

DeviceMemory::~DeviceMemory() {
  try {
    const CurrentContext current(cuda_driver(), context_);
    cuda_driver().api().release(address_, nullptr);
  } catch (const CompileError&) {
    // The device is lost, and its memory with it; whoever uses it next is told.
  }
}

void DeviceMemory::fill_from(const void* host) {
  const CurrentContext current(cuda_driver(), context_);
  expect(cuda_driver().api().copy_to_device(address_, host, bytes_), "cannot copy to the device");
}

void DeviceMemory::copy_to(void* host) const {
  const CurrentContext current(cuda_driver(), context_);
  expect(cuda_driver().api().copy_to_host(host, address_, bytes_), "cannot copy from the device");
}

}  // namespace tl
