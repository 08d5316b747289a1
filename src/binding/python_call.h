#pragma once

// The short way of a call from Python: tensors of PyTorch go from the interpreter's tuple to a launch, with nothing of
// the ABI library between.

#include <memory>

#include "binding/runtime_objects.h"

namespace tl::binding {

/// A function of three addresses of Python objects (their `id`): a list, to which it appends a Python function that
/// calls `kernel`, and two callables that the new function holds.
///
/// The new function takes the short way where no keyword is given, every argument is of a class of tensor_class_add,
/// and the kernel accepts them as one argument a parameter; it then returns an empty list. Everything else it hands on
/// to the first callable, as it came: that one takes the long way, or says what is wrong. When the kernel fails on the
/// short way, the second one is called without arguments: it raises what tl.raise_pending raises.
ffi::Function python_call_maker(std::shared_ptr<LoadedKernel> kernel);

}  // namespace tl::binding
