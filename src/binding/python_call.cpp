// tl.tensor_class*, tl.raise_pending: calls of kernels from Python without the ABI library.

#include "binding/python_call.h"

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "binding/boundary.h"
#include "binding/cpython.h"
#include "binding/framework_memory.h"
#include "support/diagnostic.h"

namespace tl::binding {
namespace {

/// Classes whose instances go the short way, with their library's functions for it. Read without a lock by every call.
class TensorClasses {
 public:
  const DLPackExchangeAPI* find(PythonObject* object) const {
    PythonObject* cls = python().type(object);
    python().decrement(cls);  // the object holds it
    const int count = count_.load(std::memory_order_acquire);
    for (int i = 0; i < count; ++i) {
      if (rows_[i].cls == cls) return rows_[i].exchange;
    }
    return nullptr;
  }

  /// Keeps the class alive.
  void add(PythonObject* cls, const DLPackExchangeAPI* exchange) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int count = count_.load();
    if (closed_ || count == kMost) return;
    python().increment(cls);
    rows_[count] = {cls, exchange};
    count_.store(count + 1, std::memory_order_release);
  }

  /// No class goes the short way from now on.
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    count_.store(0, std::memory_order_release);
  }

 private:
  static constexpr int kMost = 4;
  struct Row {
    PythonObject* cls;
    const DLPackExchangeAPI* exchange;
  };
  std::array<Row, kMost> rows_{};
  std::atomic<int> count_ = 0;
  std::mutex mutex_;
  bool closed_ = false;
};

TensorClasses tensor_classes;

/// What a kernel has thrown on the short way, until raise_pending gives it to Python.
thread_local std::exception_ptr pending;

/// What a Python function of this file holds.
struct PythonCall {
  std::shared_ptr<LoadedKernel> kernel;
  PythonObject* long_way;
  PythonObject* raise;
};

constexpr const char* kCapsuleName = "tilelang.call";

/// Nothing has run after kLong.
enum class Outcome : uint8_t { kDone, kLong, kFailed };

/// Whether all arguments are tensors of one library that can be read where they lie; that library's functions.
const DLPackExchangeAPI* read_tensors(PythonObject* args, CallArguments& given) {
  const Python& py = python();
  const DLPackExchangeAPI* exchange = nullptr;
  const intptr_t count = py.tuple_size(args);
  for (intptr_t i = 0; i < count; ++i) {
    PythonObject* argument = py.tuple_item(args, i);
    exchange = tensor_classes.find(argument);
    if (exchange == nullptr) return nullptr;
    DLTensor tensor;
    if (exchange->dltensor_from_py_object_no_sync(argument, &tensor) != 0) {
      py.clear_error();
      return nullptr;
    }
    given.add(tensor);
  }
  return exchange;
}

/// Checks the arguments and finds the stream; the functions of their library, null where the call cannot go this way.
/// Throws what bind_call throws.
const DLPackExchangeAPI* bind_tensors(const LoadedKernel& kernel, PythonObject* args, CallArguments& given,
                                      BoundCall& call) {
  const DLPackExchangeAPI* exchange = read_tensors(args, given);
  if (exchange == nullptr) return nullptr;
  bind_call(*kernel.artifact, given.arguments(), call);
  if (call.device.type != Device::kCuda) return exchange;
  if (exchange->current_work_stream(kDLCUDA, call.device.index, &call.stream) == 0) return exchange;
  python().clear_error();
  return nullptr;
}

/// On the host a call lasts as long as the kernel, which prints from threads of its own; a launch on a device is over
/// before another thread could have done anything with the interpreter's lock.
void run(const LoadedKernel& kernel, const BoundCall& call) {
  if (call.device.type == Device::kCuda) return kernel.run(call);
  void* state = python().save_thread();
  // Restored outside of any destructor: in a process that ends, it may end this thread.
  std::exception_ptr failure;
  try {
    kernel.run(call);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  python().restore_thread(state);
  if (failure != nullptr) std::rethrow_exception(failure);
}

Outcome take_short_way(const LoadedKernel& kernel, PythonObject* args) {
  bool runs = false;
  try {
    CallMemory memory;
    CallArguments given(memory.arguments());
    const DLPackExchangeAPI* exchange = bind_tensors(kernel, args, given, memory.call());
    if (exchange == nullptr) return Outcome::kLong;
    FrameworkMemory workspaces(memory.call(), exchange->managed_tensor_allocator);
    memory.call().memory = &workspaces;
    runs = true;
    run(kernel, memory.call());
    return Outcome::kDone;
  } catch (const std::exception&) {
    if (!runs) return Outcome::kLong;
    pending = std::current_exception();
    return Outcome::kFailed;
  }
}

PythonObject* call_kernel(PythonObject* capsule, PythonObject* args, PythonObject* keywords) {
  const Python& py = python();
  const auto& self = *static_cast<const PythonCall*>(py.capsule_pointer(capsule, kCapsuleName));
  const bool positional = keywords == nullptr || py.dict_size(keywords) == 0;
  switch (positional ? take_short_way(*self.kernel, args) : Outcome::kLong) {
    case Outcome::kDone:
      return py.new_list(0);
    case Outcome::kFailed:
      if (py.error() == nullptr) return py.call_with(self.raise, nullptr);
      pending = nullptr;  // it has only said that Python's own error is set, as an interrupt's
      return nullptr;
    case Outcome::kLong:
      break;
  }
  return py.call(self.long_way, args, keywords);
}

void release(PythonObject* capsule) {
  const Python& py = python();
  const auto* self = static_cast<const PythonCall*>(py.capsule_pointer(capsule, kCapsuleName));
  py.decrement(self->long_way);
  py.decrement(self->raise);
  delete self;
}

/// The interpreter keeps its address.
PythonFunctionInfo function_info = {"kernel", call_kernel, kArgumentsAndKeywords, nullptr};

PythonObject* at_address(int64_t address) { return reinterpret_cast<PythonObject*>(address); }

void tensor_class_add(int64_t address) {
  const PythonLock lock;
  const Python& py = python();
  PythonObject* cls = at_address(address);
  PythonObject* capsule = py.attribute(cls, "__dlpack_c_exchange_api__");
  const auto* exchange = static_cast<const DLPackExchangeAPI*>(
      capsule != nullptr ? py.capsule_pointer(capsule, "dlpack_exchange_api") : nullptr);
  py.clear_error();
  if (capsule != nullptr) py.decrement(capsule);
  if (exchange == nullptr || exchange->header.version.major != DLPACK_MAJOR_VERSION) return;
  if (exchange->dltensor_from_py_object_no_sync == nullptr || exchange->current_work_stream == nullptr) return;
  tensor_classes.add(cls, exchange);
}

void raise_pending() {
  if (pending != nullptr) std::rethrow_exception(std::exchange(pending, nullptr));
}

}  // namespace

ffi::Function python_call_maker(std::shared_ptr<LoadedKernel> kernel) {
  return ffi::Function::FromTyped([kernel](int64_t list, int64_t long_way, int64_t raise) {
    const PythonLock lock;
    const Python& py = python();
    auto* made = new PythonCall{kernel, at_address(long_way), at_address(raise)};
    py.increment(made->long_way);
    py.increment(made->raise);
    PythonObject* capsule = py.new_capsule(made, kCapsuleName, release);
    TL_CHECK(capsule != nullptr, "no memory for a kernel's function");
    PythonObject* function = py.new_function(&function_info, capsule, nullptr);
    py.decrement(capsule);
    TL_CHECK(function != nullptr, "no memory for a kernel's function");
    py.append(at_address(list), function);
    py.decrement(function);
  });
}

TVM_FFI_STATIC_INIT_BLOCK() {
  Registry(Origin::kBuilder)
      .def("tl.tensor_class_add", +tensor_class_add)
      .def(
          "tl.tensor_classes_close", +[]() { tensor_classes.close(); })
      .def("tl.raise_pending", +raise_pending);
}

}  // namespace tl::binding
