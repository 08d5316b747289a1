// Statements that print: device code has printf, and stops by a trap.

#include <fmt/format.h>

#include "backend/cuda/cuda_statements.h"
#include "ir/text.h"

namespace tl {

void CudaStatements::op(const Assert& op) {
  const std::string text = assertion_text(op) + "; the condition is " + python_text(op.condition) + "; it failed at ";
  open(fmt::format("if (!({})) {{", cuda_.value(op.condition)));
  print_line(literally(text), "", "");
  line("__trap();");
  close();
}

void CudaStatements::print_line(const std::string& head, const std::string& tail, const std::string& values) {
  const std::string before = head.empty() ? "" : string_literal(head) + " ";
  line(fmt::format("{}({}TLP_PLACE {}, TLP_HERE{});", cuda_.function("printf"), before, string_literal(tail + "\n"),
                   values));
}

}  // namespace tl
