#include "coverage.h"

#include <fmt/format.h>

#include <set>

#include "ir/enum_names.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl::testing {
namespace {

std::string space_pair(const Region& src, const Region& dst) {
  return fmt::format("copy {} to {}", space_name(src.buffer->space), space_name(dst.buffer->space));
}

std::string gemm_name(DType a, DType c, bool ta, bool tb) {
  return fmt::format("gemm {} {} {}{}", a.name(), c.name(), ta ? 'T' : 'N', tb ? 'T' : 'N');
}

const char* const kTails[] = {"divides", "one short", "one over", "extent 1", "zero extent", "symbolic"};

}  // namespace

void Coverage::add(const Expr& whole) {
  visit_exprs(whole, [&](const Expr& e) {
    if (const auto* n = e.as<UnaryNode>()) note(fmt::format("operator {}", op_name(n->op)));
    if (const auto* n = e.as<BinaryNode>()) note(fmt::format("operator {}", op_name(n->op)));
    if (e.kind() == ExprKind::kSelect) note("select");
    if (const auto* n = e.as<CastNode>()) note("cast to " + n->dtype.name()), note("cast from " + n->a.dtype().name());
    if (e.kind() == ExprKind::kBitcast) note("bitcast");
    if (const auto* n = e.as<LoadNode>()) note(fmt::format("load {}", space_name(n->buffer->space)));
    if (const auto* n = e.as<CallNode>()) note(fmt::format("function {}", n->intrinsic->name));
  });
}

void Coverage::add(const Op& op) {
  note(fmt::format("op {}", op_name(op)));
  for_each_expr(op, [&](const Expr& e) { add(e); });
  if (const auto* alloc = op.as<Alloc>()) {
    note(fmt::format("space {}", space_name(alloc->buffer->space)));
    note("dtype " + alloc->buffer->dtype.name());
  }
  if (const auto* loop = op.as<For>()) note(fmt::format("loop {}", enum_name(loop->loop)));
  if (const auto* copy = op.as<Copy>()) note(space_pair(copy->src, copy->dst));
  if (const auto* reduce = op.as<Reduce>())
    note(fmt::format("reduce {} clear={}", enum_name(reduce->reduce), reduce->clear));
  if (const auto* gemm = op.as<Gemm>())
    note(gemm_name(gemm->a.buffer->dtype, gemm->c.buffer->dtype, gemm->transpose_a, gemm->transpose_b));
  if (const auto* store = op.as<Store>()) note(fmt::format("store {}", space_name(store->buffer->space)));
  if (const auto* launch = op.as<Launch>(); launch != nullptr && !launch->lanes.empty()) note("lanes");
  if (const auto* branch = op.as<If>(); branch != nullptr && !branch->else_body.empty()) note("else");
}

void Coverage::add(const Function& function) {
  for (const Param& p : function.params) {
    if (const auto* buffer = std::get_if<Buffer>(&p)) note("dtype " + (*buffer)->dtype.name());
  }
  visit_ops(function.body, [&](const Op& op) { add(op); });
}

int64_t Coverage::of(const std::string& what) const {
  const auto it = counts_.find(what);
  return it == counts_.end() ? 0 : it->second;
}

std::string Coverage::text() const {
  std::string out;
  for (const auto& [what, count] : counts_) out += fmt::format("{:>7} {}\n", count, what);
  return out;
}

std::vector<std::string> Coverage::goals(const std::vector<DType>& dtypes) {
  std::set<std::string> out;
#define TL_GOAL(Name) out.insert(fmt::format("op {}", Name::kName));
  TL_FOR_EACH_OP(TL_GOAL)
#undef TL_GOAL
  // Only passes make these.
  std::erase_if(
      out, [](const std::string& goal) { return goal.rfind("op thread.", 0) == 0 || goal.rfind("op core.", 0) == 0; });
  for (const DType t : dtypes) {
    for (const char* form : {"dtype ", "cast to ", "cast from "}) out.insert(form + t.name());
  }
  for (const char* tail : kTails) out.insert(fmt::format("tail {}", tail));
  for (const auto kind : EnumNames<LoopKind>::kNames) out.insert(fmt::format("loop {}", kind));
  for (const auto kind : EnumNames<ReduceKind>::kNames) {
    out.insert(fmt::format("reduce {} clear=true", kind));
    out.insert(fmt::format("reduce {} clear=false", kind));
  }
  for (size_t i = 0; i < kNumUnaryOps; ++i) out.insert(fmt::format("operator {}", op_name(static_cast<UnaryOp>(i))));
  for (size_t i = 0; i < kNumBinaryOps; ++i) out.insert(fmt::format("operator {}", op_name(static_cast<BinaryOp>(i))));
  for (size_t i = 0; i < kNumMathFns; ++i) out.insert(fmt::format("function {}", math_fn_name(static_cast<MathFn>(i))));
  const std::pair<DType, DType> products[] = {{DType::f16(), DType::f32()},  {DType::f16(), DType::f16()},
                                              {DType::bf16(), DType::f32()}, {DType::f32(), DType::f32()},
                                              {DType::f64(), DType::f64()},  {DType::i8(), DType::i32()},
                                              {DType::u8(), DType::i32()}};
  for (const auto& [input, sum] : products) {
    for (int flags = 0; flags < 4; ++flags) out.insert(gemm_name(input, sum, (flags & 1) != 0, (flags & 2) != 0));
  }
  for (const char* space : {"shared", "shared_static", "fragment", "local", "var"})
    out.insert(fmt::format("space {}", space));
  for (const char* space : {"global", "shared", "shared_static", "fragment", "local", "var"}) {
    out.insert(fmt::format("load {}", space));
    out.insert(fmt::format("store {}", space));
  }
  for (const char* pair : {"global to shared", "global to fragment", "shared to global", "fragment to global",
                           "shared to fragment", "fragment to shared", "shared to shared"}) {
    out.insert(fmt::format("copy {}", pair));
  }
  for (const char* other : {"select",
                            "bitcast",
                            "lanes",
                            "else",
                            "copy with pad",
                            "copy into a part",
                            "copy from where its destination says",
                            "fill with what it changes",
                            "tensor strided",
                            "tensor of symbolic stride",
                            "tensor rank 1",
                            "tensor rank 2",
                            "tensor rank 3",
                            "grid rank 0",
                            "grid rank 1",
                            "grid rank 2",
                            "grid rank 3",
                            "launches 3",
                            "host loop",
                            "host branch",
                            "host store",
                            "memory of the call",
                            "loop step negative",
                            "loop step above 1",
                            "loop without iterations",
                            "parallel of symbolic extent",
                            "chain of tiles",
                            "chain of tiles from its output",
                            "chain of tiles that is more",
                            "names at a point",
                            "name between stores",
                            "continue of a point"}) {
    out.insert(other);
  }
  return {out.begin(), out.end()};
}

}  // namespace tl::testing
