#pragma once

#include <cstdint>
#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"

namespace tl {

/// What a vector access may rest on.
struct AccessRules {
  /// Widest access in bytes, and the alignment of every tensor's first element and of every shared tile.
  int64_t access_bytes = 16;
  int64_t tensor_alignment = 16;
};

/// The most elements that an access can move at once along the last variable of a loop, whose points are taken in
/// aligned groups of that many: a power of two, 1 where the elements are not next to each other. Precondition: the
/// buffer's strides are constants where the result is more than 1.
int64_t vector_elements(const Buffer& buffer, const std::vector<Expr>& indices, const std::vector<Var>& vars,
                        const Facts& facts, const AccessRules& rules);

}  // namespace tl
