// Queries. How a fragment comes to be: fragment_build.cpp, fragment_derive.cpp.

#include "layout/fragment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "layout/coordinates.h"
#include "layout/fragment_table.h"

namespace tl {
namespace {

int64_t value_of(std::span<const LayoutMode> leaves, int64_t index) {
  int64_t value = 0;
  for (const LayoutMode& leaf : leaves) {
    value += index % leaf.extent * leaf.stride;
    index /= leaf.extent;
  }
  return value;
}

/// The first thread that holds what `thread` holds: its digits along replicated leaves set to zero.
int64_t first_of_replicas(std::span<const LayoutMode> thread_leaves, int64_t thread) {
  int64_t first = 0, place = 1;
  for (const LayoutMode& leaf : thread_leaves) {
    if (leaf.stride != 0) first += thread % leaf.extent * place;
    thread /= leaf.extent;
    place *= leaf.extent;
  }
  return first;
}

void check_below(int64_t value, int64_t bound, std::string_view what) {
  if (value >= 0 && value < bound) return;
  throw std::out_of_range(fmt::format("{} {} is outside 0 <= v < {}", what, value, bound));
}

void check_inside(std::span<const int64_t> coordinate, std::span<const int64_t> extents) {
  bool inside = coordinate.size() == extents.size();
  for (size_t i = 0; inside && i < extents.size(); ++i) inside = coordinate[i] >= 0 && coordinate[i] < extents[i];
  if (inside) return;
  throw std::out_of_range(
      fmt::format("coordinate ({}) is outside the tile ({})", fmt::join(coordinate, ","), fmt::join(extents, ",")));
}

}  // namespace

int64_t Fragment::element_index(Coordinate coordinate) const {
  check_inside(coordinate, extents_);
  int64_t index = 0;
  for (size_t i = 0; i < extents_.size(); ++i) index = index * extents_[i] + coordinate[i];
  return index;
}

int64_t Fragment::box_index(Coordinate coordinate) const {
  check_inside(coordinate, extents_);
  int64_t index = 0;
  for (size_t i = 0; i < box_.size(); ++i) index = index * box_[i] + coordinate[i];
  return index;
}

FragmentSlot Fragment::slot(Coordinate coordinate) const {
  if (table_) {
    int64_t element = element_index(coordinate);
    return {table_->holder[table_->first_holder[element]], table_->reg[element]};
  }
  FragmentSlot slot{0, 0};
  int64_t rest = box_index(coordinate);
  for (const FragmentDigit& step : digits_) {
    int64_t digit = rest / step.divisor;
    rest %= step.divisor;
    slot.thread += digit * step.thread_weight;
    slot.reg += digit * step.register_weight;
  }
  return slot;
}

int64_t Fragment::replicas(Coordinate coordinate) const {
  if (!table_) return check_inside(coordinate, extents_), replication_;
  int64_t element = element_index(coordinate);
  return table_->first_holder[element + 1] - table_->first_holder[element];
}

int64_t Fragment::filled_slots() const {
  return table_ ? static_cast<int64_t>(table_->holder.size()) : size_ * replication_;
}

int64_t Fragment::replica_offset(int64_t replica) const {
  int64_t offset = 0, place = 1;
  for (const LayoutMode& leaf : thread_leaves_) {
    if (leaf.stride == 0) {
      offset += replica % leaf.extent * place;
      replica /= leaf.extent;
    }
    place *= leaf.extent;
  }
  return offset;
}

int64_t Fragment::thread(Coordinate coordinate, int64_t replica) const {
  check_below(replica, replicas(coordinate), "replica");
  if (table_) return table_->holder[table_->first_holder[element_index(coordinate)] + replica];
  return slot(coordinate).thread + replica_offset(replica);
}

bool Fragment::holds(int64_t thread, Coordinate coordinate) const {
  check_below(thread, threads_, "thread");
  FragmentSlot slot = this->slot(coordinate);
  if (!table_) return first_of_replicas(thread_leaves_, thread) == slot.thread;
  return table_->element[thread * registers_ + slot.reg] == element_index(coordinate);
}

std::optional<int64_t> Fragment::element(int64_t thread, int64_t reg) const {
  check_below(thread, threads_, "thread");
  check_below(reg, registers_, "register");
  if (table_) {
    int64_t element = table_->element[thread * registers_ + reg];
    return element < 0 ? std::nullopt : std::optional(element);
  }
  const int64_t element = element_in_box(value_of(thread_leaves_, thread) + value_of(register_leaves_, reg));
  return element < 0 ? std::nullopt : std::optional(element);
}

int64_t Fragment::element_in_box(int64_t index) const {
  // The box is the tile but for its first dimension, as it mostly is.
  if (std::equal(box_.begin() + (box_.empty() ? 0 : 1), box_.end(), extents_.begin() + (box_.empty() ? 0 : 1))) {
    return index < size_ ? index : -1;
  }
  int64_t element = 0, weight = 1;
  for (size_t i = extents_.size(); i-- > 0;) {
    const int64_t at = i == 0 ? index : index % box_[i];
    if (at >= extents_[i]) return -1;
    element += at * weight;
    weight *= extents_[i];
    index /= box_[i];
  }
  return element;
}

std::vector<int32_t> Fragment::elements() const {
  if (table_) return table_->element;
  std::vector<int32_t> out;
  out.reserve(static_cast<size_t>(threads_ * registers_));
  std::vector<int64_t> by_register;
  for (int64_t reg = 0; reg < registers_; ++reg) by_register.push_back(value_of(register_leaves_, reg));
  for (int64_t thread = 0; thread < threads_; ++thread) {
    const int64_t first = value_of(thread_leaves_, thread);
    for (const int64_t offset : by_register) out.push_back(static_cast<int32_t>(element_in_box(first + offset)));
  }
  return out;
}

std::vector<int64_t> Fragment::coordinate_of(int64_t element) const {
  check_below(element, size_, "element");
  std::vector<int64_t> coordinate(extents_.size());
  for (size_t i = extents_.size(); i-- > 0;) {
    coordinate[i] = element % extents_[i];
    element /= extents_[i];
  }
  return coordinate;
}

std::optional<std::vector<int64_t>> Fragment::coordinate(int64_t thread, int64_t reg) const {
  auto element = this->element(thread, reg);
  if (!element) return std::nullopt;
  return coordinate_of(*element);
}

bool Fragment::is_bijective() const {
  int64_t filled = 0, holders = 0;
  for (int64_t thread = 0; thread < threads_; ++thread) {
    for (int64_t reg = 0; reg < registers_; ++reg) {
      auto coordinate = this->coordinate(thread, reg);
      if (!coordinate) continue;
      ++filled;
      if (this->reg(*coordinate) != reg || !holds(thread, *coordinate)) return false;
    }
  }
  bool consistent = all_coordinates(extents_, [&](Coordinate coordinate) {
    int64_t before = -1;
    for (int64_t replica = 0; replica < replicas(coordinate); ++replica, ++holders) {
      int64_t thread = this->thread(coordinate, replica);
      if (thread <= before || element(thread, reg(coordinate)) != element_index(coordinate)) return false;
      before = thread;
    }
    return before >= 0;
  });
  return consistent && filled == holders;
}

bool Fragment::contains(const Fragment& reader) const {
  std::vector<size_t> dims;
  for (size_t i = 0; i < extents_.size(); ++i) dims.push_back(i);
  return reader.extents_ == extents_ && contains(reader, dims);
}

bool Fragment::contains(const Fragment& reader, std::span<const size_t> dims) const {
  if (reader.threads_ != threads_ || dims.size() != extents_.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] >= reader.extents_.size() || reader.extents_[dims[i]] > extents_[i]) return false;
  }
  if (!table_ && replication_ == threads_) return true;
  // A projection holds whatever its source reads.
  std::vector<size_t> sorted(dims.begin(), dims.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() && reader.affine_ && affine_) {
    auto projected = reader.project(dims);
    if (projected && projected->is_spelled_like(*this)) return true;
  }
  std::vector<int64_t> here(dims.size());
  return all_coordinates(reader.extents_, [&](Coordinate there) {
    for (size_t i = 0; i < dims.size(); ++i) here[i] = there[dims[i]];
    for (int64_t replica = 0; replica < reader.replicas(there); ++replica) {
      if (!holds(reader.thread(there, replica), here)) return false;
    }
    return true;
  });
}

int64_t Fragment::vector_extent() const {
  if (!affine_ || extents_.empty() || register_leaves_.front().stride != 1) return 1;
  int64_t run = register_leaves_.front().extent;
  for (size_t i = 1; i < register_leaves_.size(); ++i) run = std::gcd(run, register_leaves_[i].stride);
  for (const LayoutMode& leaf : thread_leaves_) run = std::gcd(run, leaf.stride);
  return extents_.size() == 1 ? run : std::gcd(run, box_.back());
}

size_t Fragment::hash() const {
  size_t hash = 0;
  auto add = [&hash](int64_t value) { hash = (hash ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15u; };
  for (int64_t extent : extents_) add(extent);
  for (int64_t value : {threads_, registers_, replication_}) add(value);
  return hash;
}

bool Fragment::is_spelled_like(const Fragment& other) const {
  return affine_ && other.affine_ && extents_ == other.extents_ && box_ == other.box_ &&
         thread_layout_ == other.thread_layout_ && register_layout_ == other.register_layout_;
}

bool Fragment::operator==(const Fragment& other) const {
  if (is_spelled_like(other)) return true;
  if (extents_ != other.extents_ || threads_ != other.threads_ || registers_ != other.registers_) return false;
  if (replication_ != other.replication_) return false;
  return all_coordinates(extents_, [&](Coordinate coordinate) {
    int64_t replicas = this->replicas(coordinate);
    if (replicas != other.replicas(coordinate) || reg(coordinate) != other.reg(coordinate)) return false;
    for (int64_t replica = 0; replica < replicas; ++replica) {
      if (thread(coordinate, replica) != other.thread(coordinate, replica)) return false;
    }
    return true;
  });
}

}  // namespace tl
