#include "layout/swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "layout/algebra.h"
#include "layout/text_cursor.h"

namespace tl {

Checked<Swizzle> Swizzle::make(int bits, int base, int shift) {
  auto in_range = [](int value) { return value >= 0 && value <= 62; };
  bool fits = in_range(bits) && in_range(base) && shift >= -62 && shift <= 62;
  if (!fits || std::abs(shift) < bits || base + bits + std::abs(shift) > 62) {
    return LayoutError{
        fmt::format("S<{},{},{}> is no swizzle: bits and base must be >= 0, |shift| >= bits, and their sum <= 62", bits,
                    base, shift)};
  }
  return Swizzle(bits, base, shift);
}

Checked<Swizzle> Swizzle::parse(TextCursor& cursor) {
  int fields[3];
  constexpr std::string_view kBefore[3] = {"S<", ",", ","};
  for (int i = 0; i < 3; ++i) {
    if (!cursor.eat(kBefore[i])) return cursor.expected(fmt::format("'{}'", kBefore[i]));
    auto value = cursor.integer();
    if (!value || std::abs(*value) > 62) return cursor.expected("an integer between -62 and 62");
    fields[i] = static_cast<int>(*value);
  }
  if (!cursor.eat(">")) return cursor.expected("'>'");
  return make(fields[0], fields[1], fields[2]);
}

Checked<Swizzle> Swizzle::parse(std::string_view text) {
  TextCursor cursor(text);
  auto swizzle = parse(cursor);
  if (swizzle && !cursor.at_end()) return cursor.expected("the end");
  return swizzle;
}

int64_t Swizzle::period() const { return is_identity() ? 1 : int64_t{1} << (base_ + bits_ + std::abs(shift_)); }

int64_t Swizzle::operator()(int64_t offset) const {
  if (is_identity()) return offset;
  if (offset < 0) throw std::out_of_range(fmt::format("{} of the negative offset {}", to_string(), offset));
  int64_t low = ((int64_t{1} << bits_) - 1) << base_;
  int distance = std::abs(shift_);
  return shift_ >= 0 ? offset ^ ((offset >> distance) & low) : offset ^ ((offset & low) << distance);
}

Checked<Swizzle> Swizzle::recast(int from_bits, int to_bits) const {
  auto refuse = [&](std::string_view why) {
    return LayoutError{fmt::format("{} on units of {} bits cannot be told in units of {} bits: {}", to_string(),
                                   from_bits, to_bits, why)};
  };
  auto is_power = [](int bits) { return bits > 0 && std::has_single_bit(static_cast<unsigned>(bits)); };
  if (!is_power(from_bits) || !is_power(to_bits)) return refuse("a width is no power of two");
  if (is_identity()) return *this;
  int base =
      base_ + std::countr_zero(static_cast<unsigned>(from_bits)) - std::countr_zero(static_cast<unsigned>(to_bits));
  if (base < 0) return refuse(fmt::format("it tears runs of {} old units apart", run()));
  return make(bits_, base, shift_);
}

std::string Swizzle::to_string() const { return fmt::format("S<{},{},{}>", bits_, base_, shift_); }

Checked<ComposedLayout> ComposedLayout::make(Swizzle swizzle, int64_t offset, Layout layout) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  if (layout.size() > 0 &&
      (offset < 0 || offset + layout.min_value() < 0 || offset >= kLimit || layout.max_value() >= kLimit - offset)) {
    return LayoutError{fmt::format("{} o {} o {}: offsets must lie in 0 <= v < 2^62", swizzle.to_string(), offset,
                                   layout.to_string())};
  }
  ComposedLayout composed(std::move(layout));
  composed.swizzle_ = swizzle;
  composed.offset_ = offset;
  return composed;
}

Checked<ComposedLayout> ComposedLayout::parse(std::string_view text) {
  TextCursor cursor(text);
  auto composed = parse(cursor);
  if (composed && !cursor.at_end()) return cursor.expected("the end");
  return composed;
}

Checked<ComposedLayout> ComposedLayout::parse(TextCursor& cursor) {
  Swizzle swizzle;
  int64_t offset = 0;
  if (cursor.next_is("S")) {
    auto head = Swizzle::parse(cursor);
    if (!head) return LayoutError{head.error()};
    swizzle = *head;
    if (!cursor.eat("o")) return cursor.expected("'o'");
    auto value = cursor.integer();
    if (!value) return cursor.expected("an offset");
    offset = *value;
    if (!cursor.eat("o")) return cursor.expected("'o'");
  }
  auto layout = Layout::parse(cursor);
  if (!layout) return LayoutError{layout.error()};
  return make(swizzle, offset, *std::move(layout));
}

int64_t ComposedLayout::cosize() const {
  if (size() == 0) return 0;
  int64_t last = offset_ + layout_.max_value();
  if (swizzle_.is_identity()) return last + 1;
  int high_bit = swizzle_.base() + swizzle_.bits() + std::max(0, -swizzle_.shift());
  return (last | ((int64_t{1} << high_bit) - 1)) + 1;
}

int64_t ComposedLayout::vector_extent(size_t mode) const {
  // Along the mode: an aligned run at its first leaf. Everything else that moves the run must keep it aligned.
  Layout along = coalesce(layout_.mode(mode));
  std::vector<LayoutMode> leaves = along.leaves();
  if (leaves.empty() || leaves[0].stride != 1) return 1;
  int64_t run = leaves[0].extent;
  for (size_t i = 1; i < leaves.size(); ++i) run = std::gcd(run, leaves[i].stride);
  for (size_t i = 0; i < layout_.rank(); ++i) {
    if (i == mode) continue;
    for (const LayoutMode& leaf : layout_.mode(i).leaves()) {
      if (leaf.extent > 1) run = std::gcd(run, leaf.stride);
    }
  }
  run = std::gcd(run, offset_);
  return std::gcd(run, swizzle_.run());
}

std::string ComposedLayout::to_string() const {
  if (swizzle_.is_identity() && offset_ == 0) return layout_.to_string();
  return fmt::format("{} o {} o {}", swizzle_.to_string(), offset_, layout_.to_string());
}

Checked<ComposedLayout> composition(const ComposedLayout& outer, const Layout& inner) {
  auto layout = composition(outer.layout(), inner);
  if (!layout) return LayoutError{layout.error()};
  return ComposedLayout::make(outer.swizzle(), outer.offset(), *std::move(layout));
}

}  // namespace tl
