// What threads of a region have of each other, and bits of words: as the CUDA header of this name says.
#pragma once
#include "base.h"

namespace tlp {

/// All threads of the warp take part.
TLP_INLINE u32 exchange_xor(u32, u32 x, int flipped) { return u32(asc_shfl_xor(i32(x), flipped)); }
TLP_INLINE void meet() { asc_syncthreads(); }
TLP_INLINE i32 count_bits(u64 bits) {
  i32 count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}
TLP_INLINE i32 leading_zeros(u64 bits) {
  i32 zeros = 64;
  for (; bits != 0; bits >>= 1) --zeros;
  return zeros;
}
TLP_INLINE i32 lowest_set(u64 bits) { return bits == 0 ? 0 : 64 - leading_zeros(bits & (u64(0) - bits)); }

}  // namespace tlp
