#include "passes/core/core_memory.h"

#include <algorithm>

#include "ir/bursts.h"
#include "ir/ops.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr int64_t kKiB = 1024;

struct CoreMemory {
  MemorySpace space;
  int64_t bytes, alignment;
};

// Of 256 KiB of the unified buffer 8 are the system's, and 32 are the least that functions of threads take as a cache.
constexpr CoreMemory kMemories[] = {
    {MemorySpace::kShared, (256 - 8 - 32) * kKiB, 32},
    {MemorySpace::kSharedStatic, (256 - 8 - 32) * kKiB, 32},
    {MemorySpace::kL1, 512 * kKiB, 32},
    {MemorySpace::kL0A, 64 * kKiB, 512},
    {MemorySpace::kL0B, 64 * kKiB, 512},
    {MemorySpace::kL0C, 256 * kKiB, 1024},
};

const CoreMemory& memory_of(MemorySpace space) {
  const auto* row =
      std::find_if(std::begin(kMemories), std::end(kMemories), [&](const CoreMemory& m) { return m.space == space; });
  TL_CHECK(row != std::end(kMemories), "a memory of a core");
  return *row;
}

/// Elements of a tile of fractals, the last two dimensions of a buffer; in L1 of whole blocks of the loads that
/// transpose.
int64_t plane_elements(const BufferNode& buffer, const std::vector<int64_t>& shape) {
  const int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2], block = transposed_block(buffer.dtype);
  if (buffer.space == MemorySpace::kL1) {
    return round_up(rows, block) * round_up(shape.back(), std::max(block, fractal_columns(buffer)));
  }
  return round_up(rows, kFractalRows) * round_up(shape.back(), fractal_columns(buffer));
}

}  // namespace

int64_t round_up(int64_t a, int64_t unit) { return (a + unit - 1) / unit * unit; }

int64_t core_capacity(MemorySpace space) { return memory_of(space).bytes; }
int64_t core_alignment(MemorySpace space) { return memory_of(space).alignment; }

int64_t core_bytes(const BufferNode& buffer) {
  const auto shape = static_shape(buffer);
  TL_CHECK(shape.has_value(), "a buffer of constant shape");
  const int64_t alignment = core_alignment(buffer.space);
  int64_t elements = 1;
  if (!is_shared(buffer.space)) {
    elements = plane_elements(buffer, *shape);
    for (size_t d = 0; d + 2 < shape->size(); ++d) elements *= (*shape)[d];
  } else if (buffer.is_contiguous()) {
    for (const int64_t extent : *shape) elements *= extent;
  } else {
    elements = *as_int(buffer.strides[0]) * (*shape)[0];
  }
  return round_up((elements * buffer.dtype.storage_bits() + 7) / 8, alignment);
}

Buffer with_aligned_rows(const Buffer& buffer) {
  const auto shape = static_shape(*buffer);
  if (!shape || shape->size() < 2 || !buffer->is_contiguous()) return buffer;
  // From which dimension on strides are other than the shape says, and the elements of the one behind it.
  size_t outer = shape->size() - 1;
  int64_t stride = 0;
  if (is_shared(buffer->space)) {
    const int64_t bits = buffer->dtype.storage_bits(), unit = kBlockBytes * 8 / bits;
    if (kBlockBytes * 8 % bits != 0) return buffer;
    stride = round_up(shape->back(), unit);
    if (stride == shape->back()) return buffer;
  } else {
    stride = plane_elements(*buffer, *shape);
    if (shape->size() < 3 || stride == shape->back() * (*shape)[shape->size() - 2]) return buffer;
    --outer;
  }
  std::vector<Expr> strides = strides_of(*buffer);
  for (size_t d = outer; d-- > 0;) {
    strides[d] = Expr(static_cast<int>(stride));
    stride *= (*shape)[d];
  }
  return make_buffer(buffer->name, buffer->dtype, buffer->shape, buffer->space, std::move(strides), buffer->loc);
}

}  // namespace tl
