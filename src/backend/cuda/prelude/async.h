// Moves from global to shared memory that go on while the thread does (sm_80 and later).
//
// | name                    | meaning                                                                          |
// |-------------------------|----------------------------------------------------------------------------------|
// | copy_async<N>(to, from) | starts to[0 .. N) = from[0 .. N): `to` in shared, `from` in global memory, N       |
// |                         | elements of 4, 8 or 16 bytes together; both addresses are multiples of that      |
// | commit_async()          | closes the group of the moves started since the last one                         |
// | wait_async<P>()         | until all but the last P groups are done; other threads see them after a barrier |
#pragma once
#include "base.h"

namespace tlp {

template <int N, class T>
TLP_INLINE void copy_async(T* to, const T* from) {
  constexpr int bytes = N * int(sizeof(T));
  const u32 shared = u32(__cvta_generic_to_shared(to));
  const u64 global = u64(__cvta_generic_to_global(from));
  if constexpr (bytes == 16) {  // past the first-level cache: nobody else reads them there
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(bytes) : "memory");
  }
}

TLP_INLINE void commit_async() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int Pending>
TLP_INLINE void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace tlp
