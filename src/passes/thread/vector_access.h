#pragma once

#include <cstdint>
#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "target/target.h"

namespace tl {

/// What a vector access may rest on.
struct AccessRules {
  /// Widest access in bytes, and the alignment of every tensor's first element and of every shared tile.
  int64_t access_bytes = 16;
  int64_t tensor_alignment = 16;
};

/// Bytes of the widest access that every generation of the target's kind makes.
int64_t widest_access(const Target& target);

/// The most elements that an access can move at once along the last variable of a loop, whose points are taken in
/// aligned groups of that many: a power of two, 1 where the elements are not next to each other. Strides that are no
/// constants count with what the facts say of them.
int64_t vector_elements(const Buffer& buffer, const std::vector<Expr>& indices, const std::vector<Var>& vars,
                        const Facts& facts, const AccessRules& rules);

}  // namespace tl
