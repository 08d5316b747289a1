#include "backend/cfamily/device_statements.h"

#include <fmt/format.h>

#include "ir/index.h"
#include "ir/text.h"

namespace tl {

std::string DeviceStatements::literally(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

const char* DeviceStatements::format_of(DType t) const {
  if (t.is_bool()) return "%s";
  if (t.is_floating()) return t.bits() == 64 ? floats_.wide_format : floats_.format;
  if (t.is_int()) return t.bits() == 64 ? "%lld" : "%d";
  return t.bits() == 64 || t.is_handle() ? "%llu" : "%u";
}

void DeviceStatements::print_region(const Print& op, const std::string& head) {
  const Region& region = op.region;
  std::vector<Expr> indices;
  std::string format, values;
  for (size_t i = 0; i < region.extents.size(); ++i) {
    const Var var(fmt::format("i{}", i), DType::i64());
    exprs_.hold_as_index(var);
    const std::string id = exprs_.name(var);
    const Expr begin = widen_index(region.offsets[i]), end = begin + widen_index(region.extents[i]);
    open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", exprs_.type(exprs_.index_type()), id,
                     exprs_.index(begin), exprs_.index(end)));
    indices.push_back(var);
    format += i == 0 ? "%lld" : ", %lld";
    values += ", i64(" + id + ")";
  }
  const Expr element = load(region.buffer, indices);
  const std::string label = fmt::format(": {}[{}]=", literally(region.buffer->name), format);
  print_line(head, label + format_of(element.dtype()), values + ", " + printed(element));
  for (size_t i = 0; i < region.extents.size(); ++i) close();
}

std::string DeviceStatements::printed(const Expr& e) {
  const DType t = e.dtype();
  if (t.is_bool())
    return (e.kind() == ExprKind::kSelect ? "(" + exprs_.value(e) + ")" : exprs_.value(e)) + " ? \"true\" : \"false\"";
  return exprs_.value(t.is_floating() ? cast(floats_.type, e) : e);
}

void DeviceStatements::op(const Print& op) {
  const std::string head = op.message.empty() ? "" : literally(op.message + ": ");
  if (op.values.empty() && !op.region) print_line(head, "", "");
  for (const Expr& e : op.values) {
    print_line(head, fmt::format(": {}={}", literally(print(e)), format_of(e.dtype())), ", " + printed(e));
  }
  if (op.region) print_region(op, head);
}

}  // namespace tl
