#include "backend/ascend/ascend_expr.h"

#include <fmt/format.h>

#include "backend/ascend/ascend_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr CDialect kThreads{"Ascend targets", "int", ascend_prelude_header};
constexpr CDialect kCore{"Ascend cores", "int", ascend_core_header};

}  // namespace

const char* memory_qualifier(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "__gm__ ";
    case MemorySpace::kShared:
    case MemorySpace::kSharedStatic:
      return "__ubuf__ ";
    case MemorySpace::kL1:
      return "__cbuf__ ";
    case MemorySpace::kL0A:
      return "__ca__ ";
    case MemorySpace::kL0B:
      return "__cb__ ";
    case MemorySpace::kL0C:
      return "__cc__ ";
    default:
      return "";
  }
}

AscendExpr::AscendExpr(CNames& names, DType index_type, const Function& function, AscendScope scope)
    : DeviceExpr(names, scope == AscendScope::kCore ? kCore : kThreads, {}, index_type, function) {}

std::string AscendExpr::pointer(DType element, MemorySpace space) {
  const bool of_threads = space == MemorySpace::kGlobal || is_shared(space) || is_per_thread(space);
  return fmt::format("{}{}*", memory_qualifier(space), of_threads ? type(element) : std::string(machine_type(element)));
}

std::string AscendExpr::assertion(const Assert& op) {
  return fmt::format("{}(({}) && {});", function("assert"), value(op.condition), string_literal(assertion_text(op)));
}

std::string AscendExpr::printed_line(std::string_view who, const std::string& head, const std::string& tail,
                                     const std::string& values) {
  const std::string before = head.empty() ? "" : string_literal(head) + " ";
  return fmt::format("{}({}TLP_{} {}, TLP_THE_{}{});", function("printf"), before, who, string_literal(tail + "\n"),
                     who, values);
}

std::string_view machine_type(DType t) {
  if (t.is_bfloat16()) return "bfloat16_t";
  if (t.is_float(16)) return "half";
  if (t.is_float(32)) return "float";
  if (t == DType::i32()) return "int32_t";
  if (t == DType::i8()) return "int8_t";
  throw CompileError(Diagnostic{Severity::kError,
                                90,
                                fmt::format("tiles of {} are not available in the memories of the cube unit", t.name()),
                                {},
                                {},
                                "tiles are of float16, bfloat16, float32 or int8, sums of float32 or int32"});
}

}  // namespace tl
