#include "driver/parameter_use.h"

#include <unordered_map>

#include "analysis/accesses.h"

namespace tl {

void mark_parameter_use(const Function& function, Signature& signature) {
  std::unordered_map<const BufferNode*, ParamSpec*> tensors;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto* buffer = std::get_if<Buffer>(&function.params[i]);
    if (buffer == nullptr) continue;
    tensors.emplace(buffer->get(), &signature.params[i]);
    signature.params[i].used = false;
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
