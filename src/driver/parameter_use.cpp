#include "driver/parameter_use.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/accesses.h"

namespace tl {

void mark_parameter_use(const Function& function, Signature& signature) {
  std::unordered_map<const BufferNode*, ParamSpec*> tensors;
  std::unordered_map<const ExprNode*, ParamSpec*> pointers;
  for (size_t i = 0; i < function.params.size(); ++i) {
    ParamSpec& spec = signature.params[i];
    if (spec.kind == ParamKind::kScalar) continue;
    spec.used = false;
    if (spec.kind == ParamKind::kTensor) {
      tensors.emplace(std::get<Buffer>(function.params[i]).get(), &spec);
    } else {
      pointers.emplace(std::get<Var>(function.params[i]).get(), &spec);
    }
  }
  for (const OpPtr& op : function.body) {
    const auto* alloc = op->as<Alloc>();
    const auto pointer = alloc == nullptr || !alloc->at ? pointers.end() : pointers.find(alloc->at.get());
    if (pointer == pointers.end()) continue;
    tensors.emplace(alloc->buffer.get(), pointer->second);
    // The largest power of two that divides the size of an element.
    const int64_t bytes = std::max<int64_t>(alloc->buffer->dtype.bytes(), 1);
    pointer->second->alignment = std::max(pointer->second->alignment, bytes & -bytes);
  }
  const Aliases aliases(function);
  for (const OpPtr& op : function.body) {
    for (const Access& access : accesses(*op)) {
      const auto found = tensors.find(aliases.root(access.buffer).get());
      if (found == tensors.end()) continue;
      found->second->used = true;
      found->second->written |= access.writes;
    }
    if (!has_unknown_effects(*op)) continue;
    for (auto& [buffer, spec] : tensors) spec->used = true;
  }
}

}  // namespace tl
