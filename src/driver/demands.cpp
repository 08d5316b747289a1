#include "driver/demands.h"

#include <fmt/format.h>

#include <unordered_map>

#include "driver/int_program_of.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/thread/vector_access.h"

namespace tl {
namespace {

/// True where the addresses of all tensors, those at pointers too, are multiples of `alignment`, a power of two.
IntProgram aligned(const Function& function, FunctionSignature& signature, int64_t alignment) {
  std::unordered_map<const ExprNode*, int> pointers;
  IntProgram out = IntProgram::constant(0);
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (const auto* var = std::get_if<Var>(&function.params[i])) {
      pointers[var->get()] = static_cast<int>(i);
    } else {
      out.push_slot(signature.address_slot(static_cast<int>(i))).push(IntOp::kBitOr);
    }
  }
  for (const OpPtr& op : function.body) {
    const auto* alloc = op->as<Alloc>();
    if (alloc == nullptr || !alloc->at) continue;
    // An integer has a slot of its own.
    const auto pointer = alloc->at.dtype().is_handle() ? pointers.find(alloc->at.get()) : pointers.end();
    if (pointer != pointers.end()) {
      out.push_slot(signature.address_slot(pointer->second));
    } else {
      out.push_all(int_program_of(alloc->at, [&](const Var& v) { return signature.slot_of(v); }));
    }
    out.push(IntOp::kBitOr);
  }
  return out.push_constant(alignment - 1).push(IntOp::kBitAnd).push_constant(0).push(IntOp::kEq);
}

/// Accesses of several elements; those to tensors need alignment.
int count_vectors(const Function& threads) {
  int out = 0;
  visit_ops(threads.body, [&](const Op& op) {
    const auto* loop = op.as<For>();
    out += loop != nullptr && loop->loop == LoopKind::kVectorized ? 1 : 0;
  });
  return out;
}

/// The hint "index_bits" of every launch.
std::vector<int64_t> index_widths(const Function& threads) {
  std::vector<int64_t> out;
  visit_ops(threads.body, [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    const auto hint = launch->hints.find("index_bits");
    out.push_back(hint == launch->hints.end() ? 0 : std::get<int64_t>(hint->second));
  });
  return out;
}

}  // namespace

size_t Demands::count() const { return (tensor_alignment > 1 ? 1 : 0) + sizes.rows.size() + sizes.sizes.size(); }

std::string Demands::text() const {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (tensor_alignment > 1) add(fmt::format("tensors aligned to {} bytes", tensor_alignment));
  for (const Expr& condition : sizes.rows) add(python_text(condition));
  if (!sizes.sizes.empty()) add("sizes below 2^31");
  return out.empty() ? "general" : out;
}

Demands usual_demands(const Function& function, const Target& target) {
  if (target.kind != TargetKind::kCuda) return {};
  return {widest_access(target), usual_calls(function, target)};
}

Demands needed_demands(const Demands& demands, const Function& asking, const Function& general,
                       const std::function<bool(const Demands&)>& same_without) {
  struct Part {
    std::function<void(Demands&)> drop;
    /// What differs comes of it for certain, so nothing has to be tried.
    bool needed;
  };
  const Part parts[] = {
      {[](Demands& d) { d.tensor_alignment = 1; }, count_vectors(asking) != count_vectors(general)},
      {[](Demands& d) { d.sizes.rows.clear(); }, false},
      {[](Demands& d) { d.sizes.sizes.clear(); }, index_widths(asking) != index_widths(general)},
  };
  Demands out = demands;
  for (const Part& part : parts) {
    Demands fewer = out;
    part.drop(fewer);
    // To ask nothing at all gives other code, or there would be no demands.
    const bool possible = !part.needed && fewer.count() < out.count() && !fewer.empty();
    if (possible && same_without(fewer)) out = fewer;
  }
  return out;
}

IntProgram predicate_of(const Demands& demands, const Function& function, FunctionSignature& signature) {
  IntProgram out;
  const auto add = [&](const IntProgram& condition) {
    const bool first = out.empty();
    out.push_all(condition);
    if (!first) out.push(IntOp::kAnd);
  };
  if (demands.tensor_alignment > 1) add(aligned(function, signature, demands.tensor_alignment));
  for (const Expr& condition : demands.conditions()) {
    add(int_program_of(condition, [&](const Var& v) { return signature.slot_of(v); }));
  }
  return out.empty() ? IntProgram::constant(1) : out;
}

}  // namespace tl
