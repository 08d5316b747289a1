#pragma once

// From values of the ABI to C++ values. Throw CompileError for what the user may have passed.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binding/objects.h"
#include "ir/enum_names.h"

namespace tl::binding {

using Args = ffi::Array<ffi::Any>;
using OptionMap = ffi::Optional<ffi::Map<ffi::String, ffi::Any>>;

/// An expression, or a Python int, float, bool or str. Error: TL009 for anything else.
Operand to_operand(const ffi::AnyView& value);
std::vector<Operand> to_operands(const Args& values);
/// A buffer, a region, or the value of an element. Error: TL042 for anything else.
TileOperand to_tile(const ffi::AnyView& value);
std::vector<int64_t> to_ints(const Args& values);
std::vector<std::string> to_strings(const Args& values);
/// Plain data by name; values are bool, int, float, str or lists of int. Error: TL044.
Attrs to_attrs(const OptionMap& values);
AttrValue to_attr(std::string_view key, const ffi::AnyView& value);
/// Error: TL083.
DType to_dtype(std::string_view name);
/// A scope string of the language or a word of the text IR. Error: TL074.
MemorySpace to_space(std::string_view name);

/// A mistake in what was passed, found before any call of the builder.
class ArgumentError : public CompileError {
  using CompileError::CompileError;
};

/// Throws ArgumentError.
[[noreturn]] void refuse(int code, std::string message, std::string help = {});
[[noreturn]] void refuse_enum(std::string_view type, std::string_view name, std::string allowed);

/// A value of an enum from its word in the text IR. Error: TL044, with the words allowed.
template <class E>
E to_enum(std::string_view name) {
  if (const auto value = parse_enum<E>(name)) return *value;
  std::string allowed;
  for (const std::string_view word : EnumNames<E>::kNames) allowed += (allowed.empty() ? "" : ", ") + std::string(word);
  refuse_enum(EnumNames<E>::kType, name, std::move(allowed));
}

/// Named options of a call; absent and None are the same.
class Options {
 public:
  explicit Options(const OptionMap& map) : map_(map) {}
  std::optional<ffi::Any> find(const char* key) const;
  std::string text(const char* key) const;
  /// Error: `code`, where the value is no integer.
  int64_t integer(const char* key, int64_t otherwise, int code) const;
  std::vector<int64_t> integers(const char* key) const;
  Attrs hints() const;

 private:
  const OptionMap& map_;
};

}  // namespace tl::binding
