// Fragments made from fragments.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layout/algebra.h"
#include "layout/coordinates.h"
#include "layout/fragment.h"

namespace tl {
namespace {

LayoutError cannot(std::string_view operation, const Fragment& fragment, std::string_view why) {
  return {fmt::format("{} of a fragment of the tile ({}): {}", operation, fmt::join(fragment.extents(), ","), why)};
}

int64_t dot(std::span<const int64_t> a, std::span<const int64_t> b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<int64_t> picked(const std::vector<int64_t>& values, std::span<const size_t> dims) {
  std::vector<int64_t> out;
  for (size_t dim : dims) out.push_back(values[dim]);
  return out;
}

/// The layout without leaves that do not move.
Layout without_repeats(const Layout& layout) {
  std::vector<LayoutMode> kept;
  for (const LayoutMode& leaf : layout.leaves()) {
    if (leaf.stride != 0) kept.push_back(leaf);
  }
  return *Layout::make(kept);
}

}  // namespace

Checked<Fragment> Fragment::restride(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
                                     const std::vector<int64_t>& dim_strides) const {
  if (!affine_) return LayoutError{"a table"};
  std::vector<LayoutMode> dims;
  for (size_t i = box_.size(); i-- > 0;) dims.push_back({box_[i], dim_strides[i]});
  auto outer = Layout::make(dims);
  if (!outer) return LayoutError{outer.error()};
  auto moved = composition(*outer, concat({thread_layout_, register_layout_}));
  if (!moved) return LayoutError{moved.error()};
  return affine(extents, box, moved->mode(0), without_repeats(moved->mode(1)));
}

bool Fragment::is_unpadded() const { return !table_ && threads_ * registers_ == size_ * replication_; }

Checked<Fragment> Fragment::reduce(size_t dim, bool keep_dim) const {
  if (dim >= extents_.size()) return cannot("reduce", *this, fmt::format("there is no dimension {}", dim));
  std::vector<size_t> kept;
  for (size_t i = 0; i < extents_.size(); ++i) {
    if (i != dim) kept.push_back(i);
  }
  auto reduced = project(kept);
  if (!reduced || !keep_dim) return reduced;
  std::vector<int64_t> extents(reduced->extents_);
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  std::vector<int64_t> box(reduced->box_);
  box.insert(box.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  return affine(extents, box, reduced->thread_layout_, reduced->register_layout_);
}

Checked<Fragment> Fragment::project(std::span<const size_t> dims) const {
  std::vector<size_t> sorted(dims.begin(), dims.end());
  std::sort(sorted.begin(), sorted.end());
  bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (!distinct || (!sorted.empty() && sorted.back() >= extents_.size())) {
    return cannot("project", *this, fmt::format("({}) are not different dimensions of it", fmt::join(dims, ",")));
  }
  std::vector<int64_t> extents = picked(extents_, dims);
  if (affine_) {
    std::vector<int64_t> box = picked(box_, dims), box_strides = row_major_strides(box);
    std::vector<int64_t> dim_strides(extents_.size(), 0);
    for (size_t i = 0; i < dims.size(); ++i) dim_strides[dims[i]] = box_strides[i];
    if (auto moved = restride(extents, box, dim_strides)) return moved;
  }
  if (dims.size() != extents_.size()) return replicated(extents, threads_);
  std::vector<int64_t> weights = row_major_strides(extents);
  return from_slots(extents, threads_, registers_, [&](int64_t thread, int64_t reg) -> std::optional<int64_t> {
    auto coordinate = this->coordinate(thread, reg);
    if (!coordinate) return std::nullopt;
    return dot(picked(*coordinate, dims), weights);
  });
}

Checked<Fragment> Fragment::repeat(std::span<const int64_t> counts, RepeatOver over, bool first_dim_fastest) const {
  if (counts.size() != extents_.size()) return cannot("repeat", *this, "one count per dimension is needed");
  std::vector<int64_t> extents(extents_);
  int64_t copies = 1;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 1 || __builtin_mul_overflow(extents[i], counts[i], &extents[i])) {
      return cannot("repeat", *this, fmt::format("a count of {}", counts[i]));
    }
    copies *= counts[i];
  }
  auto sized = start(extents, threads_);
  if (!sized) return sized;
  std::vector<int64_t> weights = row_major_strides(extents);
  std::vector<LayoutMode> steps;  // from copy to copy, in elements of the new tile
  for (size_t i = 0; i < counts.size(); ++i) {
    size_t dim = first_dim_fastest ? i : counts.size() - 1 - i;
    steps.push_back({counts[dim], extents_[dim] * weights[dim]});
  }
  Layout copy = *Layout::make(steps);
  bool on_threads = over == RepeatOver::kThreads;
  // The atom's own layouts in the new tile; alone they are no fragment of it, so `restride` does not apply.
  if (affine_ && is_unpadded()) {
    std::vector<LayoutMode> dims;
    for (size_t i = box_.size(); i-- > 0;) dims.push_back({box_[i], weights[i]});
    auto outer = Layout::make(dims);
    auto moved = outer ? composition(*outer, concat({thread_layout_, register_layout_})) : outer;
    if (moved) {
      Layout threads = moved->mode(0), registers = moved->mode(1);
      (on_threads ? threads : registers) = concat({on_threads ? threads : registers, copy});
      return affine(extents, extents, threads, registers);
    }
  }
  return from_slots(extents, on_threads ? threads_ * copies : threads_, on_threads ? registers_ : registers_ * copies,
                    [&](int64_t thread, int64_t reg) -> std::optional<int64_t> {
                      auto coordinate = this->coordinate(thread % threads_, reg % registers_);
                      if (!coordinate) return std::nullopt;
                      return dot(*coordinate, weights) + copy(on_threads ? thread / threads_ : reg / registers_);
                    });
}

Checked<Fragment> Fragment::replicate(int64_t count) const {
  int64_t threads = 0;
  if (count < 1 || __builtin_mul_overflow(threads_, count, &threads)) {
    return cannot("replicate", *this, fmt::format("a count of {}", count));
  }
  if (affine_) {
    return affine(extents_, box_, concat({thread_layout_, *Layout::make(count, 0)}), register_layout_);
  }
  return from_slots(extents_, threads, registers_,
                    [&](int64_t thread, int64_t reg) { return element(thread % threads_, reg); });
}

Checked<Fragment> Fragment::crop(const std::vector<int64_t>& extents) const {
  bool smaller = extents.size() == extents_.size();
  for (size_t i = 0; smaller && i < extents.size(); ++i) smaller = extents[i] >= 1 && extents[i] <= extents_[i];
  if (!smaller) return cannot("crop", *this, fmt::format("({}) is not inside it", fmt::join(extents, ",")));
  if (affine_) return affine(extents, box_, thread_layout_, register_layout_);
  std::vector<int64_t> weights = row_major_strides(extents);
  return from_slots(extents, threads_, registers_, [&](int64_t thread, int64_t reg) -> std::optional<int64_t> {
    auto coordinate = this->coordinate(thread, reg);
    for (size_t i = 0; coordinate && i < extents.size(); ++i) {
      if ((*coordinate)[i] >= extents[i]) return std::nullopt;
    }
    return coordinate ? std::optional(dot(*coordinate, weights)) : std::nullopt;
  });
}

}  // namespace tl
