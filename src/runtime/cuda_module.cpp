#include "runtime/cuda_module.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Shared memory, static and dynamic, that every block may have; more must be asked for.
constexpr int64_t kUnasked = 48 * 1024;

void check_not_capturing(const CudaDriver& driver, const Artifact& artifact, CudaHandle stream) {
  int status = 0;
  if (driver.api().is_capturing(stream, &status) != 0 || status == 0) return;
  Diagnostic diagnostic;
  diagnostic.code = 94;
  diagnostic.message =
      fmt::format("kernel {} is called for the first time on its device while the stream is captured", artifact.name);
  diagnostic.help =
      "a first call loads the kernel's code, which cannot be part of a graph: call the kernel once before the capture";
  throw CompileError(std::move(diagnostic));
}

void check_shared(const Artifact& artifact, const KernelInfo& kernel, const CudaDevice& device) {
  const int64_t wanted = kernel.shared_bytes + kernel.static_shared_bytes;
  if (wanted <= device.shared_bytes) return;
  Diagnostic diagnostic;
  diagnostic.code = 91;
  diagnostic.message = fmt::format("kernel {} wants {} bytes of shared memory for a block; {} has {}", artifact.name,
                                   wanted, device.name, device.shared_bytes);
  diagnostic.help = "use smaller tiles or fewer pipeline stages";
  throw CompileError(std::move(diagnostic));
}

}  // namespace

CurrentContext::CurrentContext(const CudaDriver& driver, CudaHandle context) : api_(driver.api()), context_(context) {
  if (api_.get_current(&before_) != 0) before_ = nullptr;
  if (before_ == context_) return;
  if (const int error = api_.set_current(context_); error != 0) {
    throw_cuda_failure(driver.failure(error), "cannot make the device of a call current");
  }
}

CudaModule::CudaModule(const CudaDriver& driver, const Artifact& artifact, int index, CudaHandle stream) {
  const CudaDevice device = driver.device(index);
  if (const int error = driver.api().primary_context(&context_, index); error != 0) {
    throw_cuda_failure(driver.failure(error), fmt::format("cannot use CUDA device {} ({})", index, device.name));
  }
  const CurrentContext current(driver, context_);
  check_not_capturing(driver, artifact, stream);
  for (const KernelInfo& kernel : artifact.kernels) check_shared(artifact, kernel, device);
  if (const int error = driver.api().load_module(&module_, artifact.binary.data()); error != 0) {
    const std::string note = fmt::format(
        "it was compiled for {}; device {} is {}, of compute capability {}.{}, with a "
        "driver for CUDA {}.{}",
        artifact.target, index, device.name, device.major, device.minor, driver.version() / 1000,
        driver.version() % 1000 / 10);
    throw_cuda_failure(driver.failure(error), fmt::format("cannot load kernel {}", artifact.name), note);
  }
  for (const KernelInfo& kernel : artifact.kernels) functions_.push_back(find(driver, kernel, device));
}

CudaHandle CudaModule::find(const CudaDriver& driver, const KernelInfo& kernel, const CudaDevice& device) const {
  CudaHandle function = nullptr;
  if (const int error = driver.api().get_function(&function, module_, kernel.symbol.c_str()); error != 0) {
    throw_cuda_failure(driver.failure(error), fmt::format("cannot find {} in the compiled code", kernel.symbol));
  }
  if (kernel.shared_bytes + kernel.static_shared_bytes <= kUnasked) return function;
  const int bytes = static_cast<int>(kernel.shared_bytes);
  if (const int error = driver.api().set_function(function, cuda_number::kFunctionDynamicSharedBytes, bytes)) {
    throw_cuda_failure(driver.failure(error), fmt::format("{} cannot have {} bytes of shared memory on {}",
                                                          kernel.symbol, bytes, device.name));
  }
  return function;
}

}  // namespace tl
