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
      "a first call loads the kernel's code, which cannot be part of a graph: call the kernel once before the capture, "
      "with tensors as in it (those that are not aligned to 16 bytes have code of their own)";
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

CudaModule::CudaModule(const CudaDriver& driver, const Artifact& artifact, const CompileLater& later, int index)
    : driver_(driver),
      artifact_(artifact),
      later_(later),
      index_(index),
      device_(driver.device(index)),
      functions_(artifact.kernels.size()),
      resident_blocks_(artifact.kernels.size()) {
  if (const int error = driver.api().primary_context(&context_, index); error != 0) {
    throw_cuda_failure(driver.failure(error), fmt::format("cannot use CUDA device {} ({})", index, device_.name));
  }
}

CudaHandle CudaModule::load(int kernel, CudaHandle stream) {
  check_not_capturing(driver_, artifact_, stream);
  const int code = artifact_.kernels[kernel].code;
  // Compiled before the lock is taken: that may be Python, which runs other threads that call this kernel.
  const std::string* binary = &artifact_.binary_of(code);
  std::string compiled;
  if (binary->empty()) {
    TL_CHECK(later_ != nullptr, "no compiled code in " + artifact_.name);
    compiled = later_(code);
    binary = &compiled;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (functions_[kernel].load() == nullptr) load_binary(code, *binary);
  return functions_[kernel].load();
}

void CudaModule::load_binary(int code, const std::string& binary) {
  for (const KernelInfo& kernel : artifact_.kernels) {
    if (kernel.code == code) check_shared(artifact_, kernel, device_);
  }
  CudaHandle module = nullptr;
  if (const int error = driver_.api().load_module(&module, binary.data()); error != 0) {
    const std::string note = fmt::format(
        "it was compiled for {}; device {} is {}, of compute capability {}.{}, with a driver for CUDA {}.{}",
        artifact_.target, index_, device_.name, device_.major, device_.minor, driver_.version() / 1000,
        driver_.version() % 1000 / 10);
    throw_cuda_failure(driver_.failure(error), fmt::format("cannot load kernel {}", artifact_.name), note);
  }
  for (size_t i = 0; i < artifact_.kernels.size(); ++i) {
    if (artifact_.kernels[i].code != code) continue;
    const CudaHandle function = find(module, artifact_.kernels[i]);
    if (artifact_.kernels[i].programs_meet) resident_blocks_[i] = count_resident(function, artifact_.kernels[i]);
    functions_[i].store(function, std::memory_order_release);
  }
}

int64_t CudaModule::count_resident(CudaHandle function, const KernelInfo& kernel) const {
  int blocks = 0;
  const auto threads = static_cast<int>(kernel.threads[0] * kernel.threads[1] * kernel.threads[2]);
  const auto shared = static_cast<size_t>(kernel.shared_bytes);
  if (const int error = driver_.api().resident_blocks(&blocks, function, threads, shared); error != 0) {
    throw_cuda_failure(driver_.failure(error),
                       fmt::format("cannot find how many blocks of {} run at once on {}", kernel.symbol, device_.name));
  }
  return int64_t{blocks} * device_.multiprocessors;
}

CudaHandle CudaModule::find(CudaHandle module, const KernelInfo& kernel) const {
  CudaHandle function = nullptr;
  if (const int error = driver_.api().get_function(&function, module, kernel.symbol.c_str()); error != 0) {
    throw_cuda_failure(driver_.failure(error), fmt::format("cannot find {} in the compiled code", kernel.symbol));
  }
  if (kernel.shared_bytes + kernel.static_shared_bytes <= kUnasked) return function;
  const int bytes = static_cast<int>(kernel.shared_bytes);
  if (const int error = driver_.api().set_function(function, cuda_number::kFunctionDynamicSharedBytes, bytes)) {
    throw_cuda_failure(driver_.failure(error), fmt::format("{} cannot have {} bytes of shared memory on {}",
                                                           kernel.symbol, bytes, device_.name));
  }
  return function;
}

}  // namespace tl
