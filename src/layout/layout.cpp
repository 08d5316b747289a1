#include "layout/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/text_cursor.h"

namespace tl {
namespace {

[[noreturn]] void throw_outside(const std::string& coordinate, const IntTuple& shape) {
  throw std::out_of_range(fmt::format("coordinate {} is outside the shape {}", coordinate, shape.to_string()));
}

/// Adds the value at index `rest` modulo the subtree's size, and leaves the quotient in `rest`.
int64_t value_at(int64_t& rest, const IntTuple& shape, const IntTuple& stride) {
  if (shape.is_leaf()) {
    int64_t digit = rest % shape.value();
    rest /= shape.value();
    return digit * stride.value();
  }
  int64_t sum = 0;
  for (size_t i = 0; i < shape.rank(); ++i) sum += value_at(rest, shape[i], stride[i]);
  return sum;
}

int64_t value_at(const IntTuple& coordinate, const IntTuple& shape, const IntTuple& stride) {
  if (coordinate.is_leaf()) {
    int64_t rest = coordinate.value();
    if (rest < 0 || rest >= shape.product()) throw_outside(coordinate.to_string(), shape);
    return value_at(rest, shape, stride);
  }
  if (shape.is_leaf() || coordinate.rank() != shape.rank()) throw_outside(coordinate.to_string(), shape);
  int64_t sum = 0;
  for (size_t i = 0; i < shape.rank(); ++i) sum += value_at(coordinate[i], shape[i], stride[i]);
  return sum;
}

IntTuple coordinate_at(int64_t& rest, const IntTuple& shape) {
  if (shape.is_leaf()) {
    int64_t digit = rest % shape.value();
    rest /= shape.value();
    return digit;
  }
  std::vector<IntTuple> children;
  for (size_t i = 0; i < shape.rank(); ++i) children.push_back(coordinate_at(rest, shape[i]));
  return IntTuple(std::move(children));
}

/// Whether the smallest and the largest value fit in 64 bits.
bool values_fit(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  int64_t low = 0, high = 0, reach = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (__builtin_mul_overflow(extents[i] - 1, strides[i], &reach)) return false;
    int64_t& bound = reach < 0 ? low : high;
    if (__builtin_add_overflow(bound, reach, &bound)) return false;
  }
  return high < INT64_MAX && low > INT64_MIN;
}

/// Gives the leaves of `shape` dense strides, in text order or against it; `next` is the stride of the next leaf.
IntTuple dense_strides(const IntTuple& shape, bool last_fastest, int64_t& next) {
  if (shape.is_leaf()) {
    int64_t stride = next;
    if (__builtin_mul_overflow(next, shape.value(), &next)) next = INT64_MAX;  // `make` refuses the size
    return stride;
  }
  std::vector<IntTuple> children(shape.rank());
  for (size_t i = 0; i < children.size(); ++i) {
    size_t child = last_fastest ? children.size() - 1 - i : i;
    children[child] = dense_strides(shape[child], last_fastest, next);
  }
  return IntTuple(std::move(children));
}

Checked<Layout> make_dense(const IntTuple& shape, bool last_fastest) {
  int64_t next = 1;
  return Layout::make(shape, dense_strides(shape, last_fastest, next));
}

}  // namespace

Checked<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  auto refuse = [&](std::string_view why) -> LayoutError {
    return {fmt::format("{}:{} is no layout: {}", shape.to_string(), stride.to_string(), why)};
  };
  if (!congruent(shape, stride)) return refuse("shape and stride are different trees");
  std::vector<int64_t> extents = shape.leaves();
  if (std::any_of(extents.begin(), extents.end(), [](int64_t e) { return e < 0; })) return refuse("a negative extent");
  bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (!shape.checked_product()) return refuse("its size does not fit in 64 bits");
  if (!empty && !values_fit(extents, stride.leaves())) return refuse("its values do not fit in 64 bits");
  return Layout(std::move(shape), std::move(stride));
}

Checked<Layout> Layout::make(const std::vector<LayoutMode>& modes) {
  if (modes.empty()) return make(1, 0);
  if (modes.size() == 1) return make(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> extents, strides;
  for (const LayoutMode& mode : modes) {
    extents.push_back(mode.extent);
    strides.push_back(mode.stride);
  }
  return make(IntTuple(std::move(extents)), IntTuple(std::move(strides)));
}

Checked<Layout> Layout::parse(TextCursor& cursor) {
  auto shape = IntTuple::parse(cursor);
  if (!shape) return LayoutError{shape.error()};
  if (!cursor.eat(":")) return cursor.expected("':'");
  auto stride = IntTuple::parse(cursor);
  if (!stride) return LayoutError{stride.error()};
  return make(*std::move(shape), *std::move(stride));
}

Checked<Layout> Layout::parse(std::string_view text) {
  TextCursor cursor(text);
  auto layout = parse(cursor);
  if (layout && !cursor.at_end()) return cursor.expected("the end");
  return layout;
}

int64_t Layout::min_value() const {
  int64_t low = 0;
  if (size() == 0) return low;
  for (const LayoutMode& mode : leaves()) low += std::min<int64_t>(0, (mode.extent - 1) * mode.stride);
  return low;
}

int64_t Layout::max_value() const {
  int64_t high = 0;
  if (size() == 0) return high;
  for (const LayoutMode& mode : leaves()) high += std::max<int64_t>(0, (mode.extent - 1) * mode.stride);
  return high;
}

int64_t Layout::cosize() const { return size() == 0 ? 0 : max_value() + 1; }

int64_t Layout::operator()(int64_t index) const {
  if (index < 0 || index >= size()) throw_outside(std::to_string(index), shape_);
  return value_at(index, shape_, stride_);
}

int64_t Layout::operator()(const IntTuple& coordinate) const { return value_at(coordinate, shape_, stride_); }

int64_t Layout::at(std::span<const int64_t> coordinate) const {
  return (*this)(IntTuple::list({coordinate.begin(), coordinate.end()}));
}

IntTuple Layout::coordinate(int64_t index) const {
  if (index < 0 || index >= size()) throw_outside(std::to_string(index), shape_);
  return coordinate_at(index, shape_);
}

Layout Layout::mode(size_t i) const { return Layout(shape_[i], stride_[i]); }

std::vector<LayoutMode> Layout::leaves() const {
  std::vector<int64_t> extents = shape_.leaves(), strides = stride_.leaves();
  std::vector<LayoutMode> out;
  for (size_t i = 0; i < extents.size(); ++i) out.push_back({extents[i], strides[i]});
  return out;
}

std::string Layout::to_string() const { return shape_.to_string() + ":" + stride_.to_string(); }

Checked<Layout> make_row_major(const IntTuple& shape) { return make_dense(shape, true); }
Checked<Layout> make_column_major(const IntTuple& shape) { return make_dense(shape, false); }
Checked<Layout> make_identity(int64_t size) { return Layout::make(size, 1); }

}  // namespace tl
