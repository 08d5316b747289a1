#pragma once

#include <unordered_set>

#include "passes/pass.h"

namespace tl {

/// Hint of a launch whose code is right only where tensors are apart as PassContext::tensors_apart says.
inline constexpr const char* kTensorsApartHint = "tensors_apart";

/// Whether two tensors have one shape, strides and dtype, so that at one address their elements are the same memory
/// index by index.
bool same_elements(const BufferNode& a, const BufferNode& b);

/// What may be the same memory under different names.
class SharedMemoryOf {
 public:
  SharedMemoryOf() = default;
  SharedMemoryOf(const Function& function, const PassContext& context);

  /// Whether a store to an element of `stored` may change some element of `loaded`. Notes in `relies_on_apart` where
  /// only tensors that are apart exclude it.
  bool may_change(const Buffer& stored, const Buffer& loaded, bool& relies_on_apart) const;

 private:
  /// Parameters, where they are apart.
  std::unordered_set<const BufferNode*> apart_;
};

}  // namespace tl
