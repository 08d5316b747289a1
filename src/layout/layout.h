#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout/checked.h"
#include "layout/shape.h"

namespace tl {

/// One leaf of a layout: `extent` coordinates, `stride` elements apart.
struct LayoutMode {
  int64_t extent;
  int64_t stride;
  bool operator==(const LayoutMode&) const = default;
};

/// A function from coordinates to integers, given by a tree of extents and a congruent tree of strides. A coordinate
/// may be as fine as the shape or coarser: an integer in place of a subtree counts through that subtree with its
/// *leftmost* leaf fastest. So every layout of size n is also a function of 0 <= i < n. The algebra follows the
/// published mathematics of CuTe layouts (Shah, "Layout algebra", and the CuTe documentation), except that every
/// operation here checks its preconditions.
///
/// Extents are >= 0, strides are any integers, and size and all values fit in 64 bits: `make` refuses anything else.
/// The text form is `((2,3),4):((1,2),6)`.
class Layout {
 public:
  /// The layout `():()` of size 1, whose only value is 0.
  Layout() = default;
  static Checked<Layout> make(IntTuple shape, IntTuple stride);
  /// One mode is a leaf, none is `1:0`, more are a flat list.
  static Checked<Layout> make(const std::vector<LayoutMode>& modes);
  static Checked<Layout> parse(std::string_view text);
  static Checked<Layout> parse(TextCursor& cursor);

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }
  /// Number of top-level modes; 1 for a single leaf.
  size_t rank() const { return shape_.rank(); }
  int64_t depth() const { return shape_.depth(); }
  /// Number of coordinates.
  int64_t size() const { return shape_.product(); }
  /// The smallest and the largest value; 0 for an empty layout.
  int64_t min_value() const;
  int64_t max_value() const;
  /// Elements of a buffer that holds every value >= 0: max_value() + 1, or 0 for an empty layout.
  int64_t cosize() const;

  /// The value at a linear index; throws std::out_of_range outside 0 <= index < size().
  int64_t operator()(int64_t index) const;
  /// The value at a coordinate as fine as the shape or coarser; throws std::out_of_range outside the shape or when the
  /// coordinate has another rank.
  int64_t operator()(const IntTuple& coordinate) const;
  /// The value at one linear index per top-level mode.
  int64_t operator()(std::initializer_list<int64_t> coordinate) const {
    return at({coordinate.begin(), coordinate.size()});
  }
  int64_t at(std::span<const int64_t> coordinate) const;
  /// The finest coordinate of a linear index; throws std::out_of_range.
  IntTuple coordinate(int64_t index) const;

  /// Top-level mode `i` as a layout.
  Layout mode(size_t i) const;
  /// The leaves from left to right.
  std::vector<LayoutMode> leaves() const;
  std::string to_string() const;

  /// Same spelling. Same function: `equivalent`.
  bool operator==(const Layout&) const = default;

 private:
  Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {}

  IntTuple shape_;
  IntTuple stride_;
};

/// Dense layouts of a shape: the last mode fastest, or the first. Inside a nested mode the same order holds.
Checked<Layout> make_row_major(const IntTuple& shape);
Checked<Layout> make_column_major(const IntTuple& shape);
/// `n:1`.
Checked<Layout> make_identity(int64_t size);

/// The layouts as top-level modes of one: the value is the sum of theirs. Throws std::logic_error where the size or a
/// value would not fit in 64 bits.
Layout concat(const std::vector<Layout>& layouts);
/// The same leaves in one flat list.
Layout flatten(const Layout& layout);
/// The shortest flat layout that is the same function of the linear index. It is unique.
Layout coalesce(const Layout& layout);
/// `coalesce` of each top-level mode; the rank stays.
Layout coalesce_modes(const Layout& layout);
/// The layout without leaves of stride 0 or extent 1, coalesced: the same set of values, each fewer times.
Layout filter(const Layout& layout);
/// Same size and same value at each linear index.
bool equivalent(const Layout& a, const Layout& b);
/// Different indices have different values. Decided from the strides where possible, else by enumeration.
bool is_injective(const Layout& layout);

/// The listed top-level modes, in that order. Error: no such mode.
Checked<Layout> select_modes(const Layout& layout, std::span<const size_t> modes);
/// A slice: each top-level mode is fixed at a linear index or kept.
struct LayoutSlice {
  Layout layout;
  int64_t offset;
};
/// Kept modes and the value that the fixed ones contribute. Error: wrong rank, index outside its mode.
Checked<LayoutSlice> slice(const Layout& layout, std::span<const std::optional<int64_t>> coordinate);
/// The layout on the first extents[i] indices of each top-level mode i. Error: an extent is larger than its mode or
/// cuts a nested mode where no shape can follow.
Checked<Layout> restrict_to(const Layout& layout, std::span<const int64_t> extents);
/// Each top-level mode i lengthened, at its last leaf, until `multiples[i]` divides its size, so that tiles which do
/// not divide can be cut and the excess predicated. Error: the mode's inner leaves already make that impossible.
Checked<Layout> pad_to_multiples(const Layout& layout, std::span<const int64_t> multiples);

}  // namespace tl
