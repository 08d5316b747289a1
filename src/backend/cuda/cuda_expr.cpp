#include "backend/cuda/cuda_expr.h"

#include <fmt/format.h>

#include "backend/cuda/cuda_prelude.h"

namespace tl {
namespace {

constexpr CDialect kDialect{"CUDA targets", "int", cuda_prelude_header};

}  // namespace

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
