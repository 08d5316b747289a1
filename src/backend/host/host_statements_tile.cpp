// Statements that call the runtime or the prelude: assertions, prints, tile multiplies, rows to reduce.

#include <fmt/format.h>

#include "backend/host/host_statements.h"
#include "ir/text.h"

namespace tl {

int HostStatements::message(bool is_print, std::string text, std::vector<std::string> labels, Loc loc) {
  messages_.push_back({is_print, std::move(text), std::move(labels), std::move(loc)});
  return static_cast<int>(messages_.size()) - 1;
}

std::string HostStatements::place() {
  const auto at = [&](const std::vector<Var>& vars, size_t i) {
    return i < vars.size() ? exprs_.value(cast(DType::i32(), vars[i])) : std::string("0");
  };
  std::string blocks, lanes;
  for (size_t i = 0; i < 3; ++i) {
    blocks += (i ? ", " : "") + at(launch_->blocks, i);
    lanes += i ? ", 0" : "0";
  }
  return fmt::format("{{{{{}}}, {{{}}}}}", blocks, lanes);
}

void HostStatements::op(const Assert& op) {
  const int id = message(false, op.message, {python_text(op.condition)}, op.loc);
  open(fmt::format("if (!({})) {{", exprs_.value(op.condition)));
  line(fmt::format("const tl_host_place place = {};", place()));
  line(fmt::format("context->fail(context->user, {}, &place);", id));
  line("return;");
  close();
}

std::string HostStatements::printed(const Expr& e) {
  const DType t = e.dtype();
  if (t.is_bool()) return fmt::format("{}({})", exprs_.function("bool_value"), exprs_.value(e));
  if (t.is_floating())
    return fmt::format("{}({})", exprs_.function("float_value"), exprs_.value(cast(DType::f64(), e)));
  const char* form = t.is_int() ? "signed_value" : "unsigned_value";
  return fmt::format("{}({})", exprs_.function(form), exprs_.value(e));
}

void HostStatements::op(const Print& op) {
  std::vector<Expr> values = op.values;
  std::vector<std::string> labels;
  for (const Expr& e : values) labels.push_back(print(e));
  size_t opened = 1;
  open("{");
  if (op.region) {
    // One record an element: its indices, then its value.
    std::vector<Expr> indices;
    for (size_t i = 0; i < op.region.extents.size(); ++i) {
      Var var(fmt::format("i{}", i), DType::i64());
      exprs_.hold_as_index(var);
      const std::string id = exprs_.name(var), base = exprs_.index(op.region.offsets[i]);
      open(fmt::format("for (i64 {0} = {1}; {0} < {1} + {2}; ++{0}) {{", id, base, exprs_.index(op.region.extents[i])));
      ++opened;
      indices.push_back(var);
      values.push_back(var);
      labels.push_back(fmt::format("index {}", i));
    }
    values.push_back(load(op.region.buffer, indices));
    labels.push_back(op.region.buffer->name);
  }
  std::string records;
  for (const Expr& e : values) records += (records.empty() ? "" : ", ") + printed(e);
  const int id = message(true, op.message, labels, op.loc);
  line(fmt::format("const tl_host_place place = {};", place()));
  if (values.empty()) {
    line(fmt::format("context->print(context->user, {}, &place, 0, nullptr);", id));
  } else {
    line(fmt::format("const tl_host_value values[] = {{{}}};", records));
    line(fmt::format("context->print(context->user, {}, &place, {}, values);", id, values.size()));
  }
  while (opened-- > 0) close();
}

std::string HostStatements::address(const Region& region) {
  return fmt::format("&{}", exprs_.element(*region.buffer, region.offsets));
}

void HostStatements::op(const Gemm& op) {
  const auto extent = [](const Region& r, size_t from_end) { return r.extents[r.extents.size() - from_end]; };
  const auto pitch = [&](const Region& r) {
    const std::vector<Expr> strides = strides_of(*r.buffer);
    return exprs_.index(strides[strides.size() - 2]);
  };
  const Expr m = extent(op.c, 2), n = extent(op.c, 1), k = extent(op.a, op.transpose_a ? 2 : 1);
  const std::string flags = fmt::format("{}, {}", op.transpose_a, op.transpose_b);
  const std::string operands =
      fmt::format("{}, {}, {}, {}, {}, {}, {}", address(op.a), pitch(op.a), address(op.b), pitch(op.b), address(op.c),
                  pitch(op.c), exprs_.value(unary(UnaryOp::kNot, op.clear)));
  if (as_int(m) && as_int(n) && as_int(k)) {
    line(fmt::format("{}<{}, {}, {}, {}>({});", exprs_.function("gemm"), flags, *as_int(m), *as_int(n), *as_int(k),
                     operands));
  } else {
    line(fmt::format("{}<{}>({}, {}, {}, {});", exprs_.function("gemm"), flags, exprs_.index(m), exprs_.index(n),
                     exprs_.index(k), operands));
  }
}

void HostStatements::op(const Reduce& op) {
  // In the order of ReduceKind.
  static constexpr const char* kReductions[] = {"sum_of",    "abssum_of", "max_of",   "min_of",
                                                "absmax_of", "bitand_of", "bitor_of", "bitxor_of"};
  const char* reduction = kReductions[static_cast<int>(op.reduce)];
  const DType dst = op.dst.buffer->dtype;
  const std::string sum = exprs_.type(reduce_dtype(op.src.buffer->dtype, dst));
  const std::string to = exprs_.element(*op.dst.buffer, op.dst.offsets);
  std::string row = fmt::format("{}<{}, {}>({}, {})", exprs_.function("reduce_row"), reduction, sum, address(op.src),
                                exprs_.index(op.src.extents[static_cast<size_t>(op.dim)]));
  const auto converted = [&](const std::string& type, const std::string& text) {
    return fmt::format("{}<{}>({})", exprs_.function("cast"), type, text);
  };
  const bool converts = sum != exprs_.type(dst);
  if (!op.clear) {
    std::string old = converts ? converted(sum, to) : to;
    if (op.reduce == ReduceKind::kAbsMax) old = fmt::format("{}({})", exprs_.function("abs"), old);
    row = fmt::format("{}::combine<{}>({}, {})", reduction, sum, old, row);
  }
  line(fmt::format("{} = {};", to, converts ? converted(exprs_.type(dst), row) : row));
}

}  // namespace tl
