// Statements that print: device code has printf, and stops by a trap.

#include <fmt/format.h>

#include "backend/cuda/cuda_statements.h"
#include "ir/text.h"

namespace tl {
namespace {

/// A printf format that gives `text` itself.
std::string literally(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '%' ? std::string("%%") : std::string(1, c);
  return string_literal(out);
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
  cuda_.function("printf");
  const std::string where = op.loc ? fmt::format("{}:{}: ", op.loc->file, op.loc->line) : "";
  const std::string text = where + "Device assert failed" + (op.message.empty() ? "" : ": " + op.message) +
                           "; the condition is " + python_text(op.condition) + "; it failed at ";
  open(fmt::format("if (!({})) {{", cuda_.value(op.condition)));
  line(fmt::format("printf({} TLP_PLACE \"\\n\", TLP_HERE);", literally(text)));
  line("__trap();");
  close();
}

void CudaStatements::print_line(const std::string& label, const std::string& format, const std::string& value) {
  cuda_.function("printf");
  line(fmt::format("printf({}TLP_PLACE{}, TLP_HERE{});", label, format, value));
}

void CudaStatements::print_region(const Print& op, const std::string& head) {
  const Region& region = op.region;
  std::vector<Expr> indices;
  std::string format, values;
  for (size_t i = 0; i < region.extents.size(); ++i) {
    const Var var(fmt::format("i{}", i), DType::i64());
    cuda_.hold_as_index(var);
    const std::string id = cuda_.name(var), begin = cuda_.index(region.offsets[i]);
    open(fmt::format("for ({0} {1} = {2}; {1} < {2} + {3}; ++{1}) {{", cuda_.type(cuda_.index_type()), id, begin,
                     cuda_.index(region.extents[i])));
    indices.push_back(var);
    format += i == 0 ? "%lld" : ", %lld";
    values += ", i64(" + id + ")";
  }
  const Expr element = load(region.buffer, indices);
  const bool is_float = element.dtype().is_floating();
  std::string value = cuda_.value(is_float ? cast(DType::f64(), element) : element);
  if (element.dtype().is_bool()) value = "(" + value + " ? \"true\" : \"false\")";
  print_line(head, fmt::format(" \": {}[{}]={}\\n\"", region.buffer->name, format, format_of(element.dtype())),
             values + ", " + value);
  for (size_t i = 0; i < region.extents.size(); ++i) close();
}

void CudaStatements::op(const Print& op) {
  const std::string head = op.message.empty() ? "" : literally(op.message + ": ") + " ";
  if (op.values.empty() && !op.region) print_line(head, " \"\\n\"", "");
  for (const Expr& e : op.values) {
    const DType t = e.dtype();
    std::string value = cuda_.value(t.is_floating() ? cast(DType::f64(), e) : e);
    if (t.is_bool()) value = value + " ? \"true\" : \"false\"";
    print_line(head, " " + literally(fmt::format(": {}=", print(e))) + " \"" + format_of(t) + "\\n\"", ", " + value);
  }
  if (op.region) print_region(op, head);
}

}  // namespace tl
