// Finds (thread, register) from a coordinate, given the other direction, and checks that the two are inverse.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layout/coordinates.h"
#include "layout/fragment_table.h"

namespace tl {
namespace {

/// The largest number of slots or elements that are looked at one by one.
constexpr int64_t kMaxSlots = int64_t{1} << 28;

/// Adds one digit per leaf that moves; `into_threads` says which of the two weights its place is. Returns the product
/// of the extents that do not move.
int64_t collect_digits(std::span<const LayoutMode> leaves, bool into_threads, std::vector<FragmentDigit>& digits) {
  int64_t place = 1, unmoved = 1;
  for (const LayoutMode& leaf : leaves) {
    if (leaf.stride == 0) {
      unmoved *= leaf.extent;
    } else {
      digits.push_back({leaf.stride, leaf.extent, into_threads ? place : 0, into_threads ? 0 : place});
    }
    place *= leaf.extent;
  }
  return unmoved;
}

/// Whether each digit, smallest first, is worth more than all smaller ones together: then the largest-first formula
/// finds the only way to write an index.
bool is_decodable(std::span<const FragmentDigit> largest_first) {
  int64_t reach = 0;
  for (size_t i = largest_first.size(); i-- > 0;) {
    if (largest_first[i].divisor <= reach) return false;
    reach += (largest_first[i].extent - 1) * largest_first[i].divisor;
  }
  return true;
}

/// The n for which every index 0 <= v < n is certainly written by the digits.
int64_t dense_prefix(std::span<const FragmentDigit> largest_first) {
  int64_t dense = 1;
  for (size_t i = largest_first.size(); i-- > 0 && largest_first[i].divisor == dense;) dense *= largest_first[i].extent;
  return dense;
}

std::string coordinate_text(std::span<const int64_t> coordinate) {
  return fmt::format("({})", fmt::join(coordinate, ","));
}

}  // namespace

std::optional<std::string> Fragment::missing_element() const {
  std::vector<int64_t> last(extents_);
  for (int64_t& index : last) --index;
  if (dense_prefix(digits_) > box_index(last)) return std::nullopt;
  if (size_ > kMaxSlots) return "there are too many elements to enumerate";
  std::optional<std::string> missing;
  all_coordinates(extents_, [&](Coordinate coordinate) {
    int64_t rest = box_index(coordinate);
    bool written = true;
    for (const FragmentDigit& step : digits_) {
      written &= rest / step.divisor < step.extent;
      rest %= step.divisor;
    }
    if (!written || rest != 0) missing = fmt::format("no thread holds the element {}", coordinate_text(coordinate));
    return !missing;
  });
  return missing;
}

std::optional<std::string> Fragment::invert_affine() {
  thread_layout_ = coalesce(thread_layout_);
  register_layout_ = coalesce(register_layout_);
  thread_leaves_ = thread_layout_.leaves();
  register_leaves_ = register_layout_.leaves();
  threads_ = thread_layout_.size();
  registers_ = register_layout_.size();
  if (thread_layout_.min_value() < 0 || register_layout_.min_value() < 0) return "a stride is negative";
  int64_t reach = 0, inner = 1;
  if (__builtin_add_overflow(thread_layout_.max_value(), register_layout_.max_value(), &reach)) {
    return "indices do not fit in 64 bits";
  }
  for (size_t i = 1; i < box_.size(); ++i) {
    if (__builtin_mul_overflow(inner, box_[i], &inner)) return "the box does not fit in 64 bits";
  }
  if (!box_.empty()) box_[0] = std::max(extents_[0], reach / inner + 1);
  if (__int128{inner} * (box_.empty() ? 1 : box_[0]) > INT64_MAX) return "the box does not fit in 64 bits";

  std::vector<FragmentDigit> digits;
  replication_ = collect_digits(thread_leaves_, true, digits);
  if (collect_digits(register_leaves_, false, digits) != 1) return "a thread holds an element in several registers";
  std::stable_sort(digits.begin(), digits.end(), [](auto& a, auto& b) { return a.divisor > b.divisor; });
  if (!is_decodable(digits)) return invert_slots([this](int64_t thread, int64_t reg) { return element(thread, reg); });
  digits_ = std::move(digits);
  return missing_element();
}

std::optional<std::string> Fragment::invert_slots(const SlotFunction& element) {
  if (size_ > kMaxSlots || threads_ > kMaxSlots / registers_) return "there are too many slots to enumerate";
  auto table = std::make_shared<Table>();
  table->element.assign(threads_ * registers_, -1);
  table->reg.assign(size_, -1);
  std::vector<int32_t> count(size_, 0), last_thread(size_, -1);
  for (int64_t thread = 0; thread < threads_; ++thread) {
    for (int64_t reg = 0; reg < registers_; ++reg) {
      std::optional<int64_t> found = element(thread, reg);
      if (!found) continue;
      int64_t e = *found;
      if (e < 0 || e >= size_) return fmt::format("a slot holds element {} of a tile of {}", e, size_);
      auto wrong = [&](std::string_view why) {
        return fmt::format("the element {} {}", coordinate_text(coordinate_of(e)), why);
      };
      if (last_thread[e] == thread) return wrong(fmt::format("is twice in thread {}", thread));
      if (count[e] > 0 && table->reg[e] != reg) return wrong("is in different registers of its threads");
      table->element[thread * registers_ + reg] = static_cast<int32_t>(e);
      table->reg[e] = static_cast<int32_t>(reg);
      last_thread[e] = static_cast<int32_t>(thread);
      ++count[e];
    }
  }
  table->first_holder.assign(size_ + 1, 0);
  replication_ = 0;
  for (int64_t e = 0; e < size_; ++e) {
    if (count[e] == 0) return fmt::format("no thread holds the element {}", coordinate_text(coordinate_of(e)));
    table->first_holder[e + 1] = table->first_holder[e] + count[e];
    replication_ = std::max<int64_t>(replication_, count[e]);
  }
  table->holder.resize(table->first_holder.back());
  std::vector<int32_t> next(table->first_holder.begin(), table->first_holder.end() - 1);
  for (size_t slot = 0; slot < table->element.size(); ++slot) {
    int32_t e = table->element[slot];
    if (e >= 0) table->holder[next[e]++] = static_cast<int32_t>(slot / registers_);
  }
  table_ = std::move(table);
  return std::nullopt;
}

}  // namespace tl
