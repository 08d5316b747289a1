// align-core-rows
//
// before:  alloc %a: shared float32[7, 9]
// after:   alloc %a: shared float32[7, 9] strides [16, 1]

#include "passes/core/align_core_rows.h"

#include <unordered_set>

#include "ir/walk.h"
#include "passes/core/core_memory.h"

namespace tl {

void align_core_rows(Function& function, PassContext&) {
  std::unordered_set<const BufferNode*> viewed;
  visit_ops(std::as_const(function.body), [&](const Op& op) {
    if (op.kind == OpKind::kView) viewed.insert(op.as<View>()->source.get());
  });
  Substitution s;
  visit_ops(function.body, [&](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch == nullptr || !runs_on_cores(*launch)) return;
    visit_ops(launch->body, [&](Op& inner) {
      auto* alloc = inner.as<Alloc>();
      if (alloc == nullptr || viewed.count(alloc->buffer.get()) != 0) return;
      const Buffer aligned = with_aligned_rows(alloc->buffer);
      if (aligned.get() == alloc->buffer.get()) return;
      s.buffers[alloc->buffer.get()] = aligned;
      alloc->buffer = aligned;
    });
  });
  if (!s.empty()) substitute(function.body, s);
}

}  // namespace tl
