// What threads of a CUDA block have of each other, and bits of words.
//
// | name                                | meaning                                                                 |
// |-------------------------------------|-------------------------------------------------------------------------|
// | exchange_xor(warp, x, flipped)      | x of the thread of the warp whose lane differs in the bits `flipped`    |
// | meet()                              | all threads of the block meet, and see what the others have written     |
// | count_bits, leading_zeros           | of 64 bits; 64 zeros lead 0                                             |
// | lowest_set(bits)                    | 1 + the number of the lowest set bit, 0 without one                     |
#pragma once
#include "base.h"

namespace tlp {

TLP_INLINE u32 exchange_xor(u32 warp, u32 x, int flipped) { return __shfl_xor_sync(warp, x, flipped); }
TLP_INLINE void meet() { __syncthreads(); }
TLP_INLINE i32 count_bits(u64 bits) { return __popcll(bits); }
TLP_INLINE i32 leading_zeros(u64 bits) { return __clzll(i64(bits)); }
TLP_INLINE i32 lowest_set(u64 bits) { return __ffsll(i64(bits)); }

}  // namespace tlp
