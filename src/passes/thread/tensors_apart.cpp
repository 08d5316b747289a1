#include "passes/thread/tensors_apart.h"

#include "ir/walk.h"

namespace tl {

bool same_elements(const BufferNode& a, const BufferNode& b) {
  return a.dtype == b.dtype && all_same(a.shape, b.shape) && all_same(strides_of(a), strides_of(b));
}

SharedMemoryOf::SharedMemoryOf(const Function& function, const PassContext& context) {
  if (!context.tensors_apart) return;
  for (const Param& param : function.params) {
    if (const auto* tensor = std::get_if<Buffer>(&param)) apart_.insert(tensor->get());
  }
}

bool SharedMemoryOf::may_change(const Buffer& stored, const Buffer& loaded, bool& relies_on_apart) const {
  // Views give one tile two names.
  if (stored == loaded || stored->space == loaded->space) {
    const bool apart = stored != loaded && apart_.count(stored.get()) != 0 && apart_.count(loaded.get()) != 0;
    if (!apart || same_elements(*stored, *loaded)) return true;
    relies_on_apart = true;
  }
  return false;
}

}  // namespace tl
