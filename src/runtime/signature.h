// How a kernel is called: its parameters, and the symbols that its arguments give values to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/int_program.h"
#include "types/dtype.h"

namespace tl {

enum class ParamKind : uint8_t {
  kTensor,   // an array described by shape and strides
  kScalar,   // an integer, bool or float passed by value
  kPointer,  // a raw address (T.ptr); an array gives its data pointer
};

/// An extent or a stride (in elements) that an argument must have.
struct Dim {
  IntProgram value;
  /// How the user wrote it ("m * 2"), for messages; may be empty for a constant.
  std::string text;
};

struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::kTensor;
  /// Element type of a tensor, type of a scalar; handle for a pointer.
  DType dtype;
  /// One per dimension; empty for a 0-dim tensor and everything that is not a tensor.
  std::vector<Dim> shape;
  /// Empty: compact and row-major. Otherwise one per dimension.
  std::vector<Dim> strides;
  /// Of a pointer: what its address is a multiple of.
  int64_t alignment = 1;
  /// Allocated by the callee and returned; not among the arguments of the call.
  bool output = false;
  /// False when no kernel reads or writes it: a null argument is then accepted.
  bool used = true;
  /// True when a kernel writes to it: memory that may only be read is then refused.
  bool written = false;
};

/// A number that an argument carries.
struct ArgumentField {
  enum class Kind : uint8_t {
    kExtent,   // shape[axis] of a tensor
    kStride,   // strides[axis] of a tensor, in elements; of a compact array, what row-major order implies
    kScalar,   // the value of an integer or bool scalar
    kAddress,  // address of a tensor's first element (byte_offset included), value of a pointer; 0 for an output
               // that is still to be made
  };
  Kind kind = Kind::kExtent;
  int param = 0;
  int axis = 0;

  bool operator==(const ArgumentField&) const = default;
};

/// One way to find a symbol: scale * symbol + offset == field. `scale` and `offset` read only slots bound before.
/// A dimension that is the symbol alone has the constants 1 and 0.
struct SlotSource {
  ArgumentField field;
  IntProgram scale = IntProgram::constant(1);
  IntProgram offset = IntProgram::constant(0);
};

/// Gives a slot its value from the first source whose argument is not null. A value that `dtype` cannot hold is
/// refused.
struct SlotBinding {
  int slot = 0;
  DType dtype = DType::i64();
  std::vector<SlotSource> sources;
};

/// Slots are int64 values: first those that `bindings` fill from the arguments, in this order (symbols, integer
/// scalars, strides, addresses: whatever programs read), then the host program's own variables. After binding, every
/// extent and stride of every tensor argument is compared with its program; outputs are allocated from theirs.
struct Signature {
  std::vector<ParamSpec> params;
  /// Names of all slots, for messages and dumps; its size is the number of slots.
  std::vector<std::string> slot_names;
  std::vector<SlotBinding> bindings;

  /// Parameters that the caller passes, in order.
  std::vector<int> input_indices() const;
  /// Parameters that the callee allocates, in order of declaration.
  std::vector<int> output_indices() const;
  /// Throws InternalError, saying where, when an index is out of range or a program is incomplete or reads a slot that
  /// is not bound before it.
  void verify() const;
};

}  // namespace tl
