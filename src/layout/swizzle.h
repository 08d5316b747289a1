#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "layout/checked.h"
#include "layout/layout.h"

namespace tl {

/// An XOR swizzle of offsets: bits [base + shift, base + shift + bits) are XORed onto bits [base, base + bits) (for a
/// negative shift the other way round). It is its own inverse, permutes every aligned block of `period()` offsets, and
/// leaves runs of 2^base offsets together. Offsets count bytes or elements, as the user of the swizzle says; `recast`
/// changes the unit. The text form is `S<bits,base,shift>`.
class Swizzle {
 public:
  /// The identity, S<0,0,0>.
  Swizzle() = default;
  /// Error unless bits, base >= 0, |shift| >= bits, and base + bits + |shift| <= 62.
  static Checked<Swizzle> make(int bits, int base, int shift);
  /// The modes of shared-memory matrix and bulk-copy engines, on byte offsets: the 16-byte chunk within a row of 32, 64
  /// or 128 bytes is XORed with bits of the row number (PTX ISA, "Swizzling modes").
  static Swizzle bytes_32() { return Swizzle(1, 4, 3); }
  static Swizzle bytes_64() { return Swizzle(2, 4, 3); }
  static Swizzle bytes_128() { return Swizzle(3, 4, 3); }
  static Checked<Swizzle> parse(std::string_view text);
  static Checked<Swizzle> parse(TextCursor& cursor);

  int bits() const { return bits_; }
  int base() const { return base_; }
  int shift() const { return shift_; }
  bool is_identity() const { return bits_ == 0; }
  /// Offsets after which the pattern repeats, 2^(base + bits + |shift|); 1 for the identity.
  int64_t period() const;
  /// Aligned runs of this many offsets stay contiguous and aligned: 2^base; 0 (no limit) for the identity.
  int64_t run() const { return is_identity() ? 0 : int64_t{1} << base_; }

  /// Throws std::out_of_range for a negative offset, except under the identity.
  int64_t operator()(int64_t offset) const;

  /// The same permutation of memory with offsets in units of `to_bits` instead of `from_bits` (8 for bytes, 4 for
  /// fp4...). Error: widths that are no powers of two, or runs shorter than one new unit.
  Checked<Swizzle> recast(int from_bits, int to_bits) const;

  std::string to_string() const;
  bool operator==(const Swizzle&) const = default;

 private:
  Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {}

  int bits_ = 0;
  int base_ = 0;
  int shift_ = 0;
};

/// swizzle(offset + layout(coordinate)): the layout of a shared tile. The text form is `S<3,3,3> o 0 o (8,64):(64,1)`;
/// a plain layout is one with the identity swizzle and offset 0 and parses as such.
class ComposedLayout {
 public:
  ComposedLayout() = default;
  ComposedLayout(Layout layout) : layout_(std::move(layout)) {}
  /// Error: an offset outside 0 <= v < 2^62 is reached.
  static Checked<ComposedLayout> make(Swizzle swizzle, int64_t offset, Layout layout);
  static Checked<ComposedLayout> parse(std::string_view text);
  static Checked<ComposedLayout> parse(TextCursor& cursor);

  const Swizzle& swizzle() const { return swizzle_; }
  int64_t offset() const { return offset_; }
  const Layout& layout() const { return layout_; }
  int64_t size() const { return layout_.size(); }
  /// Elements of a buffer that holds every value. An upper bound: whole blocks of 2^(base + bits) where a swizzle can
  /// move an element past the last offset.
  int64_t cosize() const;
  /// The value at a linear index or coordinate; throws std::out_of_range as `Layout` does.
  int64_t operator()(int64_t index) const { return swizzle_(offset_ + layout_(index)); }
  int64_t operator()(const IntTuple& coordinate) const { return swizzle_(offset_ + layout_(coordinate)); }
  int64_t operator()(std::initializer_list<int64_t> coordinate) const {
    return swizzle_(offset_ + layout_(coordinate));
  }
  int64_t at(std::span<const int64_t> coordinate) const { return swizzle_(offset_ + layout_.at(coordinate)); }

  /// The widest vector access along top-level mode `mode` that strides, offset and swizzle guarantee: every aligned
  /// group of v indices of that mode, at any index of the others, has v consecutive values of which the first is a
  /// multiple of v, and v divides the mode's first run.
  int64_t vector_extent(size_t mode) const;

  std::string to_string() const;
  /// Same spelling.
  bool operator==(const ComposedLayout&) const = default;

 private:
  Swizzle swizzle_;
  int64_t offset_ = 0;
  Layout layout_;
};

/// outer ∘ inner. Error: as for `composition` of the layouts.
Checked<ComposedLayout> composition(const ComposedLayout& outer, const Layout& inner);

}  // namespace tl
