#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "support/source_loc.h"
#include "types/memory_space.h"

namespace tl {

/// An array that keeps its multi-dimensional shape until emission.
struct BufferNode : RefCounted {
  std::string name;
  DType dtype;
  std::vector<Expr> shape;
  /// In elements, one a dimension; empty means contiguous row-major.
  std::vector<Expr> strides;
  MemorySpace space = MemorySpace::kGlobal;
  /// Where the user declared it.
  Loc loc;

  size_t rank() const { return shape.size(); }
  bool is_contiguous() const { return strides.empty(); }
};

Buffer make_buffer(std::string name, DType dtype, std::vector<Expr> shape, MemorySpace space,
                   std::vector<Expr> strides = {}, Loc loc = {});

/// Strides in elements, written out (computed row-major when `buffer.strides` is empty).
std::vector<Expr> strides_of(const BufferNode& buffer);
/// The shape as numbers, or nothing if an extent is symbolic.
std::optional<std::vector<int64_t>> static_shape(const BufferNode& buffer);

/// A box of a buffer: `offsets[i]` to `offsets[i] + extents[i]` in every dimension. Ranks equal the buffer's.
/// Tile operations take regions only, so a pitch or an offset cannot be lost.
struct Region {
  Buffer buffer;
  std::vector<Expr> offsets, extents;

  explicit operator bool() const { return static_cast<bool>(buffer); }
};

/// The region that covers all of `buffer`.
Region whole(const Buffer& buffer);
/// Numbers where all extents are constants.
std::optional<std::vector<int64_t>> static_extents(const Region& region);
bool same(const Region& a, const Region& b);

}  // namespace tl
