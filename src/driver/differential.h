#pragma once

// Running one function on two executors and comparing: the heart of differential tests and of `tlc run`.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/function.h"
#include "simulate/interpreter.h"

namespace tl {

/// An array in memory of its own, row-major and compact unless `strides` say otherwise (in elements).
struct TensorValue {
  DType dtype;  // void: this parameter is a scalar
  std::vector<int64_t> shape, strides;
  std::vector<uint8_t> bytes;

  int64_t count() const;
  /// The element at row-major position `index`.
  Scalar at(int64_t index) const;
  void set(int64_t index, Scalar value);

 private:
  int64_t element_of(int64_t index) const;
};

/// One entry a parameter in each list.
struct ArgumentSet {
  std::vector<TensorValue> tensors;
  std::vector<Scalar> scalars;
};

/// Arguments that fit the function: symbols have the values of `settings`, or small random ones. Values are small and,
/// for floats, multiples of 1/2, so that sums and products of them are exact. Throws CompileError TL104 when an extent
/// cannot be evaluated.
ArgumentSet random_arguments(const Function& function, uint64_t seed,
                             const std::map<std::string, int64_t>& settings = {});

/// Runs the function on "host" or "interpret", in place. The report is empty for the host.
RunReport run_on(const std::string& target, const Function& function, ArgumentSet& arguments,
                 const InterpretOptions& options = {});

struct Comparison {
  /// Findings of the interpreter.
  RunReport report;
  /// Where results differ, in words; empty when they agree.
  std::string difference;
};

/// Runs both from the same arguments. Integers and bool agree bit by bit; floats too (any NaN being any NaN) unless the
/// function calls elementary functions or sums, where they agree to a few units in the last place of the largest value.
Comparison compare_host_with_interpreter(const Function& function, const ArgumentSet& arguments);

}  // namespace tl
