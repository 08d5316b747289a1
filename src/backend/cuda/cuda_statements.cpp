#include "backend/cuda/cuda_statements.h"

#include <fmt/format.h>

#include "backend/cuda/light_kernel.h"
#include "backend/cuda/unrolled_loops.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// `e` without its term `var`, where it is a sum with that term and no other mention of it.
Expr without_term(const Expr& e, const Var& var) {
  if (e.get() == var.get()) return make_zero(e.dtype());
  if (const auto* n = e.as<CastNode>()) {
    // Of indices, which do not wrap.
    const Expr rest = e.dtype().is_int() ? without_term(n->a, var) : Expr();
    return rest ? cast(e.dtype(), rest) : Expr();
  }
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr || (n->op != BinaryOp::kAdd && n->op != BinaryOp::kSub)) return {};
  const bool on_right = mentions(n->b, var);
  if (on_right && (n->op == BinaryOp::kSub || mentions(n->a, var))) return {};
  const Expr rest = without_term(on_right ? n->b : n->a, var), other = on_right ? n->a : n->b;
  if (!rest) return {};
  if (is_const_int(rest, 0) && n->op == BinaryOp::kAdd) return other;
  return on_right ? binary(n->op, other, rest) : binary(n->op, rest, other);
}

/// Where the elements start whose last index has the term `var`, which counts from `begin`; nothing where successive
/// `var` are not neighbours.
std::optional<std::vector<Expr>> start_of(const BufferNode& buffer, std::vector<Expr> indices, const Var& var,
                                          int64_t begin) {
  if (indices.empty() || (!buffer.is_contiguous() && !is_const_int(buffer.strides.back(), 1))) return {};
  for (size_t i = 0; i + 1 < indices.size(); ++i) {
    if (mentions(indices[i], var)) return {};
  }
  Expr& last = indices.back();
  last = without_term(last, var);
  if (!last) return {};
  if (begin != 0) last = last + make_int(last.dtype(), begin);
  return indices;
}

}  // namespace

void CudaStatements::statement(const Op& op) {
  if (const auto* loop = op.as<For>()) cuda_.ranges().declare(*loop);
  if (const auto* bind = op.as<Bind>()) cuda_.ranges().declare(*bind);
  visit(op, [&](const auto& typed) { this->op(typed); });
}

bool CudaStatements::read_only(const BufferNode& buffer) const {
  const BufferNode* root = &buffer;
  for (auto it = sources_.find(root); it != sources_.end(); it = sources_.find(root)) root = it->second;
  return root->space == MemorySpace::kGlobal && written_.count(root) == 0;
}

void CudaStatements::find_stores(const Block& body) {
  const auto write = [&](const BufferNode* b) {
    for (auto it = sources_.find(b); it != sources_.end(); it = sources_.find(b)) b = it->second;
    written_.insert(b);
  };
  visit_ops(body, [&](const Op& op) {
    if (const auto* view = op.as<View>()) sources_[view->buffer.get()] = view->source.get();
    if (const auto* store = op.as<Store>()) write(store->buffer.get());
    for_each_region(op, [&](const RegionAccess& access) {
      if (access.role != FieldRole::kReads) write(access.region->buffer.get());
    });
  });
}

std::string CudaStatements::parameter(const Param& p) {
  if (const auto* var = std::get_if<Var>(&p)) {
    return fmt::format("{} {}", cuda_.type(var->dtype()), cuda_.name(*var));
  }
  const BufferNode& b = *std::get<Buffer>(p);
  return fmt::format("{}{}* {}", read_only(b) ? "const " : "", element_type(b), cuda_.name(b));
}

void CudaStatements::shared_area(int64_t bytes, EmittedKernel& kernel) {
  if (bytes == 0) return;
  shared_area_ = cuda_.names().fresh("shared_area");
  if (bytes <= kStaticSharedBytes) {
    line(fmt::format("__shared__ __align__(128) unsigned char {}[{}];", shared_area_, bytes));
    return;
  }
  kernel.shared_bytes = bytes;
  line(fmt::format("extern __shared__ __align__(128) unsigned char {}[];", shared_area_));
}

void CudaStatements::coordinates(const Launch& launch) {
  std::unordered_set<const ExprNode*> used, lanes;
  for (size_t d = 0; d < launch.lanes.size(); ++d) {
    if (d < launch.threads.size() && launch.threads[d] > 1) lanes.insert(launch.lanes[d].get());
  }
  visit_ops(launch.body, [&](const Op& op) {
    if (op.kind == OpKind::kThreadReduce) used.insert(lanes.begin(), lanes.end());
    for_each_expr(op, [&](const Expr& e) { visit_exprs(e, [&](const Expr& sub) { used.insert(sub.get()); }); });
  });
  const auto declare = [&](const std::vector<Var>& vars, const char* source) {
    for (size_t i = 0; i < vars.size(); ++i) {
      if (used.count(vars[i].get()) == 0) continue;
      cuda_.hold_as_index(vars[i]);
      line(fmt::format("const {} {} = {}.{};", cuda_.type(cuda_.index_type()), cuda_.name(vars[i]), source, "xyz"[i]));
    }
  };
  declare(launch.blocks, "blockIdx");
  declare(launch.lanes, "threadIdx");
  std::string thread;
  int64_t stride = 1;
  for (size_t d = 0; d < launch.threads.size(); stride *= launch.threads[d++]) {
    if (launch.threads[d] == 1) continue;
    const bool named = d < launch.lanes.size() && used.count(launch.lanes[d].get()) != 0;
    const std::string lane = named ? cuda_.name(launch.lanes[d]) : fmt::format("threadIdx.{}", "xyz"[d]);
    thread += (thread.empty() ? "" : " + ") + lane + (stride == 1 ? "" : fmt::format(" * {}", stride));
  }
  if (!thread.empty()) thread_ = thread;
}

std::string CudaStatements::kernel(const Launch& launch, EmittedKernel& kernel) {
  find_stores(launch.body);
  for (const int64_t extent : launch.threads) threads_ *= extent;
  std::string parameters;
  for (const Param& p : kernel.args) parameters += (parameters.empty() ? "" : ", ") + parameter(p);
  visit_ops(launch.body, [&](const Op& op) { kernel.programs_meet |= is_grid_barrier(op); });
  kernel.light = is_light(launch);
  if (kernel.programs_meet) {
    grid_state_ = cuda_.names().fresh("grid_state");
    parameters += fmt::format("{}u32* {}", parameters.empty() ? "" : ", ", grid_state_);
  }
  const auto resident = hint<int64_t>(launch.hints, "resident_blocks", 1);
  const std::string bounds = resident > 1 ? fmt::format("{}, {}", threads_, resident) : fmt::format("{}", threads_);
  open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", bounds, kernel.symbol, parameters));
  shared_area(hint<int64_t>(launch.hints, "shared_bytes", 0), kernel);
  coordinates(launch);
  cuda_.ranges().declare(launch);
  block(launch.body);
  close();
  return take_text();
}

void CudaStatements::op(const Alloc& op) {
  const BufferNode& b = *op.buffer;
  const std::string element = cuda_.type(b.dtype);
  switch (b.space) {
    case MemorySpace::kVar:
      return scalar(op);
    case MemorySpace::kLocal:
      // Whole vectors of it move at once.
      return line(
          fmt::format("alignas(16) {} {}[{}];", element, cuda_.name(b), std::max<int64_t>(static_element_count(b), 1)));
    case MemorySpace::kShared:
    case MemorySpace::kSharedStatic: {
      const int64_t offset = hint<int64_t>(op.hints, "offset", -1);
      TL_CHECK(offset >= 0 && !shared_area_.empty(), "`" + b.name + "` has no place in shared memory");
      const std::string place = offset == 0 ? shared_area_ : fmt::format("({} + {})", shared_area_, offset);
      return line(fmt::format("{0}* const {1} = ({0}*){2};", element, cuda_.name(b), place));
    }
    default:
      internal_error(__FILE__, __LINE__, "space", "the CUDA emitter has no memory for `" + b.name + "`");
  }
}

void CudaStatements::pragmas(const For& op) {
  const auto copies = hint<int64_t>(op.hints, "unroll", 0);
  if (copies > 0) return line(fmt::format("#pragma unroll {}", copies));
  if (is_unrolled(op)) {
    line("#pragma unroll");
  } else if (op.loop == LoopKind::kUnrolled) {
    line("#pragma unroll 1");
  }
}

void CudaStatements::op(const For& op) {
  if (!vector_move(op) && !common_divisor(op)) CStatements::op(op);
}

bool CudaStatements::common_divisor(const For& op) {
  if (!hint(op.hints, kCommonDivisorHint, false)) return false;
  const auto count = as_int(op.end);
  const auto* store = op.body.size() == 1 ? op.body[0]->as<Store>() : nullptr;
  const auto* quotient = store != nullptr ? store->value.as<BinaryNode>() : nullptr;
  const auto start = quotient != nullptr ? start_of(*store->buffer, store->indices, op.var, 0) : std::nullopt;
  TL_CHECK(count && start && quotient->op == BinaryOp::kDiv, "a loop with a common divisor divides an array");
  mark(store->loc);
  line(fmt::format("{}<{}>({}, {});", cuda_.function("divide_all"), *count, address(*store->buffer, *start),
                   cuda_.value(quotient->b)));
  return true;
}

std::string CudaStatements::address(const BufferNode& buffer, const std::vector<Expr>& indices) {
  const std::string offset = buffer.space == MemorySpace::kVar ? "" : cuda_.offset(buffer, indices);
  return offset == "0" ? cuda_.name(buffer) : "&" + cuda_.element(buffer, indices);
}

bool CudaStatements::vector_move(const For& op) {
  const auto begin = as_int(op.begin), end = as_int(op.end);
  const auto* store = op.body.size() == 1 ? op.body[0]->as<Store>() : nullptr;
  const auto* load = store != nullptr ? store->value.as<LoadNode>() : nullptr;
  if (op.loop != LoopKind::kVectorized || !begin || !end || as_int(op.step) != 1 || load == nullptr) return false;
  const BufferNode &dst = *store->buffer, &src = *load->buffer;
  const int64_t count = *end - *begin, bytes = count * ((dst.dtype.bits() + 7) / 8);
  if (dst.dtype != src.dtype || (bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)) return false;
  const auto to = start_of(dst, store->indices, op.var, *begin), from = start_of(src, load->indices, op.var, *begin);
  if (!to || !from) return false;
  mark(store->loc);
  const bool async = is_async(op.hints);
  TL_CHECK(!async || bytes >= 4, "an asynchronous move of less than 4 bytes");
  line(fmt::format("{}<{}>({}, {});", cuda_.function(async ? "copy_async" : "copy"), count, address(dst, *to),
                   address(src, *from)));
  return true;
}

void CudaStatements::op(const Barrier& op) {
  if (op.grid) return line(fmt::format("{}({});", cuda_.function("grid_barrier"), grid_state_));
  if (op.id < 0) return line("__syncthreads();");
  line(fmt::format("asm volatile(\"bar.sync {}, {};\" ::: \"memory\");", op.id, op.count == 0 ? threads_ : op.count));
}

void CudaStatements::op(const ThreadCommit&) { line(cuda_.function("commit_async") + "();"); }

void CudaStatements::op(const ThreadWait& op) {
  line(fmt::format("{}<{}>();", cuda_.function("wait_async"), op.pending));
}

void CudaStatements::op(const ThreadReduce& op) {
  // In the order of ReduceKind.
  static constexpr const char* kReductions[] = {"sum_of",    "abssum_of", "max_of",   "min_of",
                                                "absmax_of", "bitand_of", "bitor_of", "bitxor_of"};
  int64_t count = 1;
  const auto extents = static_extents(op.values);
  TL_CHECK(extents.has_value(), "the values of a reduction over threads have a constant shape");
  for (const int64_t extent : *extents) count *= extent;
  std::string operands = thread_ + ", " + address(*op.values.buffer, op.values.offsets);
  if (op.scratch) operands += ", " + address(*op.scratch.buffer, op.scratch.offsets);
  const std::string combine = cuda_.function(kReductions[static_cast<int>(op.reduce)]);
  line(fmt::format("{}<{}, {}, {}, {}, {}>({});", cuda_.function("thread_reduce"), combine, threads_, op.extent,
                   op.stride, count, operands));
}

}  // namespace tl
