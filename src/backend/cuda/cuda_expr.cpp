#include "backend/cuda/cuda_expr.h"

#include <fmt/format.h>

#include "backend/cuda/cuda_prelude.h"

namespace tl {
namespace {

constexpr CDialect kDialect{"CUDA targets", "int", cuda_prelude_header};

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

CudaExpr::CudaExpr(CNames& names, DType index_type, const Function& function)
    : DeviceExpr(names, kDialect, {"base.h"}, index_type, function) {}

std::string CudaExpr::foreign_call(const CallNode& n) {
  const auto* callee = n.args.empty() ? nullptr : n.args[0].as<StringNode>();
  if (callee == nullptr) return CExpr::foreign_call(n);
  std::string arguments;
  for (size_t i = 1; i < n.args.size(); ++i) {
    const auto* text = n.args[i].as<StringNode>();
    arguments += (i > 1 ? ", " : "") + (text != nullptr ? string_literal(text->value) : value(n.args[i]));
  }
  return fmt::format("{}({})", callee->value, arguments);
}

}  // namespace tl
