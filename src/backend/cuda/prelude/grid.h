// A barrier of all blocks of a grid, which must all be resident at once.
//
//   grid_barrier(state)
//
// All threads of all blocks call it; what any of them wrote before is seen by all after. `state` is a word of global
// memory that belongs to the grid and is 0 before the grid begins. Every barrier adds 2^31 to it in all: 1 for each
// block but the first, which adds the rest, so that its highest bit changes when the last block has come, and nothing
// else of it remains.
#pragma once
#include "base.h"

namespace tlp {

TLP_INLINE u32 load_acquire(const u32* from) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
  return value;
}

TLP_INLINE void grid_barrier(u32* state) {
  constexpr u32 kPhase = 0x80000000u;
  __syncthreads();
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
    const u32 others = gridDim.x * gridDim.y * gridDim.z - 1;
    const bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
    __threadfence();
    const u32 before = atomicAdd(state, first ? kPhase - others : 1u);
    while (((load_acquire(state) ^ before) & kPhase) == 0) {
    }
  }
  __syncthreads();
}

}  // namespace tlp
