#include "backend/cfamily/c_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"

namespace tl {
namespace {

bool reads_memory(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& sub) { found |= sub.kind() == ExprKind::kLoad || sub.kind() == ExprKind::kCall; });
  return found;
}

}  // namespace

int64_t static_element_count(const BufferNode& buffer) {
  int64_t count = 1;
  for (const Expr& extent : buffer.shape) {
    const auto value = as_int(extent);
    if (!value) {
      throw CompileError(Diagnostic{Severity::kError,
                                    74,
                                    fmt::format("`{}` has an extent known only at run time", buffer.name),
                                    buffer.loc,
                                    {},
                                    "give on-chip buffers constant shapes"});
    }
    count *= *value;
  }
  return count;
}

void CStatements::line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
void CStatements::open(const std::string& text) {
  line(text);
  ++depth_;
}
void CStatements::close(const std::string& text) {
  --depth_;
  line(text);
}
void CStatements::turn(const std::string& text) {
  close(text);
  ++depth_;
}

void CStatements::mark(const Loc& loc) {
  const int number = lines_.number_of(loc);
  if (number >= 0 && number != marked_) line(fmt::format("//@{}", number));
  if (number >= 0) marked_ = number;
}

std::string CStatements::steady(const Expr& e, const std::string& wanted) {
  if (!reads_memory(e)) return exprs_.index(e);
  const std::string id = exprs_.names().fresh(wanted);
  line(fmt::format("const {} {} = {};", exprs_.type(exprs_.index_type()), id, exprs_.index(e)));
  return id;
}

std::string CStatements::element_type(const BufferNode& parameter) {
  try {
    return exprs_.type(parameter.dtype);
  } catch (const CompileError& e) {
    Diagnostic d = e.diagnostics().front();
    d.loc = parameter.loc;
    d.notes.push_back({fmt::format("`{}` has elements of this type", parameter.name), {}});
    throw CompileError(std::move(d));
  }
}

void CStatements::block(const Block& ops) {
  for (const OpPtr& op : ops) {
    if (op->kind != OpKind::kAlloc) mark(op->loc);
    // The writer of an expression does not know whose it is.
    located(op->loc, [&] { statement(*op); });
  }
}

void CStatements::op(const Bind& op) {
  const DType t = op.var.dtype();
  line(fmt::format("const {} {} = {};", exprs_.type(t), exprs_.name(op.var), exprs_.value(op.value)));
}

void CStatements::scalar(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  line(fmt::format("{} {} = {};", exprs_.type(b.dtype), exprs_.name(b),
                   exprs_.value(op.init ? op.init : make_zero(b.dtype))));
}

void CStatements::array(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  line(fmt::format("{} {}[{}];", exprs_.type(b.dtype), exprs_.name(b), std::max<int64_t>(static_element_count(b), 1)));
}

void CStatements::op(const View& op) {
  const std::string pointer = (read_only(*op.source) ? "const " : "") + pointer_to(op.buffer->dtype, op.source->space);
  const char* take = op.source->space == MemorySpace::kVar ? "&" : "";
  line(fmt::format("{0} const {1} = ({0}){2}{3};", pointer, exprs_.name(*op.buffer), take, exprs_.name(*op.source)));
}

void CStatements::op(const Store& op) {
  line(fmt::format("{} = {};", exprs_.element(*op.buffer, op.indices), exprs_.value(op.value)));
}

void CStatements::op(const Evaluate& op) { line(exprs_.value(op.value) + ";"); }

void CStatements::op(const Break&) { line("break;"); }
void CStatements::op(const Continue&) { line("continue;"); }

void CStatements::op(const If& op) {
  open(fmt::format("if ({}) {{", exprs_.value(op.condition)));
  block(op.then_body);
  if (!op.else_body.empty()) {
    turn("} else {");
    marked_ = -1;
    block(op.else_body);
  }
  close();
}

void CStatements::op(const While& op) {
  open(fmt::format("while ({}) {{", exprs_.value(op.condition)));
  block(op.body);
  close();
}

void CStatements::op(const For& op) {
  const std::string begin = steady(op.begin, "begin"), end = steady(op.end, "end");
  loop(op, begin, end);
}

void CStatements::loop(const For& op, const std::string& begin, const std::string& end) {
  const DType t = op.var.dtype();
  const auto step = as_int(op.step);
  const std::string by = step ? std::to_string(*step) : steady(op.step, "step");
  pragmas(op);
  const std::string id = exprs_.name(op.var);
  const std::string counter = exprs_.type(exprs_.fits_index(t) ? exprs_.index_type() : t);
  if (exprs_.fits_index(t)) exprs_.hold_as_index(op.var);
  if (step) {
    const std::string advance = *step == 1 ? "++" + id : fmt::format("{} += {}", id, by);
    open(fmt::format("for ({} {} = {}; {} {} {}; {}) {{", counter, id, begin, id, *step > 0 ? "<" : ">", end, advance));
  } else {
    open(fmt::format("for ({0} {1} = {2}; {3} > 0 ? {1} < {4} : {3} < 0 && {1} > {4}; {1} += {3}) {{", counter, id,
                     begin, by, end));
  }
  block(op.body);
  close();
}

}  // namespace tl
