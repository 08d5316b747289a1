// How types, constants and calls are spelled.

#include <fmt/format.h>

#include <cmath>

#include "backend/cfamily/c_expr.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

std::string float_literal(double value, const char* suffix) {
  if (std::isnan(value)) return "not_a_number";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  const bool is_float = *suffix != '\0';
  return Scalar::of_float(is_float ? DType::f32() : DType::f64(), value).text() + suffix;
}

const char* integer_suffix(DType t, int64_t value) {
  const bool small = value >= INT32_MIN && value <= INT32_MAX;
  if (t == DType::i64()) return small ? "" : "ll";
  if (t == DType::u32()) return "u";
  return t == DType::u64() || t.is_handle() ? "ull" : "";
}

}  // namespace

void CExpr::unsupported(const std::string& what, const std::string& help) const {
  const std::string message = fmt::format("{} is not available on {}", what, dialect_.target);
  throw CompileError(Diagnostic{Severity::kError, 90, message, {}, {}, help});
}

std::string CExpr::type(DType t) {
  if (t.is_vector()) unsupported("the vector type " + t.name());
  if (t.is_bool()) return "bool";
  if (t == DType::i32()) return std::string(dialect_.int32);
  if (t.is_handle()) return "u64";
  if (t.is_integral() && t.bits() >= 8) return fmt::format("{}{}", t.is_int() ? 'i' : 'u', t.bits());
  if (t.is_float(32)) return "float";
  if (t.is_float(64)) return "double";
  if (t.is_float(16) || t.is_bfloat16()) {
    headers_.insert("types.h");
    return t.is_bfloat16() ? "bf16" : "f16";
  }
  unsupported("the type " + t.name(),
              "types are bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 and float64");
}

std::string CExpr::constant(const Scalar& value) {
  const DType t = value.dtype();
  // The prelude has names for what has no literal.
  if (t.is_floating() ? !std::isfinite(value.as_float()) : t.is_int() && value.as_int() == integer_min(t)) {
    headers_.insert("base.h");
  }
  if (t.is_bool()) return value.truthy() ? "true" : "false";
  if (t.is_float(32)) return float_literal(value.as_float(), "f");
  if (t.is_float(64)) {
    const std::string text = float_literal(value.as_float(), "");
    return std::isfinite(value.as_float()) ? text : fmt::format("double({})", text);
  }
  if (t.is_floating()) return fmt::format("{}({})", type(t), float_literal(value.as_float(), "f"));
  if (t == DType::u32()) return value.text() + "u";
  if (t == DType::i32() && value.as_int() != INT32_MIN) return value.text();
  if (t.is_int() && value.as_int() == integer_min(t)) return fmt::format("limits<{}>::lowest", type(t));
  return fmt::format("{}({}{})", type(t), value.text(), integer_suffix(t, value.as_int()));
}

std::string CExpr::function(std::string_view name, DType operand) {
  headers_.insert(std::string(dialect_.header_of(name, operand)));
  return std::string(name);
}

std::string CExpr::call(const CallNode& n) {
  if (!n.intrinsic->math) return foreign_call(n);
  const DType operand = n.args[0].dtype();
  if (*n.intrinsic->math != MathFn::kLdexp)
    return fmt::format("{}({})", function(n.intrinsic->name, operand), args(n.args));
  return fmt::format("{}({}, {}<{}>({}))", function("ldexp", operand), value(n.args[0]), function("cast"),
                     dialect_.int32, value(n.args[1]));
}

std::string CExpr::foreign_call(const CallNode& n) { unsupported(fmt::format("`{}`", n.intrinsic->name)); }

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string assertion_text(const Assert& op) {
  const std::string where = op.loc ? fmt::format("{}:{}: ", op.loc->file, op.loc->line) : "";
  return where + "Device assert failed" + (op.message.empty() ? "" : ": " + op.message);
}

}  // namespace tl
