#include "binding/arguments.h"

#include <fmt/format.h>

namespace tl::binding {
namespace {

bool is_string(const ffi::AnyView& v) {
  return v.type_index() == ffi::TypeIndex::kTVMFFISmallStr || v.type_index() == ffi::TypeIndex::kTVMFFIStr ||
         v.type_index() == ffi::TypeIndex::kTVMFFIRawStr;
}

template <class Object>
const Object* as(const ffi::AnyView& v) {
  return v.as<Object>();
}

}  // namespace

void refuse(int code, std::string message, std::string help) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.help = std::move(help);
  throw ArgumentError(std::move(d));
}

void refuse_enum(std::string_view type, std::string_view name, std::string allowed) {
  refuse(44, fmt::format("`{}` is not a value of {}", name, type), "use one of " + std::move(allowed));
}

Operand to_operand(const ffi::AnyView& value) {
  if (const auto* e = as<ExprObject>(value)) return e->value;
  switch (value.type_index()) {
    case ffi::TypeIndex::kTVMFFIInt:
      return value.cast<int64_t>();
    case ffi::TypeIndex::kTVMFFIBool:
      return value.cast<bool>();
    case ffi::TypeIndex::kTVMFFIFloat:
      return value.cast<double>();
    default:
      break;
  }
  if (is_string(value)) return make_string(value.cast<std::string>());
  refuse(9, fmt::format("a value of type {} has no meaning in an expression", value.GetTypeKey()),
         "use a number, an expression or an element such as A[i]");
}

std::vector<Operand> to_operands(const Args& values) {
  std::vector<Operand> out;
  out.reserve(values.size());
  for (const ffi::Any& v : values) out.push_back(to_operand(v));
  return out;
}

TileOperand to_tile(const ffi::AnyView& value) {
  if (const auto* buffer = as<BufferObject>(value)) return buffer->value;
  if (const auto* region = as<RegionObject>(value)) return region->value;
  if (const auto* e = as<ExprObject>(value)) {
    if (const auto* load = e->value.as<LoadNode>()) return TileOperand::element(*load);
  }
  refuse(42, fmt::format("Unsupported argument type for to_buffer_region: {}", value.GetTypeKey()),
         "pass a buffer, a slice such as A[0:64, :], or an element such as A[i, j]");
}

std::vector<int64_t> to_ints(const Args& values) {
  std::vector<int64_t> out;
  for (const ffi::Any& v : values) out.push_back(v.cast<int64_t>());
  return out;
}

std::vector<std::string> to_strings(const Args& values) {
  std::vector<std::string> out;
  for (const ffi::Any& v : values) out.push_back(v.cast<std::string>());
  return out;
}

AttrValue to_attr(std::string_view key, const ffi::AnyView& value) {
  switch (value.type_index()) {
    case ffi::TypeIndex::kTVMFFIBool:
      return value.cast<bool>();
    case ffi::TypeIndex::kTVMFFIInt:
      return value.cast<int64_t>();
    case ffi::TypeIndex::kTVMFFIFloat:
      return value.cast<double>();
    case ffi::TypeIndex::kTVMFFIArray:
      return to_ints(value.cast<Args>());
    default:
      break;
  }
  if (is_string(value)) return value.cast<std::string>();
  refuse(44, fmt::format("the value of `{}` is of type {}", key, value.GetTypeKey()),
         "use a bool, an int, a float, a string or a list of ints");
}

Attrs to_attrs(const OptionMap& values) {
  Attrs out;
  if (!values.has_value()) return out;
  for (const auto& [key, value] : *values) {
    if (value.type_index() != ffi::TypeIndex::kTVMFFINone)
      out[key] = to_attr(std::string_view(key.data(), key.size()), value);
  }
  return out;
}

DType to_dtype(std::string_view name) {
  if (const auto dtype = parse_dtype(name)) return *dtype;
  refuse(83, fmt::format("unknown dtype `{}`", name), "use a name such as \"float16\", \"int32\" or \"float8_e4m3fn\"");
}

MemorySpace to_space(std::string_view name) {
  if (const auto space = parse_scope(name)) return *space;
  if (const auto space = parse_space(name)) return *space;
  refuse(74, fmt::format("unknown memory scope `{}`", name),
         "use a scope such as \"shared.dyn\", \"local.fragment\" or \"local\"");
}

std::optional<ffi::Any> Options::find(const char* key) const {
  if (!map_.has_value()) return std::nullopt;
  const auto value = (*map_).Get(key);
  if (!value.has_value() || value->type_index() == ffi::TypeIndex::kTVMFFINone) return std::nullopt;
  return *value;
}

std::string Options::text(const char* key) const {
  const auto value = find(key);
  return value ? value->cast<std::string>() : std::string();
}

int64_t Options::integer(const char* key, int64_t otherwise, int code) const {
  const auto value = find(key);
  if (!value) return otherwise;
  if (value->type_index() == ffi::TypeIndex::kTVMFFIInt) return value->cast<int64_t>();
  const auto* e = value->as<ExprObject>();
  const auto constant = e != nullptr ? as_int(e->value) : std::nullopt;
  if (constant) return *constant;
  refuse(code, fmt::format("{} must be an integer constant", key), "use a Python int");
}

std::vector<int64_t> Options::integers(const char* key) const {
  const auto value = find(key);
  return value ? to_ints(value->cast<Args>()) : std::vector<int64_t>();
}

Attrs Options::hints() const {
  const auto value = find("hints");
  return value ? to_attrs(value->cast<OptionMap>()) : Attrs();
}

}  // namespace tl::binding
