#include "passes/core/core_memory.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr int64_t kKiB = 1024;
/// Bytes to which rows that engines move are aligned.
constexpr int64_t kRowBytes = 32;

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

}  // namespace

int64_t core_capacity(MemorySpace space) { return memory_of(space).bytes; }
int64_t core_alignment(MemorySpace space) { return memory_of(space).alignment; }

int64_t core_bytes(const BufferNode& buffer) {
  const auto shape = static_shape(buffer);
  TL_CHECK(shape.has_value(), "a buffer of constant shape");
  const int64_t alignment = core_alignment(buffer.space);
  int64_t elements = 1;
  if (buffer.is_contiguous()) {
    for (const int64_t extent : *shape) elements *= extent;
  } else {
    elements = *as_int(buffer.strides[0]) * (*shape)[0];
  }
  const int64_t bytes = (elements * buffer.dtype.storage_bits() + 7) / 8;
  return (bytes + alignment - 1) / alignment * alignment;
}

Buffer with_aligned_rows(const Buffer& buffer) {
  const auto shape = static_shape(*buffer);
  if (!shape || shape->size() < 2 || !is_shared(buffer->space) || !buffer->is_contiguous()) return buffer;
  const int64_t bits = buffer->dtype.storage_bits(), row = shape->back();
  if (row * bits % (kRowBytes * 8) == 0 || kRowBytes * 8 % bits != 0) return buffer;
  const int64_t unit = kRowBytes * 8 / bits;
  std::vector<Expr> strides(shape->size(), Expr(1));
  int64_t stride = (row + unit - 1) / unit * unit;
  for (size_t d = shape->size() - 1; d-- > 0;) {
    strides[d] = Expr(static_cast<int>(stride));
    stride *= (*shape)[d];
  }
  return make_buffer(buffer->name, buffer->dtype, buffer->shape, buffer->space, std::move(strides), buffer->loc);
}

}  // namespace tl
