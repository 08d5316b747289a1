#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/checked.h"

namespace tl {

class TextCursor;

/// A hierarchical tuple of integers: a single integer (a leaf), or a list of such tuples. Shapes, strides and
/// coordinates of layouts are of this type. The text form is `4`, `(2,3)`, `((2,3),4)`; `(4)` is a list of one.
class IntTuple {
 public:
  /// The empty list `()`.
  IntTuple() = default;
  /// A leaf.
  IntTuple(int64_t value) : value_(value), leaf_(true) {}
  explicit IntTuple(std::vector<IntTuple> children) : children_(std::move(children)) {}
  /// A flat list of leaves.
  static IntTuple list(const std::vector<int64_t>& values);
  static Checked<IntTuple> parse(std::string_view text);
  static Checked<IntTuple> parse(TextCursor& cursor);

  bool is_leaf() const { return leaf_; }
  /// The integer of a leaf.
  int64_t value() const { return value_; }
  /// Number of children; 1 for a leaf.
  size_t rank() const { return leaf_ ? 1 : children_.size(); }
  /// Child `i`; a leaf is its own child 0.
  const IntTuple& operator[](size_t i) const { return leaf_ ? *this : children_.at(i); }
  /// 0 for a leaf, 1 for a flat list, and so on.
  int64_t depth() const;
  /// The leaves from left to right.
  std::vector<int64_t> leaves() const;
  /// Product of the leaves. The caller knows that it fits; `checked_product` is for when it may not.
  int64_t product() const;
  std::optional<int64_t> checked_product() const;
  std::string to_string() const;

  bool operator==(const IntTuple&) const = default;

 private:
  std::vector<IntTuple> children_;
  int64_t value_ = 0;
  bool leaf_ = false;
};

/// `tuple_of(2, tuple_of(3, 4))` is `(2,(3,4))`.
template <class... Children>
IntTuple tuple_of(Children&&... children) {
  return IntTuple(std::vector<IntTuple>{IntTuple(std::forward<Children>(children))...});
}

/// Same tree, whatever the integers.
bool congruent(const IntTuple& a, const IntTuple& b);

/// `fine` has the size of `coarse` and splits some of its leaves: every coordinate in `coarse` is also one in `fine`.
bool compatible(const IntTuple& coarse, const IntTuple& fine);

}  // namespace tl
