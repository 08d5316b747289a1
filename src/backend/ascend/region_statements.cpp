#include "backend/ascend/region_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"

namespace tl {

bool uses_scratch(const Launch& launch) { return hint<int64_t>(launch.hints, "shared_bytes", 0) > 0; }

std::string RegionStatements::function(const Launch& launch, const std::string& name, const std::vector<Param>& args) {
  for (const int64_t extent : launch.threads) threads_ *= extent;
  std::string parameters;
  const auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
  for (const Param& p : args) {
    if (const auto* var = std::get_if<Var>(&p)) {
      add(fmt::format("{} {}", ascend_.type(var->dtype()), ascend_.name(*var)));
    } else {
      const BufferNode& b = *std::get<Buffer>(p);
      // A variable of the core is read alone.
      add(b.space == MemorySpace::kVar ? fmt::format("{} {}", ascend_.type(b.dtype), ascend_.name(b))
                                       : fmt::format("{} {}", ascend_.pointer(b.dtype, b.space), ascend_.name(b)));
    }
  }
  if (uses_scratch(launch)) {
    scratch_ = ascend_.names().fresh("scratch");
    add("__ubuf__ uint8_t* " + scratch_);
  }
  open(fmt::format("__simt_vf__ __launch_bounds__({}) inline void {}({}) {{", threads_, name, parameters));
  ascend_.ranges().declare(launch);
  name_threads(launch);
  block(launch.body);
  close();
  return take_text();
}

void RegionStatements::name_threads(const Launch& launch) {
  std::unordered_set<const ExprNode*> used;
  visit_ops(launch.body, [&](const Op& op) {
    for_each_expr(op, [&](const Expr& e) { visit_exprs(e, [&](const Expr& sub) { used.insert(sub.get()); }); });
  });
  if (!launch.lanes.empty() && used.count(launch.lanes[0].get()) != 0) {
    ascend_.hold_as_index(launch.lanes[0]);
    thread_ = ascend_.name(launch.lanes[0]);
    line(fmt::format("const {} {} = threadIdx.x;", ascend_.type(ascend_.index_type()), thread_));
  } else {
    thread_ = "int(threadIdx.x)";
  }
}

void RegionStatements::statement(const Op& op) {
  if (const auto* loop = op.as<For>()) ascend_.ranges().declare(*loop);
  if (const auto* bind = op.as<Bind>()) ascend_.ranges().declare(*bind);
  visit(op, [this](const auto& typed) { this->op(typed); });
}

void RegionStatements::pragmas(const For& op) {
  if (op.loop == LoopKind::kUnrolled || op.loop == LoopKind::kVectorized) line("#pragma unroll");
}

void RegionStatements::op(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  if (b.space == MemorySpace::kVar) return scalar(op);
  if (b.space == MemorySpace::kLocal) return array(op);
  const int64_t offset = hint<int64_t>(op.hints, "offset", -1);
  TL_CHECK(is_shared(b.space) && offset >= 0 && !scratch_.empty(), "`" + b.name + "` has no place");
  const std::string pointer = ascend_.pointer(b.dtype, b.space);
  line(fmt::format("{0} const {1} = ({0})({2} + {3});", pointer, ascend_.name(b), scratch_, offset));
}

void RegionStatements::op(const Barrier&) { line("asc_syncthreads();"); }

std::string RegionStatements::address(const Region& region) {
  const std::string offset = ascend_.offset(*region.buffer, region.offsets), name = ascend_.name(*region.buffer);
  return offset == "0" ? name : fmt::format("{} + ({})", name, offset);
}

void RegionStatements::op(const ThreadReduce& op) {
  // In the order of ReduceKind.
  static constexpr const char* kReductions[] = {"sum_of",    "abssum_of", "max_of",   "min_of",
                                                "absmax_of", "bitand_of", "bitor_of", "bitxor_of"};
  const auto extents = static_extents(op.values);
  TL_CHECK(extents.has_value(), "the values of a reduction over threads have a constant shape");
  int64_t count = 1;
  for (const int64_t extent : *extents) count *= extent;
  std::string operands = thread_ + ", " + address(op.values);
  if (op.scratch) operands += ", " + address(op.scratch);
  const std::string combine = ascend_.function(kReductions[static_cast<int>(op.reduce)]);
  line(fmt::format("{}<{}, {}, {}, {}, {}>({});", ascend_.function("thread_reduce"), combine, threads_, op.extent,
                   op.stride, count, operands));
}

}  // namespace tl
