// tl.kernel_*: loading artifacts and calling them.

#include <cstdio>

#include <tvm/ffi/extra/c_env_api.h>

#include "binding/boundary.h"
#include "binding/framework_memory.h"
#include "binding/python_call.h"
#include "binding/runtime_objects.h"
#include "driver/executor.h"
#include "runtime/cuda_driver.h"
#include "runtime/thread_pool.h"

namespace tl::binding {
namespace {

/// Where prints go when Python has given nothing else. Never destroyed: kernels may outlive the library's statics.
ffi::Function*& print_function() {
  static ffi::Function* function = nullptr;
  return function;
}

void print_text(std::string_view text) {
  if (const ffi::Function* function = print_function()) {
    (*function)(ffi::String(std::string(text)));
    return;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// Where warnings of calls go when Python has given a function; else to stderr.
ffi::Function*& warning_function() {
  static ffi::Function* function = nullptr;
  return function;
}

void say_warning(const Diagnostic& warning) {
  const std::string text = render(warning, nullptr);
  if (const ffi::Function* function = warning_function()) {
    (*function)(ffi::String(text));
    return;
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

/// Ends a long run when the user interrupts it.
void check_signals() {
  if (TVMFFIEnvCheckSignals() != 0) throw ffi::EnvErrorAlreadySet();
}

/// Turns our exceptions into the ABI's, as Registry does for functions of fixed arity.
template <class F>
auto translating(F f) {
  return [f](ffi::PackedArgs args, ffi::Any* result) {
    try {
      f(args, result);
    } catch (const ffi::Error&) {
      throw;
    } catch (const std::exception&) {
      throw current_error(Origin::kBuilder);
    }
  };
}

/// The framework's current stream on the device of the call; for a call without tensors, on the current device.
void choose_stream(BoundCall& call) {
  if (call.device.type != Device::kCuda) return;
  if (call.device.index < 0) call.device.index = cuda_driver().current_device();
  call.stream = TVMFFIEnvGetStream(Device::kCuda, call.device.index);
}

ffi::Array<ffi::Any> load(const ArtifactHandle& handle, CompileLater later) {
  auto kernel =
      std::make_shared<LoadedKernel>(LoadedKernel{handle->value, make_executor(handle->value, std::move(later))});
  const auto call = [kernel](ffi::PackedArgs args, ffi::Any*) {
    CallMemory memory;
    const CallArguments given(args, memory.arguments());
    bind_call(*kernel->artifact, given.arguments(), memory.call());
    choose_stream(memory.call());
    FrameworkMemory workspaces(memory.call());
    memory.call().memory = &workspaces;
    kernel->run(memory.call());
  };
  const auto extents = [kernel](ffi::PackedArgs args, ffi::Any* result) {
    CallMemory memory;
    const CallArguments given(args, memory.arguments());
    ffi::Array<ffi::Any> out;
    for (const std::vector<int64_t>& shape : output_extents(*kernel->artifact, given.arguments())) {
      out.push_back(ffi::Array<int64_t>(shape.begin(), shape.end()));
    }
    *result = std::move(out);
  };
  return {ffi::Function::FromPacked(translating(call)), ffi::Function::FromPacked(translating(extents)),
          python_call_maker(kernel)};
}

/// [call, extents, make]: `call` and `extents` are functions of (layout, arguments...). `call` takes one argument a
/// parameter, outputs too, and runs the kernel; `extents` takes the inputs and gives the extents of every output.
/// `make` is that of python_call_maker.
ffi::Array<ffi::Any> kernel_load(const ArtifactHandle& handle) { return load(handle, {}); }

/// The same for an artifact with variants that are compiled later: `binary_of` gives the binary of one by its number.
ffi::Array<ffi::Any> kernel_load_with_variants(const ArtifactHandle& handle, const ffi::Function& binary_of) {
  return load(handle, [binary_of](int variant) {
    const auto binary = binary_of(int64_t{variant}).cast<ffi::Bytes>();
    return std::string(binary.data(), binary.size());
  });
}

void set_print_function(ffi::Function function) { print_function() = new ffi::Function(std::move(function)); }
void set_warning_function(ffi::Function function) { warning_function() = new ffi::Function(std::move(function)); }

}  // namespace

void LoadedKernel::run(const BoundCall& call) const {
  static const PrintSink& print = *new PrintSink(print_text);
  static const Poll& poll = *new Poll(check_signals);
  static const WarningSink& warn = *new WarningSink(say_warning);
  executor->run(call, print, poll, warn);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  Registry(Origin::kBuilder)
      .def("tl.kernel_load", +kernel_load)
      .def("tl.kernel_load_with_variants", +kernel_load_with_variants)
      .def("tl.set_print_function", +set_print_function)
      .def("tl.set_warning_function", +set_warning_function)
      .def(
          "tl.thread_count", +[]() { return int64_t{thread_count()}; })
      .def("tl.set_thread_count", +[](int64_t count) { set_thread_count(static_cast<int>(count)); });
}

}  // namespace tl::binding
