#pragma once

// Elements and regions of buffers as the user writes them. Throw CompileError without a position.

#include "ir/buffer.h"
#include "ir/promote.h"

namespace tl {

enum class AccessKind : uint8_t { kLoad, kStore };

/// The indices of one element: integers, one a dimension; constant negatives count from the end. Errors: TL020 for a
/// wrong number, TL022 for one that is not an integer, TL021 for a constant outside a constant extent.
std::vector<Expr> element_indices(const Buffer& buffer, const std::vector<Operand>& indices, AccessKind kind);

/// The value of one element.
Expr element(const Buffer& buffer, const std::vector<Operand>& indices);

/// A box of `buffer` from its offsets and extents; an extent that is one number for all values of its variables becomes
/// that number, so `A[i * 8 : i * 8 + 8]` has the extent 8. Errors: TL020, TL022, TL027 for a negative extent.
Region region(const Buffer& buffer, const std::vector<Operand>& offsets, const std::vector<Operand>& extents);

/// An operand of a tile operation as written: a whole buffer, a region, or one element, which for a copy names a start.
struct TileOperand {
  enum class Form : uint8_t { kWhole, kRegion, kElement };
  Form form = Form::kWhole;
  /// Whole buffers and elements have a region too: all of it, and a box of ones.
  Region region;

  TileOperand(const Buffer& buffer) : region(whole(buffer)) {}          // NOLINT: written as what it is
  TileOperand(Region r) : form(Form::kRegion), region(std::move(r)) {}  // NOLINT
  /// `load` is the value of an element, as `element` makes it.
  static TileOperand element(const LoadNode& load);

  const Buffer& buffer() const { return region.buffer; }
};

}  // namespace tl
