// The CUDA driver, libcuda.so, loaded when it is first needed: nothing is linked against it, and no header of CUDA is
// used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda_error.h"

namespace tl {

/// Handles of the driver: contexts, modules, functions and streams are pointers to what only it knows.
using CudaHandle = void*;

/// Numbers of the driver's interface that are used here (cuda.h, CUdevice_attribute and CUfunction_attribute).
namespace cuda_number {
inline constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76, kMaxSharedBytes = 97;
inline constexpr int kFunctionDynamicSharedBytes = 8;
}  // namespace cuda_number

/// The entry points that are used, by their C interface; a result of 0 is success.
struct CudaApi {
  int (*init)(unsigned flags);
  int (*driver_version)(int* version);
  int (*error_name)(int error, const char** name);
  int (*error_text)(int error, const char** text);
  int (*device_count)(int* count);
  int (*device_get)(int* device, int ordinal);
  int (*device_name)(char* name, int size, int device);
  int (*device_attribute)(int* value, int attribute, int device);
  int (*device_memory)(size_t* bytes, int device);
  int (*primary_context)(CudaHandle* context, int device);
  int (*get_current)(CudaHandle* context);
  int (*set_current)(CudaHandle context);
  int (*current_device)(int* device);
  int (*load_module)(CudaHandle* module, const void* image);
  int (*get_function)(CudaHandle* function, CudaHandle module, const char* name);
  int (*set_function)(CudaHandle function, int attribute, int value);
  int (*launch)(CudaHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaHandle stream, void** params,
                void** extra);
  int (*launch_together)(CudaHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaHandle stream, void** params);
  int (*resident_blocks)(int* blocks_a_multiprocessor, CudaHandle function, int threads, size_t shared_bytes);
  int (*is_capturing)(CudaHandle stream, int* status);
  int (*allocate)(uint64_t* address, size_t bytes, CudaHandle stream);
  int (*release)(uint64_t address, CudaHandle stream);
  int (*fill_words)(uint64_t address, unsigned word, size_t words, CudaHandle stream);
  int (*copy_to_device)(uint64_t to, const void* from, size_t bytes);
  int (*copy_to_host)(void* to, uint64_t from, size_t bytes);
};

struct CudaDevice {
  int index = 0;
  std::string name;
  /// Compute capability: 9 and 0 for 9.0.
  int major = 0, minor = 0;
  int64_t memory_bytes = 0;
  int multiprocessors = 0;
  /// The most shared memory that a block can ask for.
  int64_t shared_bytes = 0;
};

/// A loaded and initialised driver. It stays for the life of the process.
class CudaDriver {
 public:
  /// Throws CompileError 93 when the library cannot be loaded, lacks an entry point or does not start.
  explicit CudaDriver(const std::string& path);
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  const CudaApi& api() const { return api_; }
  /// 13000 for CUDA 13.0: the newest that the driver can run.
  int version() const;
  int device_count() const;
  /// Throws CompileError 93 for an index without a device.
  CudaDevice device(int index) const;
  /// The device of this thread's current context; 0 without one.
  int current_device() const;

  /// What is known about a failed call.
  CudaFailure failure(int error) const;

 private:
  CudaApi api_{};
};

/// The driver of this system: what the environment variable TILELANG_LIBCUDA names, else libcuda.so.1. Throws
/// CompileError 93 when there is none; a later call tries again.
const CudaDriver& cuda_driver();

}  // namespace tl
