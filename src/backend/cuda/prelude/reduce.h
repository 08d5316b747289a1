// Reductions over the threads of a block.
//
//   thread_reduce<Op, Threads, Extent, Stride, N>(values, scratch)
//
// replaces each of values[0 .. N) by its combination over the Extent threads of a block of Threads whose linear indices
// differ only in `index / Stride % Extent`. All threads of the block call it. `scratch` is shared memory, where any is
// needed; threads that touch it before or after need a barrier in between.
//
// | Op                             | combines by                                                     |
// |--------------------------------|-----------------------------------------------------------------|
// | sum_of, abssum_of              | addition, wrapping for integers (of bools: or)                  |
// | max_of, absmax_of, min_of      | IEEE 754-2019 maximum, minimum: NaN wins, -0 < +0               |
// | bitand_of, bitor_of, bitxor_of | the bits of integers and bools                                  |
#pragma once
#include "minmax.h"

namespace tlp {

template <class T>
TLP_INLINE T add_wrapping(T a, T b) {
  if constexpr (is_floating<T> || is_half<T>) {
    return a + b;
  } else {
    return T(modular<T>(a) + modular<T>(b));
  }
}

#define TLP_REDUCTION(name, COMBINE)               \
  struct name {                                    \
    template <class T>                             \
    TLP_INLINE_MEMBER static T combine(T a, T b) { \
      return T(COMBINE);                           \
    }                                              \
  };
TLP_REDUCTION(sum_of, add_wrapping(a, b))
TLP_REDUCTION(abssum_of, add_wrapping(a, b))
TLP_REDUCTION(max_of, tlp::max(a, b))
TLP_REDUCTION(min_of, tlp::min(a, b))
TLP_REDUCTION(absmax_of, tlp::max(a, b))
TLP_REDUCTION(bitand_of, a& b)
TLP_REDUCTION(bitor_of, a | b)
TLP_REDUCTION(bitxor_of, a ^ b)
#undef TLP_REDUCTION

TLP_INLINE int thread_in_block() { return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }

/// The value that the thread has whose lane differs from this one's in the bits `flipped`.
template <class T>
TLP_INLINE T shuffle_xor(u32 warp, T x, int flipped) {
  if constexpr (sizeof(T) == 8) {
    const u64 bits = bit_cast<u64>(x);
    const u32 low = __shfl_xor_sync(warp, u32(bits), flipped), high = __shfl_xor_sync(warp, u32(bits >> 32), flipped);
    return bit_cast<T>(u64(high) << 32 | low);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<T>(__shfl_xor_sync(warp, bit_cast<u32>(x), flipped));
  } else {
    using Bits = select_type<sizeof(T) == 1, u8, u16>;
    return bit_cast<T>(Bits(__shfl_xor_sync(warp, u32(bit_cast<Bits>(x)), flipped)));
  }
}

/// The threads of this thread's warp: a block's last warp may be short.
template <int Threads>
TLP_INLINE u32 warp_threads(int thread) {
  if constexpr (Threads % 32 == 0) {
    return ~0u;
  } else {
    return thread / 32 < Threads / 32 ? ~0u : (1u << Threads % 32) - 1;
  }
}

/// Flips one bit of the lane after another.
template <class Op, int Threads, int Extent, int Stride, int N, class T>
TLP_INLINE void reduce_in_warp(T* values, int thread) {
  constexpr int end = Extent * Stride < 32 ? Extent * Stride : 32;
  const u32 warp = warp_threads<Threads>(thread);
#pragma unroll
  for (int n = 0; n < N; ++n) {
#pragma unroll
    for (int flipped = Stride; flipped < end; flipped *= 2) {
      values[n] = Op::combine(values[n], shuffle_xor(warp, values[n], flipped));
    }
  }
}

/// Combines the results of warps: that of warp w for lane l lies at `w * lanes + l % lanes`.
template <class Op, int Extent, int Stride, int N, class T>
TLP_INLINE void reduce_across_warps(T* values, T* scratch, int thread) {
  constexpr int lanes = Stride < 32 ? Stride : 32;
  constexpr int step = Stride < 32 ? 1 : Stride / 32, warps = Stride < 32 ? Extent * Stride / 32 : Extent;
  const int warp = thread / 32, lane = thread % 32;
  if (lane < lanes) {
#pragma unroll
    for (int n = 0; n < N; ++n) scratch[(warp * lanes + lane) * N + n] = values[n];
  }
  __syncthreads();
  const int first = warp - warp / step % warps * step;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    T result = scratch[(first * lanes + lane % lanes) * N + n];
#pragma unroll
    for (int w = 1; w < warps; ++w) {
      result = Op::combine(result, scratch[((first + w * step) * lanes + lane % lanes) * N + n]);
    }
    values[n] = result;
  }
}

/// For groups that no flipping of bits finds: thread t's value lies at t.
template <class Op, int Extent, int Stride, int N, class T>
TLP_INLINE void reduce_in_scratch(T* values, T* scratch, int thread) {
#pragma unroll
  for (int n = 0; n < N; ++n) scratch[thread * N + n] = values[n];
  __syncthreads();
  const int first = thread - thread / Stride % Extent * Stride;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    T result = scratch[first * N + n];
    for (int i = 1; i < Extent; ++i) result = Op::combine(result, scratch[(first + i * Stride) * N + n]);
    values[n] = result;
  }
}

template <class Op, int Threads, int Extent, int Stride, int N, class T>
TLP_INLINE void thread_reduce(T* values, T* scratch = nullptr) {
  const int thread = thread_in_block();
  if constexpr ((Extent & (Extent - 1)) == 0 && (Stride & (Stride - 1)) == 0) {
    reduce_in_warp<Op, Threads, Extent, Stride, N>(values, thread);
    if constexpr (Extent > 1 && Extent * Stride > 32) {
      reduce_across_warps<Op, Extent, Stride, N>(values, scratch, thread);
    }
  } else {
    reduce_in_scratch<Op, Extent, Stride, N>(values, scratch, thread);
  }
}

}  // namespace tlp
