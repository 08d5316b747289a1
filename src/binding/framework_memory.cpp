#include "binding/framework_memory.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tl::binding {
namespace {

constexpr uint64_t kAlignment = 256;

void keep_text(void* to, const char* kind, const char* message) {
  *static_cast<std::string*>(to) = fmt::format("{}: {}", kind, message);
}

[[noreturn]] void throw_no_memory(size_t bytes, const std::string& kernel, std::string text) {
  Diagnostic diagnostic;
  diagnostic.code = 94;
  diagnostic.message = fmt::format("cannot allocate a workspace of {} bytes for kernel {}", bytes, kernel);
  diagnostic.notes.push_back({"the framework of its arguments says: " + text.substr(0, text.find('\n')), {}});
  diagnostic.help = "free memory of the device, or use a smaller workspace";
  throw CompileError(std::move(diagnostic));
}

void release(DLManagedTensorVersioned* tensor) {
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

}  // namespace

FrameworkMemory::~FrameworkMemory() {
  for (DLManagedTensorVersioned* tensor : held_) release(tensor);
}

uint64_t FrameworkMemory::allocate(size_t bytes, const std::string& kernel) {
  if (allocator_ == nullptr) allocator_ = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (allocator_ == nullptr) return 0;
  auto extent = static_cast<int64_t>(bytes);
  DLTensor wanted{};
  wanted.device = {kDLCUDA, call_.device.index};
  wanted.ndim = 1;
  wanted.dtype = {kDLUInt, 8, 1};
  wanted.shape = &extent;
  DLManagedTensorVersioned* made = nullptr;
  std::string text;
  if (allocator_(&wanted, &made, &text, keep_text) != 0) throw_no_memory(bytes, kernel, std::move(text));
  const uint64_t address = reinterpret_cast<uint64_t>(made->dl_tensor.data) + made->dl_tensor.byte_offset;
  const DLDevice device = made->dl_tensor.device;
  if (address % kAlignment != 0 || device.device_type != kDLCUDA || device.device_id != call_.device.index) {
    release(made);
    return 0;
  }
  held_.push_back(made);
  return address;
}

}  // namespace tl::binding
