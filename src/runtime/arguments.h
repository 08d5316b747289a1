// The arguments of a call, checked against a signature and turned into what kernels take.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/artifact.h"

namespace tl {

/// Where memory is. Numbers are those of DLPack.
struct Device {
  static constexpr int32_t kCpu = 1, kCuda = 2, kCudaHost = 3;
  int32_t type = kCpu;
  int32_t index = 0;

  bool operator==(const Device&) const = default;
};

/// "cpu", "cuda", ...; "device type 99" for one without a name.
std::string device_type_name(int32_t type);
/// Where a target's tensors are: Device::kCuda for "sm_90a" and its like, Device::kCpu for the host's targets.
int32_t target_device_type(std::string_view target);

/// An array of the caller, borrowed for the call. A null `strides` means compact and row-major. Nothing is copied.
struct TensorView {
  void* data = nullptr;
  uint64_t byte_offset = 0;
  /// A void type is one the language has no name for; `dtype_text` then says what it is.
  DType dtype;
  std::string_view dtype_text;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  /// In elements.
  const int64_t* strides = nullptr;
  Device device;
  /// The caller may not have it changed.
  bool read_only = false;

  uint64_t address() const { return reinterpret_cast<uint64_t>(data) + byte_offset; }
};

struct Argument {
  enum class Kind : uint8_t { kNull, kTensor, kBool, kInt, kFloat, kOther };
  Kind kind = Kind::kNull;
  TensorView tensor;
  /// Value of kBool and kInt; an address may come as kInt.
  int64_t integer = 0;
  /// kInt only: `integer` is the two's complement of a value above INT64_MAX.
  bool above_int64 = false;
  double real = 0;
  /// kOther only: the type's name, for the message.
  std::string_view type_name;
};

/// Memory of the caller's framework for workspaces of one call: on the call's device, for use in the call's stream, and
/// there until the call has returned.
class CallerMemory {
 public:
  virtual ~CallerMemory() = default;
  /// The address of `bytes`, a multiple of 256; 0 where the framework has none to give. Throws CompileError 94 when it
  /// fails; `kernel` is for the message.
  virtual uint64_t allocate(size_t bytes, const std::string& kernel) = 0;
};

/// A call whose arguments have passed every check.
struct BoundCall {
  /// One per parameter: address of the first element, or the scalar's bits (integers sign- or zero-extended by their
  /// type, floats as their own pattern in the low bits).
  std::vector<uint64_t> words;
  /// One per slot; those of the host program's own variables are 0.
  std::vector<int64_t> slots;
  /// The arguments as given, one per parameter; null for outputs that are still to be made.
  std::vector<const Argument*> given;
  /// Where the tensors are; an index of -1 where there is none that says it.
  Device device;
  /// Where a GPU's work goes: the stream's handle, null for the default one. bind_call leaves it alone.
  void* stream = nullptr;
  /// Where a GPU's workspaces come from, null for the driver. bind_call leaves it alone too.
  CallerMemory* memory = nullptr;
};

/// Checks one argument per parameter (outputs too) and binds the slots. Throws CompileError: code 100 for a wrong
/// count, 101 to 107 for the rest, in this order: count, kinds, null, then for each tensor rank, dtype, extents,
/// strides, device. Size-1 dimensions have any stride; a tensor without elements has any strides and may have no data.
/// Arguments may overlap.
BoundCall bind_call(const Artifact& artifact, std::span<const Argument> arguments);
/// The same into a value that was used before, whose memory is used again.
void bind_call(const Artifact& artifact, std::span<const Argument> arguments, BoundCall& call);

/// The extents of every output, in order of declaration, for the given inputs (arguments that are not outputs), which
/// are checked first as bind_call does.
std::vector<std::vector<int64_t>> output_extents(const Artifact& artifact, std::span<const Argument> inputs);

/// Whether an array of type `given` may be passed for a parameter of type `declared`: the same type; within the e4m3 or
/// the e5m2 family of fp8; 8-bit integers for bool; float32 for tfloat32; any 8-bit type for packed sub-byte types.
bool accepts_dtype(DType declared, DType given);

}  // namespace tl
