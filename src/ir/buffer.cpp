#include "ir/buffer.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace tl {
namespace {

std::optional<std::vector<int64_t>> as_ints(const std::vector<Expr>& exprs) {
  std::vector<int64_t> out;
  for (const Expr& e : exprs) {
    const auto value = as_int(e);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

bool same_all(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return same(x, y); });
}

}  // namespace

Buffer make_buffer(std::string name, DType dtype, std::vector<Expr> shape, MemorySpace space, std::vector<Expr> strides,
                   Loc loc) {
  TL_CHECK(strides.empty() || strides.size() == shape.size(), "strides of another rank than the shape");
  auto node = make_ref<BufferNode>();
  node->name = std::move(name);
  node->dtype = dtype;
  node->shape = std::move(shape);
  node->strides = std::move(strides);
  node->space = space;
  node->loc = std::move(loc);
  return node;
}

std::vector<Expr> strides_of(const BufferNode& buffer) {
  if (!buffer.strides.empty()) return buffer.strides;
  std::vector<Expr> strides(buffer.rank());
  Expr step = 1;
  for (size_t i = buffer.rank(); i-- > 0;) {
    strides[i] = step;
    const DType wide = step.dtype().bits() > buffer.shape[i].dtype().bits() ? step.dtype() : buffer.shape[i].dtype();
    if (i > 0) step = cast(wide, step) * cast(wide, buffer.shape[i]);
  }
  return strides;
}

std::optional<std::vector<int64_t>> static_shape(const BufferNode& buffer) { return as_ints(buffer.shape); }

Region whole(const Buffer& buffer) {
  Region region{buffer, {}, buffer->shape};
  for (const Expr& extent : buffer->shape) region.offsets.push_back(make_int(extent.dtype(), 0));
  return region;
}

std::optional<std::vector<int64_t>> static_extents(const Region& region) { return as_ints(region.extents); }

bool same(const Region& a, const Region& b) {
  return a.buffer == b.buffer && same_all(a.offsets, b.offsets) && same_all(a.extents, b.extents);
}

}  // namespace tl
