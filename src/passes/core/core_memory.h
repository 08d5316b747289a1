#pragma once

#include <cstdint>

#include "ir/buffer.h"

namespace tl {

/// The least multiple of `unit` that is not below `a`. Precondition: `a >= 0`, `unit > 0`.
int64_t round_up(int64_t a, int64_t unit);

/// Bytes that a memory of an AI core has for a program's buffers: L1, L0A, L0B, L0C, and `shared`, the unified buffer
/// less what the system keeps and what functions of threads use as a cache.
int64_t core_capacity(MemorySpace space);
/// Bytes to which a buffer's place is aligned.
int64_t core_alignment(MemorySpace space);
/// Bytes of a buffer of constant shape, its rows aligned as its memory asks.
int64_t core_bytes(const BufferNode& buffer);
/// A buffer of the unified buffer with rows of whole blocks of 32 bytes, as engines move them, and one of fractals with
/// planes of whole fractals; itself where they are, and where there is one row or plane.
Buffer with_aligned_rows(const Buffer& buffer);

}  // namespace tl
