#include "runtime/scalar_argument.h"

#include <fmt/format.h>

#include "runtime/argument_errors.h"
#include "types/scalar.h"

namespace tl {
namespace {

bool holds_integer(const Argument& a) { return a.kind == Argument::Kind::kInt || a.kind == Argument::Kind::kBool; }

bool in_range(DType t, const Argument& a) {
  if (a.above_int64) return t.is_uint() && t.bits() == 64;
  if (t.is_uint()) return a.integer >= 0 && static_cast<uint64_t>(a.integer) <= integer_max(t);
  return a.integer >= integer_min(t) && a.integer <= static_cast<int64_t>(integer_max(t));
}

std::string integer_text(const Argument& a) {
  return a.above_int64 ? std::to_string(static_cast<uint64_t>(a.integer)) : std::to_string(a.integer);
}

}  // namespace

uint64_t scalar_word(const Artifact& artifact, const ParamSpec& param, const Argument& a) {
  const auto fail = [&](std::string text) { throw_argument_error(101, artifact, param, std::move(text)); };
  const DType t = param.dtype;
  if (t.is_floating()) {
    if (a.kind == Argument::Kind::kFloat) return Scalar::of_float(t, a.real).to_bits();
    if (!holds_integer(a)) fail("expected float; got: " + describe_kind(a));
    const Scalar value =
        a.above_int64 ? Scalar::of_uint(t, static_cast<uint64_t>(a.integer)) : Scalar::of_int(t, a.integer);
    return value.to_bits();
  }
  if (!holds_integer(a))
    fail(fmt::format("expected {}; got: {}", t.is_bool() ? "boolean" : "integer", describe_kind(a)));
  if (t.is_bool()) return a.integer != 0;
  if (!in_range(t, a))
    fail(fmt::format("expected integer of type {}; {} is out of its range", t.name(), integer_text(a)));
  return static_cast<uint64_t>(a.integer);
}

}  // namespace tl
