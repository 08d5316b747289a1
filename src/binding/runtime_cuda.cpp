// tl.cuda_*: GPUs of this system, and the compiler of their code.

#include <fmt/format.h>

#include <mutex>

#include "binding/arguments.h"
#include "binding/boundary.h"
#include "binding/runtime_objects.h"
#include "driver/compile.h"
#include "driver/cuda_target.h"
#include "runtime/cuda_driver.h"
#include "runtime/cuda_toolchain.h"
#include "support/diagnostic.h"

namespace tl::binding {
namespace {

/// Folders of Python packages, in which NVIDIA's are looked for.
class SiteFolders {
 public:
  std::vector<std::string> get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return folders_;
  }
  void set(std::vector<std::string> folders) {
    const std::lock_guard<std::mutex> lock(mutex_);
    folders_ = std::move(folders);
  }
  /// Never destroyed: threads may compile while the process ends.
  static SiteFolders& instance() {
    static auto* const only = new SiteFolders;
    return *only;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> folders_;
};

std::vector<std::string> site_folders() { return SiteFolders::instance().get(); }

const Artifact& cuda_artifact(const ArtifactHandle& handle) {
  TL_CHECK(target_device_type(handle->value->target) == Device::kCuda, "not an artifact of a CUDA target");
  return *handle->value;
}

/// [index, name, compute capability "9.0", target ("" for a device that no target fits), bytes of memory,
/// multiprocessors] of every device.
ffi::Array<ffi::Any> cuda_devices() {
  const CudaDriver& driver = cuda_driver();
  ffi::Array<ffi::Any> out;
  for (int i = 0; i < driver.device_count(); ++i) {
    const CudaDevice device = driver.device(i);
    const Target* target = cuda_target_of(device.major, device.minor);
    out.push_back(ffi::Array<ffi::Any>{int64_t{i}, ffi::String(device.name),
                                       ffi::String(fmt::format("{}.{}", device.major, device.minor)),
                                       ffi::String(target != nullptr ? std::string(target->name) : ""),
                                       device.memory_bytes, int64_t{device.multiprocessors}});
  }
  return out;
}

int64_t cuda_driver_version() { return cuda_driver().version(); }

/// The stamp of the compiler that builds for CUDA; `folders` are searched from now on.
ffi::String cuda_toolchain(const Args& folders) {
  SiteFolders::instance().set(to_strings(folders));
  return find_cuda_toolchain(site_folders()).stamp;
}

/// The compiler's path, and its version.
ffi::String cuda_toolchain_path() { return find_cuda_toolchain(site_folders()).path; }
ffi::String cuda_toolchain_version() { return find_cuda_toolchain(site_folders()).version; }

/// The artifact's source as PTX.
ffi::String cuda_ptx(const ArtifactHandle& artifact, const Args& flags) {
  CudaCompilation job = cuda_compilation(cuda_artifact(artifact), 0, to_strings(flags));
  job.output = CudaCompilation::Output::kPtx;
  return compile_cuda(find_cuda_toolchain(site_folders()), job).bytes;
}

/// The artifact's machine code as text.
ffi::String cuda_sass(const ArtifactHandle& artifact) {
  return disassemble(cuda_artifact(artifact).binary, site_folders());
}

/// [symbol, variant's name, registers, spilled bytes, static shared bytes, dynamic shared bytes] of every kernel that
/// is compiled, those of the first variant first.
ffi::Array<ffi::Any> artifact_usage(const ArtifactHandle& artifact) {
  const Artifact& a = *artifact->value;
  ffi::Array<ffi::Any> out;
  for (const KernelInfo& kernel : a.kernels) {
    if (a.binary_of(kernel.code).empty()) continue;
    out.push_back(ffi::Array<ffi::Any>{ffi::String(kernel.symbol), ffi::String(a.variants[kernel.code].name),
                                       kernel.registers, kernel.spill_bytes, kernel.static_shared_bytes,
                                       kernel.shared_bytes});
  }
  return out;
}

ffi::Array<ffi::Any> cuda_flags() {
  ffi::Array<ffi::Any> out;
  for (const std::string& flag : cuda_compile_flags()) out.push_back(ffi::String(flag));
  return out;
}

}  // namespace

void build_cuda(Artifact& artifact, int code, const std::vector<std::string>& flags, double timeout, bool keep_files) {
  CudaCompilation job = cuda_compilation(artifact, code, flags);
  job.timeout_seconds = timeout;
  job.keep_files = keep_files;
  CudaBinary built = compile_cuda(find_cuda_toolchain(site_folders()), job);
  (code == 0 ? artifact.binary : artifact.later[code - 1].binary) = std::move(built.bytes);
  read_usage(built.report, artifact.kernels, code);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  Registry(Origin::kBuilder)
      .def("tl.cuda_devices", +cuda_devices)
      .def("tl.cuda_driver_version", +cuda_driver_version)
      .def("tl.cuda_toolchain", +cuda_toolchain)
      .def("tl.cuda_toolchain_path", +cuda_toolchain_path)
      .def("tl.cuda_toolchain_version", +cuda_toolchain_version)
      .def("tl.cuda_ptx", +cuda_ptx)
      .def("tl.cuda_sass", +cuda_sass)
      .def("tl.cuda_flags", +cuda_flags)
      .def("tl.artifact_usage", +artifact_usage);
}

}  // namespace tl::binding
