#include "backend/host/host_statements.h"

#include <fmt/format.h>

#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Tiles of a kernel up to this total live on the stack, where the compiler sees that nothing else aliases them; larger
/// ones in thread-local memory.
constexpr int64_t kStackBytes = int64_t{1} << 20;

/// Whether an int64 can hold every value of the type.
bool fits_wide(DType t) { return t.is_int() || (t.is_uint() && t.bits() < 64); }

bool reads_memory(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& sub) { found |= sub.kind() == ExprKind::kLoad || sub.kind() == ExprKind::kCall; });
  return found;
}

int64_t element_count(const BufferNode& buffer) {
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

}  // namespace

void HostStatements::line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
void HostStatements::open(const std::string& text) {
  line(text);
  ++depth_;
}
void HostStatements::close(const std::string& text) {
  --depth_;
  line(text);
}

void HostStatements::mark(const Loc& loc) {
  const int number = lines_.number_of(loc);
  if (number >= 0 && number != marked_) line(fmt::format("//@{}", number));
  if (number >= 0) marked_ = number;
}

std::string HostStatements::steady(const Expr& e, const std::string& wanted) {
  if (!reads_memory(e)) return exprs_.index(e);
  const std::string id = exprs_.names().fresh(wanted);
  line(fmt::format("const i64 {} = {};", id, exprs_.index(e)));
  return id;
}

std::string HostStatements::kernel(const Launch& launch, const EmittedKernel& kernel) {
  launch_ = &launch;
  open(
      fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) void {}(const u64* args, const i64* grid, i64 "
                  "first, i64 last, "
                  "const tl_host_context* context) {{",
                  kernel.symbol));
  arguments(kernel);
  open("for (i64 program = first; program < last; ++program) {");
  coordinates(launch);
  block(launch.body);
  close();
  // Streaming stores are ordered before the end of the call.
  if (streams_) line(exprs_.function("stream_fence") + "();");
  line("(void)args, (void)grid, (void)context;");
  close();
  return std::move(out_);
}

void HostStatements::arguments(const EmittedKernel& kernel) {
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    if (const auto* buffer = std::get_if<Buffer>(&kernel.args[i])) {
      const std::string element = exprs_.type((*buffer)->dtype);
      line(fmt::format("{0}* const {1} = ({0}*)args[{2}];", element, exprs_.name(**buffer), i));
      continue;
    }
    const Var& var = std::get<Var>(kernel.args[i]);
    const DType t = var.dtype();
    if (fits_wide(t)) {
      exprs_.hold_wide(var);
      line(fmt::format("const i64 {} = i64({}(args[{}]));", exprs_.name(var), exprs_.type(t), i));
    } else if (t.is_floating()) {
      const int bits = t.bits();
      line(fmt::format("const {0} {1} = __builtin_bit_cast({0}, u{2}(args[{3}]));", exprs_.type(t), exprs_.name(var),
                       bits, i));
    } else {
      line(fmt::format("const {0} {1} = {0}(args[{2}]);", exprs_.type(t), exprs_.name(var), i));
    }
  }
}

void HostStatements::coordinates(const Launch& launch) {
  static constexpr const char* kForms[] = {"program % grid[0]", "program / grid[0] % grid[1]",
                                           "program / (grid[0] * grid[1])"};
  for (size_t i = 0; i < launch.blocks.size(); ++i) {
    exprs_.hold_wide(launch.blocks[i]);
    const char* form = launch.blocks.size() == 1 ? "program" : kForms[i];
    line(fmt::format("const i64 {} = {};", exprs_.name(launch.blocks[i]), form));
  }
}

void HostStatements::block(const Block& ops) {
  for (const OpPtr& nested : ops) {
    if (nested->kind != OpKind::kAlloc) mark(nested->loc);
    visit(*nested, [&](const auto& typed) { op(typed); });
  }
}

void HostStatements::op(const Bind& op) {
  const DType t = op.var.dtype();
  line(fmt::format("const {} {} = {};", exprs_.type(t), exprs_.name(op.var), exprs_.value(op.value)));
}

void HostStatements::op(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  const std::string element = exprs_.type(b.dtype);
  if (b.space == MemorySpace::kVar) {
    line(fmt::format("{} {} = {};", element, exprs_.name(b),
                     op.init ? exprs_.value(op.init) : exprs_.value(make_zero(b.dtype))));
    return;
  }
  const int64_t count = element_count(b), bytes = count * ((b.dtype.storage_bits() + 7) / 8);
  stack_bytes_ += bytes;
  const char* storage = stack_bytes_ > kStackBytes ? "static thread_local " : "";
  line(fmt::format("alignas(64) {}{} {}[{}];", storage, element, exprs_.name(b), std::max<int64_t>(count, 1)));
}

void HostStatements::op(const View& op) {
  const std::string element = exprs_.type(op.buffer->dtype);
  const char* take = op.source->space == MemorySpace::kVar ? "&" : "";
  line(fmt::format("{0}* const {1} = ({0}*){2}{3};", element, exprs_.name(*op.buffer), take, exprs_.name(*op.source)));
}

void HostStatements::op(const Store& op) {
  line(fmt::format("{} = {};", exprs_.element(*op.buffer, op.indices), exprs_.value(op.value)));
}

void HostStatements::op(const Evaluate& op) { line(exprs_.value(op.value) + ";"); }

void HostStatements::op(const Assume&) {}

void HostStatements::op(const Break&) { line("break;"); }
void HostStatements::op(const Continue&) { line("continue;"); }

void HostStatements::op(const If& op) {
  open(fmt::format("if ({}) {{", exprs_.value(op.condition)));
  block(op.then_body);
  if (!op.else_body.empty()) {
    close("} else {");
    ++depth_;
    marked_ = -1;
    block(op.else_body);
  }
  close();
}

void HostStatements::op(const While& op) {
  open(fmt::format("while ({}) {{", exprs_.value(op.condition)));
  block(op.body);
  close();
}

void HostStatements::stream(const For& op, const std::string& end, int64_t from_bytes) {
  const auto& store = *op.body[0]->as<Store>();
  const BufferNode& b = *store.buffer;
  Expr bytes = make_int(DType::i64(), (b.dtype.storage_bits() + 7) / 8);
  for (const Expr& extent : b.shape) bytes = bytes * widen_index(extent);
  Substitution first;
  first.vars[op.var.get()] = make_zero(op.var.dtype());
  std::vector<Expr> start;
  for (const Expr& index : store.indices) start.push_back(substitute(index, first));
  exprs_.hold_wide(op.var);
  mark(store.loc);
  open(fmt::format("if ({} >= {}) {{", exprs_.index(bytes), from_bytes));
  line(fmt::format("{}(&{}, {}, [&](i64 {}) __attribute__((always_inline)) {{ return {}; }});",
                   exprs_.function("stream_map"), exprs_.element(b, start), end, exprs_.name(op.var),
                   exprs_.value(store.value)));
  close("} else {");
  ++depth_;
  streams_ = true;
}

void HostStatements::op(const For& op) {
  const DType t = op.var.dtype();
  const std::string begin = steady(op.begin, "begin"), end = steady(op.end, "end");
  const auto hint = op.hints.find("stream_from_bytes");
  if (hint != op.hints.end()) stream(op, end, std::get<int64_t>(hint->second));
  if (op.hints.count("independent") != 0) line("#pragma GCC ivdep");
  if (op.loop == LoopKind::kUnrolled) line("#pragma GCC unroll 16");
  const std::string id = exprs_.name(op.var);
  const std::string counter = fits_wide(t) ? "i64" : exprs_.type(t);
  if (fits_wide(t)) exprs_.hold_wide(op.var);
  const auto step = as_int(op.step);
  if (step) {
    const std::string advance = *step == 1 ? "++" + id : fmt::format("{} += {}", id, *step);
    open(fmt::format("for ({} {} = {}; {} {} {}; {}) {{", counter, id, begin, id, *step > 0 ? "<" : ">", end, advance));
  } else {
    const std::string by = steady(op.step, "step");
    open(fmt::format("for ({0} {1} = {2}; {3} > 0 ? {1} < {4} : {3} < 0 && {1} > {4}; {1} += {3}) {{", counter, id,
                     begin, by, end));
  }
  block(op.body);
  close();
  if (hint != op.hints.end()) close();
}

}  // namespace tl
