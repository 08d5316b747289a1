#include "backend/host/host_expr.h"

#include <fmt/format.h>

#include <cmath>

#include "backend/host/host_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

[[noreturn]] void unsupported(std::string what) {
  throw CompileError(Diagnostic{Severity::kError, 90, what + " is not available on the host target", {}, {}, {}});
}

/// A float32 value as the shortest literal that reads back as it.
std::string float_literal(double value) {
  if (std::isnan(value)) return "__builtin_nanf(\"\")";
  if (std::isinf(value)) return value > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  return Scalar::of_float(DType::f32(), value).text() + "f";
}

std::string double_literal(double value) {
  if (std::isnan(value)) return "__builtin_nan(\"\")";
  if (std::isinf(value)) return value > 0 ? "__builtin_inf()" : "-__builtin_inf()";
  return Scalar::of_float(DType::f64(), value).text();
}

}  // namespace

std::string HostExpr::type(DType t) {
  if (t.is_vector()) unsupported("the vector type " + t.name());
  if (t.is_bool()) return "bool";
  if (t.is_handle()) return "u64";
  if (t.is_integral() && t.bits() >= 8) return fmt::format("{}{}", t.is_int() ? 'i' : 'u', t.bits());
  if (t.is_float(32)) return "float";
  if (t.is_float(64)) return "double";
  if (t.is_float(16) || t.is_bfloat16()) {
    headers_.insert("types.h");
    return t.is_bfloat16() ? "bf16" : "f16";
  }
  unsupported("the type " + t.name());
}

std::string HostExpr::constant(const Scalar& value) {
  const DType t = value.dtype();
  if (t.is_bool()) return value.truthy() ? "true" : "false";
  if (t.is_float(32)) return float_literal(value.as_float());
  if (t.is_float(64)) return double_literal(value.as_float());
  if (t.is_floating()) return fmt::format("{}({})", type(t), float_literal(value.as_float()));
  if (t == DType::i32() && value.as_int() != INT32_MIN) return value.text();
  if (t.is_int() && value.as_int() == integer_min(t)) return fmt::format("limits<{}>::lowest", type(t));
  const bool small = value.as_int() >= INT32_MIN && value.as_int() <= INT32_MAX;
  const char* suffix = t == DType::i64() && !small          ? "ll"
                       : t == DType::u32()                  ? "u"
                       : t == DType::u64() || t.is_handle() ? "ull"
                                                            : "";
  return fmt::format("{}({}{})", type(t), value.text(), suffix);
}

std::string HostExpr::call(const CallNode& n) {
  if (n.intrinsic->math) {
    if (*n.intrinsic->math == MathFn::kLdexp) {
      return fmt::format("{}({}, {}<i32>({}))", function("ldexp"), value(n.args[0]), function("cast"),
                         value(n.args[1]));
    }
    return fmt::format("{}({})", function(n.intrinsic->name), args(n.args));
  }
  unsupported(fmt::format("`{}`", n.intrinsic->name));
}

std::string HostExpr::function(std::string_view name, DType operand) {
  headers_.insert(std::string(host_prelude_header(name, operand)));
  return std::string(name);
}

}  // namespace tl
