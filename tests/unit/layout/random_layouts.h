#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "layout/algebra.h"
#include "layout/layout.h"

namespace tl {

/// The layout of a text that is known to be one.
inline Layout layout_of(std::string_view text) { return Layout::parse(text).value(); }

/// The values at 0, 1, ..., size - 1.
inline std::vector<int64_t> values_of(const Layout& layout) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < layout.size(); ++i) values.push_back(layout(i));
  return values;
}

/// Small random layouts of any extents, nested up to twice, from a fixed seed.
class RandomLayouts {
 public:
  explicit RandomLayouts(uint32_t seed) : engine_(seed) {}

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  template <class T>
  const T& pick_from(const std::vector<T>& values) {
    return values[static_cast<size_t>(pick(0, static_cast<int64_t>(values.size()) - 1))];
  }

  IntTuple shape(int depth = 2) {
    if (depth == 0 || pick(0, 2) == 0) return pick_from<int64_t>({1, 2, 2, 3, 4, 5, 6});
    std::vector<IntTuple> children;
    for (int64_t i = pick(1, 3); i > 0; --i) children.push_back(shape(depth - 1));
    return IntTuple(std::move(children));
  }

  /// Strides without order: gaps, overlaps and repeats occur.
  Layout any() {
    while (true) {
      IntTuple s = shape();
      Layout layout = Layout::make(s, strides_like(s)).value();
      if (layout.size() <= 400) return layout;
    }
  }

  /// A bijection onto 0 <= v < size: dense strides in a random order of the leaves.
  Layout dense() { return with_gaps(1); }

  /// Injective: dense strides in a random order, with a gap factor of up to `max_gap` before each leaf.
  Layout with_gaps(int64_t max_gap) {
    while (true) {
      IntTuple s = shape();
      if (s.product() > 400) continue;
      std::vector<int64_t> extents = s.leaves(), strides(extents.size());
      std::vector<size_t> order(extents.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), engine_);
      int64_t next = 1;
      for (size_t leaf : order) {
        next *= pick(1, max_gap);
        strides[leaf] = next;
        next *= extents[leaf];
      }
      size_t used = 0;
      return Layout::make(s, refill(s, strides, used)).value();
    }
  }

 private:
  IntTuple strides_like(const IntTuple& s) {
    if (s.is_leaf()) return pick_from<int64_t>({0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24});
    std::vector<IntTuple> children;
    for (size_t i = 0; i < s.rank(); ++i) children.push_back(strides_like(s[i]));
    return IntTuple(std::move(children));
  }

  static IntTuple refill(const IntTuple& tree, const std::vector<int64_t>& leaves, size_t& used) {
    if (tree.is_leaf()) return leaves[used++];
    std::vector<IntTuple> children;
    for (size_t i = 0; i < tree.rank(); ++i) children.push_back(refill(tree[i], leaves, used));
    return IntTuple(std::move(children));
  }

  std::mt19937 engine_;
};

}  // namespace tl
