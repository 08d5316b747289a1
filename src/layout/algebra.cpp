#include "layout/algebra.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl {
namespace {

/// Error unless both have coordinates.
std::optional<LayoutError> refuse_empty(std::string_view operation, std::initializer_list<const Layout*> layouts) {
  for (const Layout* layout : layouts) {
    if (layout->size() == 0) return LayoutError{fmt::format("{}: {} is empty", operation, layout->to_string())};
  }
  return std::nullopt;
}

/// Composes leaves of an inner layout with one outer layout, and watches that the sum of their steps never carries.
///
/// A value v of the inner layout is a number in the mixed radix of the outer shape, and the outer layout is linear in
/// its digits. Multiples of a stride add digit by digit until one digit overflows; there the leaf is split, and what
/// remains must start at a carry boundary. `used_[i]` is the largest digit i that all leaves so far can add up to:
/// while it stays below the extent, no sum carries, and the composition is the sum of the leaves' compositions.
class LeafComposer {
 public:
  explicit LeafComposer(const Layout& outer) : modes_(coalesce(outer).leaves()), used_(modes_.size(), 0) {}

  /// The pieces, fastest first, that compose one inner leaf.
  Checked<std::vector<LayoutMode>> compose(LayoutMode leaf) {
    std::vector<LayoutMode> pieces;
    auto [extent, stride] = leaf;
    if (extent > 1 && stride < 0) return no("a negative stride", leaf);
    while (extent > 1 && stride > 0) {
      auto digits = digits_of(stride);
      if (digits.empty()) return no("values beyond the outer layout", leaf);
      int64_t fit = steps_without_carry(digits);
      int64_t step = std::min(fit, extent);
      if (step < 2 || extent % step != 0) return no("steps across a boundary of the outer shape", leaf);
      pieces.push_back({step, take(digits, step)});
      extent /= step;
      if (extent > 1) stride *= step;
    }
    if (extent > 1 || pieces.empty()) pieces.push_back({extent, 0});
    return pieces;
  }

  /// Whether some sum of the composed leaves carries or leaves the outer layout.
  bool carries() const {
    for (size_t i = 0; i < modes_.size(); ++i) {
      if (used_[i] >= modes_[i].extent) return true;
    }
    return false;
  }

 private:
  static LayoutError no(std::string_view what, LayoutMode leaf) {
    return {fmt::format("the mode {}:{} has {}", leaf.extent, leaf.stride, what)};
  }

  /// Digits of `value` in the outer shape; none when it is too large.
  std::vector<int64_t> digits_of(int64_t value) const {
    std::vector<int64_t> digits;
    for (const LayoutMode& mode : modes_) {
      digits.push_back(value % mode.extent);
      value /= mode.extent;
    }
    if (value != 0) digits.clear();
    return digits;
  }

  int64_t steps_without_carry(const std::vector<int64_t>& digits) const {
    int64_t fit = INT64_MAX;
    for (size_t i = 0; i < digits.size(); ++i) {
      if (digits[i] != 0) fit = std::min(fit, (modes_[i].extent - 1) / digits[i] + 1);
    }
    return fit;
  }

  /// Records `step` coordinates along `digits`; returns the stride in the outer layout's values.
  int64_t take(const std::vector<int64_t>& digits, int64_t step) {
    int64_t stride = 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      stride += digits[i] * modes_[i].stride;
      used_[i] += digits[i] * (step - 1);
    }
    return stride;
  }

  std::vector<LayoutMode> modes_;
  std::vector<int64_t> used_;
};

Checked<Layout> compose_tree(LeafComposer& outer, const IntTuple& shape, const IntTuple& stride) {
  if (shape.is_leaf()) {
    auto pieces = outer.compose({shape.value(), stride.value()});
    if (!pieces) return LayoutError{pieces.error()};
    return Layout::make(*pieces);
  }
  std::vector<Layout> children;
  for (size_t i = 0; i < shape.rank(); ++i) {
    auto child = compose_tree(outer, shape[i], stride[i]);
    if (!child) return child;
    children.push_back(*std::move(child));
  }
  return concat(children);
}

/// The leaves that move, by increasing stride; none if a stride is negative.
std::optional<std::vector<LayoutMode>> moving_leaves_by_stride(const Layout& layout, bool drop_zero) {
  std::vector<LayoutMode> modes;
  for (const LayoutMode& mode : layout.leaves()) {
    if (mode.extent == 1 || (drop_zero && mode.stride == 0)) continue;
    if (mode.stride < 0) return std::nullopt;
    modes.push_back(mode);
  }
  std::stable_sort(modes.begin(), modes.end(), [](auto& a, auto& b) { return a.stride < b.stride; });
  return modes;
}

}  // namespace

Checked<Layout> composition(const Layout& outer, const Layout& inner) {
  if (auto error = refuse_empty("composition", {&outer, &inner})) return *error;
  auto refuse = [&](std::string_view why) {
    return LayoutError{fmt::format("composition of {} with {}: {}", outer.to_string(), inner.to_string(), why)};
  };
  LeafComposer composer(outer);
  auto composed = compose_tree(composer, inner.shape(), inner.stride());
  if (!composed) return refuse(composed.error());
  if (inner.max_value() >= outer.size()) {
    return refuse(
        fmt::format("the inner layout reaches {}, the outer has {} elements", inner.max_value(), outer.size()));
  }
  if (composer.carries()) return refuse("sums of the inner modes carry across a boundary of the outer shape");
  return composed;
}

Checked<Layout> composition_by_mode(const Layout& outer, std::span<const Layout> inner) {
  if (inner.size() > outer.rank()) {
    return LayoutError{fmt::format("composition_by_mode: {} has {} modes, {} layouts were given", outer.to_string(),
                                   outer.rank(), inner.size())};
  }
  std::vector<Layout> modes;
  for (size_t i = 0; i < outer.rank(); ++i) {
    if (i >= inner.size()) {
      modes.push_back(outer.mode(i));
      continue;
    }
    auto mode = composition(outer.mode(i), inner[i]);
    if (!mode) return mode;
    modes.push_back(*std::move(mode));
  }
  return concat(modes);
}

Checked<Layout> complement(const Layout& layout, int64_t size) {
  if (auto error = refuse_empty("complement", {&layout})) return *error;
  auto refuse = [&](std::string_view why) {
    return LayoutError{fmt::format("{} has no complement in {}: {}", layout.to_string(), size, why)};
  };
  if (size < 1) return refuse("the size must be positive");
  auto modes = moving_leaves_by_stride(layout, /*drop_zero=*/true);
  if (!modes) return refuse("a stride is negative");
  std::vector<LayoutMode> gaps;
  int64_t period = 1;  // (layout so far, gaps so far) covers 0 <= v < period once
  for (const LayoutMode& mode : *modes) {
    if (mode.stride % period != 0) {
      return refuse(fmt::format("stride {} is no multiple of the {} elements below it", mode.stride, period));
    }
    gaps.push_back({mode.stride / period, period});
    if (__builtin_mul_overflow(mode.stride, mode.extent, &period)) return refuse("its period does not fit in 64 bits");
  }
  gaps.push_back({(size - 1) / period + 1, period});
  auto result = Layout::make(gaps);
  if (!result) return result;
  return coalesce(*result);
}

Layout right_inverse(const Layout& layout) {
  if (layout.size() == 0) return coalesce(layout);
  struct Ranked {
    int64_t stride, extent, place;
  };
  std::vector<Ranked> ranked;
  int64_t place = 1;
  for (const LayoutMode& mode : coalesce(layout).leaves()) {
    ranked.push_back({mode.stride, mode.extent, place});
    place *= mode.extent;
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.stride < b.stride; });
  std::vector<LayoutMode> inverse;
  int64_t reached = 1;
  for (const Ranked& mode : ranked) {
    if (mode.stride != reached) continue;
    inverse.push_back({mode.extent, mode.place});
    reached *= mode.extent;
  }
  return coalesce(*Layout::make(inverse));
}

Checked<Layout> left_inverse(const Layout& layout) {
  if (auto error = refuse_empty("left_inverse", {&layout})) return *error;
  auto refuse = [&](std::string_view why) {
    return LayoutError{fmt::format("{} has no left inverse: {}", layout.to_string(), why)};
  };
  auto sorted = moving_leaves_by_stride(layout, /*drop_zero=*/false);
  if (!sorted) return refuse("a stride is negative");
  // A digit i of the inverse runs over [0, next stride / this stride) and is worth the leaf's place in the linear
  // index.
  std::vector<LayoutMode> inverse;
  int64_t reached = 1, below = 0, unit = 1;
  std::optional<int64_t> place_below;
  for (const LayoutMode& mode : *sorted) {
    if (mode.stride <= below) return refuse("two coordinates may share a value");
    if (mode.stride % unit != 0) return refuse(fmt::format("stride {} is no multiple of {}", mode.stride, unit));
    inverse.push_back({mode.stride / unit, place_below.value_or(0)});
    int64_t place = 1;
    bool found = false;
    for (const LayoutMode& leaf : layout.leaves()) {
      if (leaf == mode) found = true;
      if (!found) place *= leaf.extent;
    }
    place_below = place;
    unit = mode.stride;
    below += (mode.extent - 1) * mode.stride;
    reached = mode.extent;
  }
  inverse.push_back({reached, place_below.value_or(0)});
  auto result = Layout::make(inverse);
  if (!result) return result;
  return coalesce(*result);
}

}  // namespace tl
