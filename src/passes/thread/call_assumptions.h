#pragma once

#include <string>
#include <vector>

#include "ir/function.h"
#include "target/target.h"

namespace tl {

/// Conditions on the sizes of a call, over the function's symbols and scalars, that nearly every call satisfies and
/// that fast code rests on. Those that hold anyway are left out.
struct CallAssumptions {
  /// Rows of every tensor begin where a widest access may, as far as run-time extents and strides decide it; elements
  /// of a row are neighbours.
  std::vector<Expr> rows;
  /// Extents and offsets fit 32 bits, with room for the part of a tile that sticks out.
  std::vector<Expr> sizes;

  std::vector<Expr> all() const;
};

/// What code for `target` would rest on: conditions about the tensors that the function reads or writes.
CallAssumptions usual_calls(const Function& function, const Target& target);

/// Numbers of elements that bound every offset into the buffer and every sum on the way to it, if no index is negative:
/// int64, as indices are.
std::vector<Expr> spans_of(const BufferNode& buffer);

}  // namespace tl
