#include "simulate/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tl::simulate {

void BufferSlot::set_shape(std::vector<int64_t> new_shape, std::vector<int64_t> new_strides) {
  shape = std::move(new_shape);
  strides = std::move(new_strides);
  if (strides.empty()) {
    strides.resize(shape.size());
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
  }
  origin = 0;
  span = 0;
  if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent <= 0; })) return;
  span = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    span += (shape[d] - 1) * std::abs(strides[d]);
    if (strides[d] < 0) origin -= (shape[d] - 1) * strides[d];
  }
}

std::string BufferSlot::element_text(const std::vector<int64_t>& indices) const {
  return fmt::format("{}[{}]", buffer->name, fmt::join(indices, ", "));
}

std::vector<int64_t> BufferSlot::indices(int64_t element) const {
  // The dimension with the largest stride first: exact where dimensions do not overlap.
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto step = [&](size_t d) { return std::abs(strides[d]); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return step(a) > step(b); });
  std::vector<int64_t> out(shape.size(), 0);
  for (const size_t d : order) {
    const int64_t steps = step(d) > 0 ? std::min(element / step(d), shape[d] - 1) : 0;
    out[d] = strides[d] < 0 ? shape[d] - 1 - steps : steps;
    element -= steps * step(d);
  }
  return out;
}

}  // namespace tl::simulate
