#include "backend/cuda/cuda_expr.h"

#include <fmt/format.h>

#include <cmath>

#include "backend/cuda/cuda_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

[[noreturn]] void unsupported(std::string what) {
  throw CompileError(Diagnostic{Severity::kError, 90, what + " is not available on CUDA targets", {}, {}, {}});
}

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

std::string CudaExpr::type(DType t) {
  if (t.is_vector()) unsupported("the vector type " + t.name());
  if (t.is_bool()) return "bool";
  if (t == DType::i32()) return "int";
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

std::string CudaExpr::constant(const Scalar& value) {
  const DType t = value.dtype();
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

std::string CudaExpr::call(const CallNode& n) {
  if (n.intrinsic->math == MathFn::kLdexp) {
    return fmt::format("{}({}, {}<int>({}))", function("ldexp"), value(n.args[0]), function("cast"), value(n.args[1]));
  }
  if (n.intrinsic->math) return fmt::format("{}({})", function(n.intrinsic->name), args(n.args));
  const auto* callee = n.args.empty() ? nullptr : n.args[0].as<StringNode>();
  if (callee == nullptr) unsupported(fmt::format("`{}`", n.intrinsic->name));
  std::string arguments;
  for (size_t i = 1; i < n.args.size(); ++i) {
    const auto* text = n.args[i].as<StringNode>();
    arguments += (i > 1 ? ", " : "") + (text != nullptr ? string_literal(text->value) : value(n.args[i]));
  }
  return fmt::format("{}({})", callee->value, arguments);
}

std::string CudaExpr::function(std::string_view name, DType operand) {
  headers_.insert(std::string(cuda_prelude_header(name, operand)));
  return std::string(name);
}

std::string CudaExpr::conversion(DType to, const Expr& a) {
  const DType from = a.dtype();
  const auto half = [](DType t) { return t.is_floating() && t.bits() == 16; };
  const bool widens = from.is_floating() && to.is_floating();
  const bool rounds_once = from.is_integral() && to.is_floating() && !half(to);
  const bool wraps = from.is_integral() && to.is_integral() && !to.is_bool();
  // C++ converts these as the language does.
  if (!half(from) && (widens || rounds_once || wraps)) return fmt::format("{}({})", type(to), value(a));
  if (half(from) && (to.is_float(32) || to.is_float(64))) return fmt::format("{}({})", type(to), value(a));
  return CExpr::conversion(to, a);
}

}  // namespace tl
