#pragma once

// Running one function on two executors and comparing: the heart of differential tests and of `tlc run`.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/agreement.h"
#include "ir/function.h"
#include "runtime/arguments.h"
#include "runtime/executor.h"
#include "simulate/interpreter.h"

namespace tl {

/// Bytes behind the last element of a TensorValue that nothing may write.
constexpr int64_t kGuardBytes = 64;

/// An array in memory of its own, row-major and compact unless `strides` say otherwise (in elements). Elements of 4
/// bits are packed two to a byte, the first in the low half.
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

/// One of a call's arguments: the tensor, whose memory it borrows, or the scalar where the tensor has no type.
Argument argument_of(TensorValue& tensor, const Scalar& scalar);

/// Arguments that fit the function: symbols have the values of `settings`, or small random ones. Values are small and,
/// for floats, multiples of 1/2, so that sums and products of them are exact. Throws CompileError TL104 when an extent
/// cannot be evaluated, a tensor would have more than 2^26 elements, or lies at an address of the caller's.
ArgumentSet random_arguments(const Function& function, uint64_t seed,
                             const std::map<std::string, int64_t>& settings = {});

/// Runs the function on "host", "interpret" or a CUDA target, in place. The report is empty but for the interpreter.
/// What is printed goes to `options.print`.
RunReport run_on(const std::string& target, const Function& function, ArgumentSet& arguments,
                 const InterpretOptions& options = {});

/// Runs an artifact of `function` whose binary is there, in place; on a device, on copies in its memory.
void run_artifact(std::shared_ptr<const Artifact> artifact, const Function& function, ArgumentSet& arguments,
                  const PrintSink& print);

/// An artifact of `function` for a target, with its binary: by the host's compiler or NVRTC. `device_flags` are for the
/// latter, behind those that every program needs.
std::shared_ptr<const Artifact> built_artifact(const std::string& target, const Function& function,
                                               const std::vector<std::string>& device_flags = {});

/// The first element where results of two executors of `function` disagree by agreements_of, as "A[3]: host 1,
/// interpreter 2" with these two names; empty when there is none.
std::string difference(const Function& function, const std::string& name, const ArgumentSet& results,
                       const std::string& other_name, const ArgumentSet& others, AgreementOptions options = {});

struct Comparison {
  /// Findings of the interpreter.
  RunReport report;
  /// Where results differ, in words; empty when they agree.
  std::string difference;
};

struct ComparisonOptions {
  AgreementOptions agreement;
  InterpretOptions interpret;
};

/// Runs the host and the interpreter from the same arguments. Tensors agree as agreements_of says; what is printed is
/// not compared. The host does not run when the checker reports errors, divisions by zero aside, which give 0: such a
/// program has no one result.
Comparison compare_host_with_interpreter(const Function& function, const ArgumentSet& arguments,
                                         const ComparisonOptions& options = {});
/// The same with an artifact compiled before, for the host or a device.
Comparison compare_with_interpreter(std::shared_ptr<const Artifact> compiled, const Function& function,
                                    const ArgumentSet& arguments, const ComparisonOptions& options = {});

}  // namespace tl
