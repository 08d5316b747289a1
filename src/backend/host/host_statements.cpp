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

}  // namespace

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
  return take_text();
}

void HostStatements::arguments(const EmittedKernel& kernel) {
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    if (const auto* buffer = std::get_if<Buffer>(&kernel.args[i])) {
      const std::string element = element_type(**buffer);
      line(fmt::format("{0}* const {1} = ({0}*)args[{2}];", element, exprs_.name(**buffer), i));
      continue;
    }
    const Var& var = std::get<Var>(kernel.args[i]);
    const DType t = var.dtype();
    if (exprs_.fits_index(t)) {
      exprs_.hold_as_index(var);
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
    exprs_.hold_as_index(launch.blocks[i]);
    const char* form = launch.blocks.size() == 1 ? "program" : kForms[i];
    line(fmt::format("const i64 {} = {};", exprs_.name(launch.blocks[i]), form));
  }
}

void HostStatements::statement(const Op& op) {
  visit(op, [&](const auto& typed) { this->op(typed); });
}

void HostStatements::pragmas(const For& op) {
  if (op.hints.count("independent") != 0) line("#pragma GCC ivdep");
  if (op.loop == LoopKind::kUnrolled) line("#pragma GCC unroll 16");
}

void HostStatements::op(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  const std::string element = exprs_.type(b.dtype);
  if (b.space == MemorySpace::kVar) return scalar(op);
  const int64_t count = static_element_count(b), bytes = count * ((b.dtype.storage_bits() + 7) / 8);
  stack_bytes_ += bytes;
  const char* storage = stack_bytes_ > kStackBytes ? "static thread_local " : "";
  line(fmt::format("alignas(64) {}{} {}[{}];", storage, element, exprs_.name(b), std::max<int64_t>(count, 1)));
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
  exprs_.hold_as_index(op.var);
  mark(store.loc);
  open(fmt::format("if ({} >= {}) {{", exprs_.index(bytes), from_bytes));
  line(fmt::format("{}(&{}, {}, [&](i64 {}) __attribute__((always_inline)) {{ return {}; }});",
                   exprs_.function("stream_map"), exprs_.element(b, start), end, exprs_.name(op.var),
                   exprs_.value(store.value)));
  turn("} else {");
  streams_ = true;
}

void HostStatements::op(const For& op) {
  const std::string begin = steady(op.begin, "begin"), end = steady(op.end, "end");
  const auto hint = op.hints.find("stream_from_bytes");
  if (hint != op.hints.end()) stream(op, end, std::get<int64_t>(hint->second));
  loop(op, begin, end);
  if (hint != op.hints.end()) close();
}

}  // namespace tl
