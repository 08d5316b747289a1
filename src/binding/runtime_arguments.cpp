// From arguments of the ABI to views of arrays and scalars.
//
// NumPy arrays come as a pair: the address of the PyCapsule that their `__array_struct__` gives (NumPy's array
// interface, version 3), and the code of their dtype (a str with its name where the language has none). This costs a
// tenth of a microsecond, and works for read-only arrays and for the types of ml_dtypes, which DLPack refuses. An
// integer above the largest int64 is a pair too: its two's complement, and None.

#include <fmt/format.h>

#include <array>

#include "binding/cpython.h"
#include "binding/runtime_objects.h"
#include "support/diagnostic.h"

namespace tl::binding {
namespace {

/// PyArrayInterface of NumPy's documented array interface.
struct ArrayInterface {
  int two;
  int rank;
  char kind;
  int item_size;
  int flags;
  intptr_t* shape;
  intptr_t* strides;  // bytes
  void* data;
  void* description;
};

/// NPY_ARRAY_WRITEABLE
constexpr int kWriteable = 0x0400;

const ArrayInterface& array_interface(PythonObject* capsule) {
  const auto* found = static_cast<const ArrayInterface*>(python().capsule_pointer(capsule, nullptr));
  TL_CHECK(found != nullptr && found->two == 2, "not an array interface");
  return *found;
}

struct CodeRow {
  int code;
  TypeClass cls;
};

/// DLPack's type codes that have a class here; those of integers and floats come in several widths.
constexpr CodeRow kCodes[] = {
    {kDLInt, TypeClass::kInt},
    {kDLUInt, TypeClass::kUInt},
    {kDLFloat, TypeClass::kFloat},
    {kDLBfloat, TypeClass::kBFloat},
    {kDLBool, TypeClass::kBool},
    {kDLFloat8_e3m4, TypeClass::kFloat8E3M4},
    {kDLFloat8_e4m3, TypeClass::kFloat8E4M3},
    {kDLFloat8_e4m3b11fnuz, TypeClass::kFloat8E4M3B11FNUZ},
    {kDLFloat8_e4m3fn, TypeClass::kFloat8E4M3FN},
    {kDLFloat8_e4m3fnuz, TypeClass::kFloat8E4M3FNUZ},
    {kDLFloat8_e5m2, TypeClass::kFloat8E5M2},
    {kDLFloat8_e5m2fnuz, TypeClass::kFloat8E5M2FNUZ},
    {kDLFloat8_e8m0fnu, TypeClass::kFloat8E8M0FNU},
    {kDLFloat6_e2m3fn, TypeClass::kFloat6E2M3FN},
    {kDLFloat6_e3m2fn, TypeClass::kFloat6E3M2FN},
    {kDLFloat4_e2m1fn, TypeClass::kFloat4E2M1FN},
};

/// Void where the language has no such type.
DType find_dtype(DLDataType type) {
  for (const CodeRow& row : kCodes) {
    if (row.code != type.code) continue;
    const DType found(row.cls, type.bits, type.lanes);
    return parse_dtype(found.name()) == found ? found : DType();
  }
  return DType();
}

/// find_dtype of every scalar type that DLPack can describe in 128 bits, found once.
DType dtype_of(DLDataType type) {
  constexpr int kCodeCount = 32, kMaxBits = 128;
  using Table = std::array<std::array<DType, kMaxBits + 1>, kCodeCount>;
  static const auto& scalars = *[] {
    auto* table = new Table;
    for (int code = 0; code < kCodeCount; ++code) {
      for (int bits = 1; bits <= kMaxBits; ++bits) {
        (*table)[code][bits] = find_dtype({static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1});
      }
    }
    return table;
  }();
  if (type.lanes == 1 && type.code < kCodeCount && type.bits <= kMaxBits) return scalars[type.code][type.bits];
  return find_dtype(type);
}

/// The dtype of Python's table of codes.
DType dtype_of(int64_t code) {
  return {static_cast<TypeClass>(code >> 24 & 0xff), static_cast<uint8_t>(code >> 16 & 0xff),
          static_cast<uint16_t>(code & 0xffff)};
}

/// Bit i: argument i is a pair.
class Layout {
 public:
  explicit Layout(const ffi::AnyView& value) {
    if (const auto bits = value.as<int64_t>()) {
      bits_ = static_cast<uint64_t>(*bits);
    } else {
      text_ = value.cast<std::string>();
    }
  }
  bool is_pair(size_t i) const {
    if (text_.empty()) return i < 64 && (bits_ >> i & 1) != 0;
    return i < text_.size() && text_[i] == '1';
  }

 private:
  uint64_t bits_ = 0;
  std::string text_;
};

}  // namespace

CallArguments::CallArguments(ffi::PackedArgs packed, std::vector<Argument>& memory) : CallArguments(memory) {
  const Layout layout(packed[0]);
  for (int at = 1; at < packed.size();) {
    if (layout.is_pair(count_)) {
      add_pair(packed[at], packed[at + 1]);
      at += 2;
    } else {
      add_value(packed[at]);
      at += 1;
    }
  }
}

std::string_view CallArguments::keep(std::string text) { return texts_.emplace_front(std::move(text)); }

void CallArguments::add_value(const ffi::AnyView& value) {
  using Kind = Argument::Kind;
  const auto type = value.type_index();
  if (type == ffi::TypeIndex::kTVMFFIDLTensorPtr || type == ffi::TypeIndex::kTVMFFITensor) {
    add(*value.cast<DLTensor*>());
    return;
  }
  Argument& argument = next();
  argument = Argument();
  switch (type) {
    case ffi::TypeIndex::kTVMFFINone:
      return;
    case ffi::TypeIndex::kTVMFFIBool:
      argument.kind = Kind::kBool;
      argument.integer = value.cast<bool>() ? 1 : 0;
      return;
    case ffi::TypeIndex::kTVMFFIInt:
      argument.kind = Kind::kInt;
      argument.integer = value.cast<int64_t>();
      return;
    case ffi::TypeIndex::kTVMFFIFloat:
      argument.kind = Kind::kFloat;
      argument.real = value.cast<double>();
      return;
    case ffi::TypeIndex::kTVMFFIOpaquePtr:
      argument.kind = Kind::kInt;
      argument.integer = reinterpret_cast<int64_t>(value.cast<void*>());
      return;
    default:
      argument.kind = Kind::kOther;
  }
  // What has no meaning as an argument comes as the name of its type.
  if (const auto name = value.as<ffi::String>()) {
    argument.type_name = keep(std::string(*name));
  } else {
    const std::string key = value.GetTypeKey();
    argument.type_name = keep(key == "ffi.BigInt" ? "int beyond 64 bits" : key);
  }
}

void CallArguments::add(const DLTensor& array) {
  Argument& argument = next();
  argument.kind = Argument::Kind::kTensor;
  TensorView& view = argument.tensor;
  view.data = array.data;
  view.byte_offset = array.byte_offset;
  view.dtype = dtype_of(array.dtype);
  view.rank = array.ndim;
  view.shape = array.shape;
  view.strides = array.strides;
  view.device = {static_cast<int32_t>(array.device.device_type), array.device.device_id};
  view.read_only = false;
  if (!view.dtype.is_void()) return;
  view.dtype_text =
      keep(fmt::format("DLPack type {} of {} bits x {}", array.dtype.code, array.dtype.bits, array.dtype.lanes));
}

void CallArguments::add_pair(const ffi::AnyView& address, const ffi::AnyView& dtype) {
  static_assert(sizeof(intptr_t) == sizeof(int64_t));
  if (dtype.type_index() == ffi::TypeIndex::kTVMFFINone) {
    Argument& unsigned_integer = next();
    unsigned_integer = Argument();
    unsigned_integer.kind = Argument::Kind::kInt;
    unsigned_integer.integer = address.cast<int64_t>();
    unsigned_integer.above_int64 = true;
    return;
  }
  const ArrayInterface& array = array_interface(reinterpret_cast<PythonObject*>(address.cast<int64_t>()));
  Argument& argument = next();
  argument = Argument();
  argument.kind = Argument::Kind::kTensor;
  TensorView& view = argument.tensor;
  view.data = array.data;
  view.read_only = (array.flags & kWriteable) == 0;
  if (const auto code = dtype.as<int64_t>()) {
    view.dtype = dtype_of(*code);
  } else {
    view.dtype_text = keep(dtype.cast<std::string>());
  }
  view.rank = array.rank;
  view.shape = reinterpret_cast<const int64_t*>(array.shape);
  std::vector<int64_t>& strides = strides_.emplace_front(array.rank);
  for (int i = 0; i < array.rank; ++i) {
    // A stride that is no whole number of elements fits no signature; -1 is the stride of no array that fits one.
    const int64_t bytes = array.strides[i];
    strides[i] = bytes % array.item_size == 0 ? bytes / array.item_size : -1;
  }
  view.strides = strides.data();
}

std::vector<std::unique_ptr<CallMemory::Parts>>& CallMemory::spare() {
  thread_local std::vector<std::unique_ptr<Parts>> parts;
  return parts;
}

CallMemory::CallMemory() {
  if (spare().empty()) {
    parts_ = std::make_unique<Parts>();
  } else {
    parts_ = std::move(spare().back());
    spare().pop_back();
  }
}

CallMemory::~CallMemory() { spare().push_back(std::move(parts_)); }

}  // namespace tl::binding
