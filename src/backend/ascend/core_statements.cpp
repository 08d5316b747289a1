#include "backend/ascend/core_statements.h"

#include <fmt/format.h>

#include "backend/ascend/ascend_prelude.h"
#include "backend/ascend/region_statements.h"
#include "backend/cfamily/kernel_args.h"
#include "ir/walk.h"

namespace tl {
namespace {

const char* pipe_name(Engine engine) {
  static constexpr const char* kNames[] = {"PIPE_S",    "PIPE_V",    "PIPE_M",  "PIPE_MTE1",
                                           "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX"};
  return kNames[static_cast<int>(engine)];
}

bool is_of_cube(const CoreLaunch& core) {
  bool found = false;
  visit_ops(core.body, [&](const Op& op) {
    const auto* alloc = op.as<Alloc>();
    found |= op.kind == OpKind::kGemm || (alloc != nullptr && alloc->buffer->space == MemorySpace::kL1);
  });
  return found;
}

bool is_of_vector(const CoreLaunch& core) {
  bool found = false;
  visit_ops(core.body, [&](const Op& op) {
    const auto* alloc = op.as<Alloc>();
    found |= op.kind == OpKind::kLaunch || (alloc != nullptr && is_shared(alloc->buffer->space));
  });
  return found;
}

/// The width in which a function of threads computes indices.
DType index_type(const Launch& launch) {
  return hint<int64_t>(launch.hints, "index_bits", 64) == 32 ? DType::i32() : DType::i64();
}

}  // namespace

std::string CoreStatements::kernel(const CoreLaunch& core, const EmittedKernel& kernel,
                                   std::set<std::string>& headers) {
  headers_ = &headers;
  name_ = kernel.symbol;
  const bool cube = is_of_cube(core);
  if (cube && is_of_vector(core)) {
    throw CompileError(Diagnostic{Severity::kError,
                                  90,
                                  "a program of both the cube and the vector core is not available yet",
                                  core.loc,
                                  {},
                                  "let one T.Kernel use T.SimtVF and UB, or T.gemm with L1, L0 and L0C"});
  }
  std::string parameters;
  for (const Param& p : kernel.args) parameters += (parameters.empty() ? "" : ", ") + parameter(p);
  line("namespace core {\n");
  open(fmt::format("extern \"C\" __global__ {} void {}({}) {{", cube ? "__cube__" : "__vector__", name_, parameters));
  line("asc_init();");
  ascend_.ranges().declare(core);
  for (const Var& block : core.blocks) {
    ascend_.hold_as_index(block);
    line(fmt::format("const {} {} = block_idx;", ascend_.type(ascend_.index_type()), ascend_.name(block)));
  }
  block(core.body);
  close();
  line("\n}  // namespace core");
  return regions_ + take_text();
}

std::string CoreStatements::parameter(const Param& p) {
  if (const auto* var = std::get_if<Var>(&p))
    return fmt::format("{} {}", ascend_.type(var->dtype()), ascend_.name(*var));
  const BufferNode& b = *std::get<Buffer>(p);
  return fmt::format("{}{}* {}", memory_qualifier(MemorySpace::kGlobal), element_type(b), ascend_.name(b));
}

void CoreStatements::statement(const Op& op) {
  if (const auto* loop = op.as<For>()) ascend_.ranges().declare(*loop);
  if (const auto* bind = op.as<Bind>()) ascend_.ranges().declare(*bind);
  visit(op, [this](const auto& typed) { this->op(typed); });
}

void CoreStatements::op(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  if (b.space == MemorySpace::kVar) return scalar(op);
  if (b.space == MemorySpace::kLocal) return array(op);
  const int64_t offset = hint<int64_t>(op.hints, "offset", -1);
  TL_CHECK(offset >= 0, "`" + b.name + "` has no place on the core");
  line(fmt::format("{0} const {1} = ({0}){2};", ascend_.pointer(b.dtype, b.space), ascend_.name(b), offset));
}

void CoreStatements::op(const Print& op) {
  const Buffer& b = op.region.buffer;
  if (b && !is_shared(b->space) && !is_per_thread(b->space) && b->space != MemorySpace::kGlobal) {
    throw CompileError(
        Diagnostic{Severity::kError,
                   90,
                   fmt::format("T.print of `{}`: scalar code does not read {} memory", b->name, space_name(b->space)),
                   op.loc,
                   {},
                   "copy the tile to global memory, and print that"});
  }
  DeviceStatements::op(op);
}

void CoreStatements::op(const Launch& op) {
  const std::string name = fmt::format("{}_simt_{}", name_, region_count_++);
  const std::vector<Param> args = kernel_args(function_, op);
  CNames names;
  reserve_ascend_names(names);
  names.reserve(name);
  AscendExpr exprs(names, index_type(op), function_, AscendScope::kThreads);
  regions_ += RegionStatements(exprs, lines_).function(op, name, args) + "\n";
  headers_->insert(exprs.headers().begin(), exprs.headers().end());
  int64_t threads = 1;
  for (const int64_t extent : op.threads) threads *= extent;
  std::string given;
  for (const Param& p : args) {
    const auto* var = std::get_if<Var>(&p);
    given += ", " + (var != nullptr ? ascend_.name(*var) : argument(*std::get<Buffer>(p)));
  }
  if (uses_scratch(op)) given += fmt::format(", (__ubuf__ uint8_t*){}", hint<int64_t>(op.hints, "scratch", 0));
  line(fmt::format("asc_vf_call<{}>(cce::dim3({}){});", name, threads, given));
}

std::string CoreStatements::argument(const BufferNode& b) {
  // The core's types of 16-bit floats are not those of its threads.
  const std::string name = ascend_.name(b);
  if (!b.dtype.is_floating() || b.dtype.bits() != 16) return name;
  const std::string type = "tlp::" + ascend_.type(b.dtype);
  if (b.space == MemorySpace::kVar) return fmt::format("__builtin_bit_cast({}, {})", type, name);
  return fmt::format("({}{}*){}", memory_qualifier(b.space), type, name);
}

void CoreStatements::op(const CoreSet& op) {
  line(fmt::format("asc_sync_notify({}, {}, static_cast<event_t>({}));", pipe_name(op.from), pipe_name(op.to),
                   ascend_.index(op.id)));
}

void CoreStatements::op(const CoreWait& op) {
  line(fmt::format("asc_sync_wait({}, {}, static_cast<event_t>({}));", pipe_name(op.from), pipe_name(op.to),
                   ascend_.index(op.id)));
}

void CoreStatements::op(const CoreBarrier& op) {
  line(op.engine == Engine::kScalar ? "asc_sync();" : fmt::format("asc_sync_pipe({});", pipe_name(op.engine)));
}

}  // namespace tl
