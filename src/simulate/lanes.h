#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tl::simulate {

/// A value in the form `Scalar` keeps it: integers extended to 64 bits, floats as the bits of a double. Its dtype is
/// known where it is used.
using Raw = uint64_t;

/// Values of one expression over the lanes; `step` 0 means one value for all of them.
struct Values {
  const Raw* data;
  int step;
  Raw operator[](int lane) const { return data[lane * step]; }
};

/// A subset of the lanes 0 to `width` - 1 that run a statement: the one lane of uniform code, the threads of a block,
/// or a batch of parallel points.
class LaneSet {
 public:
  explicit LaneSet(int width = 1) : on_(static_cast<size_t>(width)) {}

  int begin() const { return begin_; }
  int end() const { return end_; }
  int count() const { return count_; }
  bool any() const { return count_ != 0; }
  bool has(int lane) const { return on_[static_cast<size_t>(lane)] != 0; }
  /// Every lane from `begin()` to `end()` is in.
  bool dense() const { return count_ == end_ - begin_; }

  /// Lanes `first` to `first + count` - 1 and no others.
  void set_range(int first, int count) {
    std::fill(on_.begin(), on_.end(), uint8_t{0});
    std::fill_n(on_.begin() + first, count, uint8_t{1});
    begin_ = first, end_ = first + count, count_ = count;
  }
  void clear() {
    if (count_ != 0) std::memset(on_.data() + begin_, 0, static_cast<size_t>(end_ - begin_));
    begin_ = end_ = count_ = 0;
  }
  /// Keeps the lanes for which `keep(lane)` holds.
  template <class F>
  void retain(F&& keep) {
    for (int i = begin_; i < end_; ++i) on_[static_cast<size_t>(i)] &= static_cast<uint8_t>(keep(i));
    trim(begin_, end_);
  }
  void remove(const LaneSet& other) {
    retain([&](int lane) { return !other.has(lane); });
  }
  void add(const LaneSet& other) {
    for (int i = other.begin_; i < other.end_; ++i) on_[static_cast<size_t>(i)] |= other.on_[static_cast<size_t>(i)];
    if (!other.any()) return;
    any() ? trim(std::min(begin_, other.begin_), std::max(end_, other.end_)) : trim(other.begin_, other.end_);
  }

  template <class F>
  void each(F&& f) const {
    if (dense()) {
      for (int i = begin_; i < end_; ++i) f(i);
    } else {
      for (int i = begin_; i < end_; ++i) {
        if (on_[static_cast<size_t>(i)] != 0) f(i);
      }
    }
  }

 private:
  void trim(int from, int to) {
    count_ = 0;
    for (int i = from; i < to; ++i) count_ += on_[static_cast<size_t>(i)];
    while (from < to && on_[static_cast<size_t>(from)] == 0) ++from;
    while (to > from && on_[static_cast<size_t>(to - 1)] == 0) --to;
    begin_ = from, end_ = to;
  }

  std::vector<uint8_t> on_;
  int begin_ = 0, end_ = 0, count_ = 0;
};

}  // namespace tl::simulate
