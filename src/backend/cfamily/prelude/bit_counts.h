// Bits of words, for a "threads.h" of machines that have no instructions for them.
//
// | name                 | meaning                                   |
// |----------------------|-------------------------------------------|
// | count_bits(bits)     | set bits                                  |
// | leading_zeros(bits)  | zeros above the highest set bit; 64 for 0 |
// | lowest_set(bits)     | 1 + the lowest set bit; 0 for 0           |
#pragma once
#include "base.h"

namespace tlp {

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
