// What threads of a region have of each other, and bits of words: as the CUDA header of this name says.
#pragma once
#include "bit_counts.h"

namespace tlp {

/// All threads of the warp take part.
TLP_INLINE u32 exchange_xor(u32, u32 x, int flipped) { return u32(asc_shfl_xor(i32(x), flipped)); }
TLP_INLINE void meet() { asc_syncthreads(); }

}  // namespace tlp
