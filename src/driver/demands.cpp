#include "driver/demands.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "analysis/accesses.h"
#include "analysis/simplify.h"
#include "driver/int_program_of.h"
#include "ir/attrs.h"
#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/thread/tensors_apart.h"
#include "passes/thread/vector_access.h"

namespace tl {
namespace {

/// `all` and `condition`; the condition alone where there was none.
void add_condition(IntProgram& all, const IntProgram& condition) {
  const bool first = all.empty();
  all.push_all(condition);
  if (!first) all.push(IntOp::kAnd);
}

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

/// Each tensor that is written with every other one.
std::vector<std::pair<TensorUse, TensorUse>> written_pairs(const Function& function) {
  std::vector<std::pair<TensorUse, TensorUse>> out;
  const std::vector<TensorUse> uses = tensor_uses(function);
  for (auto a = uses.begin(); a != uses.end(); ++a) {
    for (auto b = a + 1; b != uses.end(); ++b) {
      if (a->written || b->written) out.emplace_back(*a, *b);
    }
  }
  return out;
}

/// Whether PassContext::tensors_apart holds.
IntProgram tensors_apart(const Function& function, FunctionSignature& signature) {
  const auto value = [&](const Expr& e) {
    return int_program_of(e, [&](const Var& v) { return signature.slot_of(v); });
  };
  const auto address = [&](const TensorUse& use) {
    return IntProgram::slot(signature.address_slot(static_cast<int>(use.param)));
  };
  const auto ends_before = [&](const TensorUse& a, const TensorUse& b) {
    const std::vector<Expr> spans = spans_of(*a.tensor);
    const Expr elements = spans.empty() ? make_int(DType::i64(), 1) : spans.back();
    const Expr bits = elements * make_int(DType::i64(), a.tensor->dtype.storage_bits());
    const Expr bytes = simplify(floordiv(bits + make_int(DType::i64(), 7), make_int(DType::i64(), 8)));
    return address(a).push_all(value(bytes)).push(IntOp::kAdd).push_all(address(b)).push(IntOp::kLe);
  };
  IntProgram out;
  const auto add = [&](const IntProgram& condition) { add_condition(out, condition); };
  for (const auto& [a, b] : written_pairs(function)) {
    IntProgram apart = ends_before(a, b);
    apart.push_all(ends_before(b, a)).push(IntOp::kOr);
    if (same_elements(*a.tensor, *b.tensor)) {
      apart.push_all(address(a).push_all(address(b)).push(IntOp::kEq)).push(IntOp::kOr);
    }
    add(apart);
  }
  // Spans are counted upwards from the address.
  for (const TensorUse& use : tensor_uses(function)) {
    for (const Expr& stride : use.tensor->strides) {
      const Expr condition = simplify(make_zero(DType::i64()) <= widen_index(stride));
      if (!is_const_int(condition, 1)) add(value(condition));
    }
  }
  return out.empty() ? IntProgram::constant(1) : out;
}

bool rests_on_tensors_apart(const Function& threads) {
  bool out = false;
  visit_ops(threads.body, [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    out |= launch != nullptr && hint(launch->hints, kTensorsApartHint, false);
  });
  return out;
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
    if (launch != nullptr) out.push_back(hint<int64_t>(launch->hints, "index_bits", 0));
  });
  return out;
}

}  // namespace

size_t Demands::count() const {
  return (tensor_alignment > 1 ? 1 : 0) + sizes.rows.size() + sizes.sizes.size() + (tensors_apart ? 1 : 0);
}

std::string Demands::text() const {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (tensor_alignment > 1) add(fmt::format("tensors aligned to {} bytes", tensor_alignment));
  for (const Expr& condition : sizes.rows) add(python_text(condition));
  if (!sizes.sizes.empty()) add("sizes below 2^31");
  if (tensors_apart) add("tensors apart");
  return out.empty() ? "general" : out;
}

Demands usual_demands(const Function& function, const Target& target) {
  if (target.kind != TargetKind::kCuda) return {};
  return {widest_access(target), usual_calls(function, target), !written_pairs(function).empty()};
}

PassContext pass_context(const Target& target, const Attrs& config, Diagnostics& diagnostics, const Demands& demands) {
  return {target, config, diagnostics, demands.tensor_alignment, demands.conditions(), demands.tensors_apart};
}

Demands needed_demands(const Demands& demands, const Function& asking, const Function& general,
                       const std::function<bool(const Demands&)>& same_without) {
  struct Part {
    std::function<void(Demands&)> drop;
    /// What differs comes of it for certain, so nothing has to be tried.
    bool needed;
  };
  const bool forwards = rests_on_tensors_apart(asking);
  const Part parts[] = {
      // What forwarding changes says nothing of vectors.
      {[](Demands& d) { d.tensor_alignment = 1; }, !forwards && count_vectors(asking) != count_vectors(general)},
      {[](Demands& d) { d.sizes.rows.clear(); }, false},
      {[](Demands& d) { d.sizes.sizes.clear(); }, index_widths(asking) != index_widths(general)},
  };
  Demands out = demands;
  out.tensors_apart = forwards;
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
  const auto add = [&](const IntProgram& condition) { add_condition(out, condition); };
  if (demands.tensor_alignment > 1) add(aligned(function, signature, demands.tensor_alignment));
  for (const Expr& condition : demands.conditions()) {
    add(int_program_of(condition, [&](const Var& v) { return signature.slot_of(v); }));
  }
  if (demands.tensors_apart) add(tensors_apart(function, signature));
  return out.empty() ? IntProgram::constant(1) : out;
}

}  // namespace tl
