#include "runtime/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "runtime/entry_row.h"

namespace tl {
namespace {

/// Symbols of the driver's interface: those with a number are the versions that cuda.h of CUDA 12 and 13 names.
auto entry_rows(CudaApi& api) {
  return std::array{
      EntryRow{"cuInit", entry(api.init)},
      EntryRow{"cuDriverGetVersion", entry(api.driver_version)},
      EntryRow{"cuGetErrorName", entry(api.error_name)},
      EntryRow{"cuGetErrorString", entry(api.error_text)},
      EntryRow{"cuDeviceGetCount", entry(api.device_count)},
      EntryRow{"cuDeviceGet", entry(api.device_get)},
      EntryRow{"cuDeviceGetName", entry(api.device_name)},
      EntryRow{"cuDeviceGetAttribute", entry(api.device_attribute)},
      EntryRow{"cuDeviceTotalMem_v2", entry(api.device_memory)},
      EntryRow{"cuDevicePrimaryCtxRetain", entry(api.primary_context)},
      EntryRow{"cuCtxGetCurrent", entry(api.get_current)},
      EntryRow{"cuCtxSetCurrent", entry(api.set_current)},
      EntryRow{"cuCtxGetDevice", entry(api.current_device)},
      EntryRow{"cuModuleLoadData", entry(api.load_module)},
      EntryRow{"cuModuleGetFunction", entry(api.get_function)},
      EntryRow{"cuFuncSetAttribute", entry(api.set_function)},
      EntryRow{"cuLaunchKernel", entry(api.launch)},
      EntryRow{"cuLaunchCooperativeKernel", entry(api.launch_together)},
      EntryRow{"cuOccupancyMaxActiveBlocksPerMultiprocessor", entry(api.resident_blocks)},
      EntryRow{"cuStreamIsCapturing", entry(api.is_capturing)},
      EntryRow{"cuMemAllocAsync", entry(api.allocate)},
      EntryRow{"cuMemFreeAsync", entry(api.release)},
      EntryRow{"cuMemsetD32Async", entry(api.fill_words)},
      EntryRow{"cuMemcpyHtoD_v2", entry(api.copy_to_device)},
      EntryRow{"cuMemcpyDtoH_v2", entry(api.copy_to_host)},
  };
}

}  // namespace

CudaDriver::CudaDriver(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_no_cuda("no CUDA driver was found: this system cannot run kernels on a GPU", dlerror());
  for (const EntryRow& row : entry_rows(api_)) {
    *row.entry = dlsym(library, row.symbol);
    if (*row.entry == nullptr) {
      throw_no_cuda(fmt::format("the CUDA driver {} is too old", path), fmt::format("it lacks {}", row.symbol));
    }
  }
  if (const int error = api_.init(0); error != 0) {
    const CudaFailure found = failure(error);
    throw_no_cuda("the CUDA driver does not start", fmt::format("{}: {} ({})", path, found.name, found.text));
  }
}

CudaFailure CudaDriver::failure(int error) const {
  const char *name = nullptr, *text = nullptr;
  api_.error_name(error, &name);
  api_.error_text(error, &text);
  return {error, name != nullptr ? name : fmt::format("CUDA error {}", error), text != nullptr ? text : "unknown"};
}

int CudaDriver::version() const {
  int version = 0;
  api_.driver_version(&version);
  return version;
}

int CudaDriver::device_count() const {
  int count = 0;
  return api_.device_count(&count) == 0 ? count : 0;
}

CudaDevice CudaDriver::device(int index) const {
  int device = 0;
  if (index < 0 || index >= device_count() || api_.device_get(&device, index) != 0) {
    throw_no_cuda(fmt::format("there is no CUDA device {}", index),
                  fmt::format("the driver shows {} of them, counted from 0", device_count()),
                  "use one of those; CUDA_VISIBLE_DEVICES may hide others");
  }
  CudaDevice out;
  out.index = index;
  char name[256] = "";
  api_.device_name(name, sizeof name, device);
  out.name = name;
  const auto attribute = [&](int number) {
    int value = 0;
    api_.device_attribute(&value, number, device);
    return value;
  };
  out.major = attribute(cuda_number::kMajor);
  out.minor = attribute(cuda_number::kMinor);
  out.multiprocessors = attribute(cuda_number::kMultiprocessors);
  out.shared_bytes = attribute(cuda_number::kMaxSharedBytes);
  size_t bytes = 0;
  api_.device_memory(&bytes, device);
  out.memory_bytes = static_cast<int64_t>(bytes);
  return out;
}

int CudaDriver::current_device() const {
  CudaHandle context = nullptr;
  int device = 0;
  if (api_.get_current(&context) != 0 || context == nullptr || api_.current_device(&device) != 0) return 0;
  return device;
}

const CudaDriver& cuda_driver() {
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, const CudaDriver*>;
  const char* named = std::getenv("TILELANG_LIBCUDA");
  const std::string path = named != nullptr && *named != '\0' ? named : "libcuda.so.1";
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto known = loaded->find(path); known != loaded->end()) return *known->second;
  return *loaded->emplace(path, new CudaDriver(path)).first->second;
}

}  // namespace tl
