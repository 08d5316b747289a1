#include "runtime/arguments.h"

#include <fmt/format.h>

#include "runtime/argument_errors.h"
#include "runtime/scalar_argument.h"

namespace tl {
namespace {

constexpr TypeClass kE4M3[] = {TypeClass::kFloat8E4M3, TypeClass::kFloat8E4M3FN, TypeClass::kFloat8E4M3FNUZ,
                               TypeClass::kFloat8E4M3B11FNUZ};
constexpr TypeClass kE5M2[] = {TypeClass::kFloat8E5M2, TypeClass::kFloat8E5M2FNUZ};

bool in_family(std::span<const TypeClass> family, DType t) {
  for (const TypeClass cls : family) {
    if (t.cls() == cls) return true;
  }
  return false;
}

bool same_family(std::span<const TypeClass> family, DType a, DType b) {
  return in_family(family, a) && in_family(family, b);
}

/// How many declared elements one given element holds: 2 for a packed 4-bit type passed as bytes.
int64_t packing(const ParamSpec& param, const TensorView& view) {
  const int declared = param.dtype.bits() * param.dtype.lanes(), given = view.dtype.bits() * view.dtype.lanes();
  return declared < 8 && given == 8 ? given / declared : 1;
}

/// The view in units of the declared element type.
class DeclaredView {
 public:
  DeclaredView(const ParamSpec& param, const TensorView& view) : view_(view), packing_(packing(param, view)) {}

  int64_t extent(int axis) const { return view_.shape[axis] * (is_last(axis) ? packing_ : 1); }
  int64_t stride(int axis) const {
    if (view_.strides != nullptr) return view_.strides[axis] * (is_last(axis) ? 1 : packing_);
    return compact_stride(axis);
  }
  int64_t compact_stride(int axis) const {
    int64_t stride = 1;
    for (int i = axis + 1; i < view_.rank; ++i) stride *= extent(i);
    return stride;
  }
  bool is_empty() const {
    for (int i = 0; i < view_.rank; ++i) {
      if (view_.shape[i] == 0) return true;
    }
    return false;
  }

 private:
  bool is_last(int axis) const { return axis == view_.rank - 1; }
  const TensorView& view_;
  int64_t packing_;
};

/// Binds one call. Members run in the order that bind_call promises.
class Binder {
 public:
  /// `with_outputs` says whether the arguments are one a parameter or one an input.
  Binder(const Artifact& artifact, bool with_outputs, std::span<const Argument> arguments, BoundCall& call)
      : artifact_(artifact), signature_(artifact.signature), call_(call) {
    const size_t count = signature_.params.size();
    call_.words.assign(count, 0);
    call_.slots.assign(signature_.slot_names.size(), 0);
    call_.given.assign(count, nullptr);
    call_.device = {target_device_type(artifact.target), -1};
    size_t next = 0;
    for (size_t param = 0; param < count; ++param) {
      if (!with_outputs && signature_.params[param].output) continue;
      if (next < arguments.size()) call_.given[param] = &arguments[next];
      ++next;
    }
    if (next != arguments.size()) throw_wrong_count(artifact_, next, arguments.size());
  }

  void run() {
    each([this](int param) { check_kind(param); });
    each([this](int param) { check_null(param); });
    each([this](int param) { check_rank_and_dtype(param); });
    for (const SlotBinding& binding : signature_.bindings) bind(binding);
    each([this](int param) { check_layout(param); });
  }

 private:
  const ParamSpec& spec(int param) const { return signature_.params[param]; }
  const Argument& argument(int param) const { return *call_.given[param]; }
  /// Calls `f` for every parameter that has an argument, in order.
  template <class F>
  void each(F&& f) const {
    for (size_t i = 0; i < call_.given.size(); ++i) {
      if (call_.given[i] != nullptr) f(static_cast<int>(i));
    }
  }
  bool is_tensor(int param) const { return argument(param).kind == Argument::Kind::kTensor; }
  [[noreturn]] void fail(int code, int param, std::string text) const {
    throw_argument_error(code, artifact_, spec(param), std::move(text));
  }

  void check_kind(int param) {
    const Argument& given = argument(param);
    switch (spec(param).kind) {
      case ParamKind::kScalar:
        call_.words[param] = scalar_word(artifact_, spec(param), given);
        return;
      case ParamKind::kPointer:
        if (given.kind == Argument::Kind::kInt) {
          call_.words[param] = static_cast<uint64_t>(given.integer);
          return;
        }
        [[fallthrough]];
      case ParamKind::kTensor:
        if (given.kind == Argument::Kind::kNull) return;
        if (given.kind != Argument::Kind::kTensor) {
          fail(101, param, "expected pointer or tensor handle; got: " + describe_kind(given));
        }
        call_.words[param] = given.tensor.address();
    }
  }

  void check_null(int param) const {
    const Argument& given = argument(param);
    if (spec(param).kind == ParamKind::kScalar || !spec(param).used) return;
    if (given.kind == Argument::Kind::kNull) fail(107, param, "is expected to have non-NULL pointer; got: None");
    if (given.kind == Argument::Kind::kInt && given.integer == 0) {
      fail(107, param, "is expected to have non-NULL pointer; got: 0");
    }
    if (!is_tensor(param) || given.tensor.data != nullptr) return;
    if (!DeclaredView(spec(param), given.tensor).is_empty()) fail(107, param, "data pointer is NULL");
  }

  void check_rank_and_dtype(int param) const {
    if (!is_tensor(param) || spec(param).kind != ParamKind::kTensor) return;
    const TensorView& view = argument(param).tensor;
    const size_t rank = spec(param).shape.size();
    if (static_cast<size_t>(view.rank) != rank) {
      fail(102, param, fmt::format("ndim mismatch, expected {0}; expected: {0}, got: {1}", rank, view.rank));
    }
    if (!accepts_dtype(spec(param).dtype, view.dtype)) {
      const std::string got = view.dtype.is_void() ? std::string(view.dtype_text) : view.dtype.name();
      fail(103, param, fmt::format("dtype mismatch, expected {}; got: {}", spec(param).dtype.name(), got));
    }
  }

  void bind(const SlotBinding& binding) {
    for (const SlotSource& source : binding.sources) {
      // The address of an output that is still to be made is 0.
      if (call_.given[source.field.param] == nullptr && is_address(source)) return;
      if (call_.given[source.field.param] == nullptr) continue;
      if (argument(source.field.param).kind == Argument::Kind::kNull && !is_address(source)) continue;
      const int64_t found = solve(source, read(source.field));
      if (!fits(binding.dtype, found)) {
        fail(104, source.field.param,
             fmt::format("gives `{0}` the value {1}, which its type {2} cannot hold",
                         signature_.slot_names[binding.slot], found, binding.dtype.name()));
      }
      call_.slots[binding.slot] = found;
      return;
    }
    throw_unbound_symbol(artifact_, binding);
  }

  static bool is_address(const SlotSource& source) { return source.field.kind == ArgumentField::Kind::kAddress; }
  static bool fits(DType t, int64_t value) {
    if (t.bits() >= 64) return true;
    return value >= integer_min(t) && value <= static_cast<int64_t>(integer_max(t));
  }

  int64_t read(const ArgumentField& field) const {
    const DeclaredView view(spec(field.param), argument(field.param).tensor);
    switch (field.kind) {
      case ArgumentField::Kind::kExtent:
        return view.extent(field.axis);
      case ArgumentField::Kind::kStride:
        return view.stride(field.axis);
      default:
        return static_cast<int64_t>(call_.words[field.param]);
    }
  }

  /// The symbol of scale * symbol + offset == value. Where the division leaves a rest, or by 0, the check of the extent
  /// that follows fails with the right message.
  int64_t solve(const SlotSource& source, int64_t value) const {
    const int64_t scale = source.scale.evaluate(call_.slots);
    const int64_t rest = value - source.offset.evaluate(call_.slots);
    return scale == 0 ? 0 : scale == -1 ? -rest : rest / scale;
  }

  void check_layout(int param) {
    if (spec(param).kind == ParamKind::kPointer && call_.words[param] % spec(param).alignment != 0) {
      fail(105, param, fmt::format("data pointer is not aligned to its elements of {} bytes", spec(param).alignment));
    }
    if (!is_tensor(param)) return;
    const TensorView& view = argument(param).tensor;
    if (spec(param).kind == ParamKind::kTensor) {
      const DeclaredView declared(spec(param), view);
      check_extents(param, declared);
      if (!declared.is_empty()) check_strides(param, declared);
      const int64_t element = view.dtype.bytes();
      const int64_t power_of_two = element & -element;
      if (element > 1 && (view.address() & static_cast<uint64_t>(power_of_two - 1)) != 0) {
        fail(105, param, fmt::format("data pointer is not aligned to its elements of {} bytes", element));
      }
    }
    check_device(param, view.device);
    if (view.read_only && spec(param).written) fail(101, param, "is read-only, but the kernel writes to it");
  }

  void check_extents(int param, const DeclaredView& view) const {
    const std::vector<Dim>& shape = spec(param).shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t expected = shape[i].value.evaluate(call_.slots), got = view.extent(static_cast<int>(i));
      if (expected == got) continue;
      fail(104, param,
           fmt::format("shape[{}] violates packed ABI constraint; expected: {}, got: {}", i,
                       describe_dim(shape[i], expected), got));
    }
  }

  void check_strides(int param, const DeclaredView& view) const {
    const std::vector<Dim>&strides = spec(param).strides, &shape = spec(param).shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int axis = static_cast<int>(i);
      if (view.extent(axis) == 1) continue;
      const int64_t expected = strides.empty() ? view.compact_stride(axis) : strides[i].value.evaluate(call_.slots);
      const int64_t got = view.stride(axis);
      if (expected == got) continue;
      if (strides.empty()) {
        fail(105, param,
             fmt::format("expected to be compact array, but got non-compact strides; strides[{}] expected: {}, "
                         "got: {}",
                         i, expected, got));
      }
      fail(105, param,
           fmt::format("strides[{}] violates packed ABI constraint; expected: {}, got: {}", i,
                       describe_dim(strides[i], expected), got));
    }
  }

  void check_device(int param, Device device) {
    const int32_t expected = call_.device.type;
    const bool host_memory = expected == Device::kCpu && device.type == Device::kCudaHost;
    if (device.type != expected && !host_memory) {
      fail(106, param,
           fmt::format("device_type mismatch, expected {}; got: {}", device_type_name(expected),
                       device_type_name(device.type)));
    }
    if (expected == Device::kCpu) return;
    if (call_.device.index < 0) call_.device.index = device.index;
    if (call_.device.index != device.index) {
      fail(106, param,
           fmt::format("device_id violates packed ABI constraint; expected: {}, got: {}", call_.device.index,
                       device.index));
    }
  }

  const Artifact& artifact_;
  const Signature& signature_;
  BoundCall& call_;
};

}  // namespace

bool accepts_dtype(DType declared, DType given) {
  if (declared == given) return true;
  if (given.is_void()) return false;
  if (same_family(kE4M3, declared, given) || same_family(kE5M2, declared, given)) return true;
  const bool byte = given.is_integral() && given.bits() == 8 && given.is_scalar();
  if (declared.is_bool() && declared.is_scalar()) return byte;
  if (declared.cls() == TypeClass::kTFloat32) return given == DType::f32().with_lanes(declared.lanes());
  const int bits = declared.bits() * declared.lanes();
  if (bits < 8) return byte || (declared.is_float4() && given.is_float4());
  return false;
}

void bind_call(const Artifact& artifact, std::span<const Argument> arguments, BoundCall& call) {
  Binder(artifact, true, arguments, call).run();
}

BoundCall bind_call(const Artifact& artifact, std::span<const Argument> arguments) {
  BoundCall call;
  bind_call(artifact, arguments, call);
  return call;
}

std::vector<std::vector<int64_t>> output_extents(const Artifact& artifact, std::span<const Argument> inputs) {
  BoundCall call;
  Binder(artifact, false, inputs, call).run();
  std::vector<std::vector<int64_t>> extents;
  for (const int output : artifact.signature.output_indices()) {
    std::vector<int64_t>& shape = extents.emplace_back();
    for (const Dim& dim : artifact.signature.params[output].shape) shape.push_back(dim.value.evaluate(call.slots));
  }
  return extents;
}

}  // namespace tl
