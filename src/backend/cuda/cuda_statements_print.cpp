// Statements that print: device code has printf, and stops by a trap.

#include <fmt/format.h>

#include "backend/cuda/cuda_statements.h"
#include "ir/index.h"
#include "ir/text.h"

namespace tl {
namespace {

/// `text` as a part of a printf format that stands for itself.
std::string literally(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

/// As many digits as are needed to read a number back.
const char* format_of(DType t) {
  if (t.is_bool()) return "%s";
  if (t.is_floating()) return t.bits() == 64 ? "%.17g" : "%.9g";
  if (t.is_int()) return t.bits() == 64 ? "%lld" : "%d";
  return t.bits() == 64 || t.is_handle() ? "%llu" : "%u";
}

}  // namespace

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

void CudaStatements::print_region(const Print& op, const std::string& head) {
  const Region& region = op.region;
  std::vector<Expr> indices;
  std::string format, values;
  for (size_t i = 0; i < region.extents.size(); ++i) {
    const Var var(fmt::format("i{}", i), DType::i64());
    cuda_.hold_as_index(var);
    const std::string id = cuda_.name(var);
    const Expr begin = widen_index(region.offsets[i]), end = begin + widen_index(region.extents[i]);
    open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", cuda_.type(cuda_.index_type()), id, cuda_.index(begin),
                     cuda_.index(end)));
    indices.push_back(var);
    format += i == 0 ? "%lld" : ", %lld";
    values += ", i64(" + id + ")";
  }
  const Expr element = load(region.buffer, indices);
  const std::string label = fmt::format(": {}[{}]=", literally(region.buffer->name), format);
  print_line(head, label + format_of(element.dtype()), values + ", " + printed(element));
  for (size_t i = 0; i < region.extents.size(); ++i) close();
}

std::string CudaStatements::printed(const Expr& e) {
  const DType t = e.dtype();
  if (t.is_bool())
    return (e.kind() == ExprKind::kSelect ? "(" + cuda_.value(e) + ")" : cuda_.value(e)) + " ? \"true\" : \"false\"";
  return cuda_.value(t.is_floating() ? cast(DType::f64(), e) : e);
}

void CudaStatements::op(const Print& op) {
  const std::string head = op.message.empty() ? "" : literally(op.message + ": ");
  if (op.values.empty() && !op.region) print_line(head, "", "");
  for (const Expr& e : op.values) {
    print_line(head, fmt::format(": {}={}", literally(print(e)), format_of(e.dtype())), ", " + printed(e));
  }
  if (op.region) print_region(op, head);
}

}  // namespace tl
