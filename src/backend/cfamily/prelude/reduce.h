// Reductions over the threads of a block.
//
//   thread_reduce<Op, Threads, Extent, Stride, N>(thread, values, scratch)
//
// replaces each of values[0 .. N) by its combination over the Extent threads of a block of Threads whose linear indices
// differ only in `index / Stride % Extent`; `thread` is that of this thread. All threads of the block call it.
// `scratch` points to memory of all threads, where any is needed; threads that touch it before or after need a barrier
// in between.
//
// | Op                             | combines by                                                     |
// |--------------------------------|-----------------------------------------------------------------|
// | sum_of, abssum_of              | addition, wrapping for integers (of bools: or)                  |
// | bitand_of, bitor_of, bitxor_of | the bits of integers and bools                                  |
// | max_of, absmax_of, min_of      | reduce_minmax.h: IEEE 754-2019 maximum, minimum                 |
#pragma once
#include "threads.h"
#include "types.h"

namespace tlp {

TLP_INLINE float add_wrapping(float a, float b) { return a + b; }
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
TLP_REDUCTION(bitand_of, a& b)
TLP_REDUCTION(bitor_of, a | b)
TLP_REDUCTION(bitxor_of, a ^ b)

/// The value that the thread has whose lane differs from this one's in the bits `flipped`.
template <class T>
TLP_INLINE T shuffle_xor(u32 warp, T x, int flipped) {
  if constexpr (sizeof(T) == 8) {
    const u64 bits = bit_cast<u64>(x);
    const u32 low = exchange_xor(warp, u32(bits), flipped), high = exchange_xor(warp, u32(bits >> 32), flipped);
    return bit_cast<T>(u64(high) << 32 | low);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, exchange_xor(warp, __builtin_bit_cast(u32, x), flipped));
  } else {
    using Bits = select_type<sizeof(T) == 1, u8, u16>;
    return bit_cast<T>(Bits(exchange_xor(warp, u32(bit_cast<Bits>(x)), flipped)));
  }
}

/// Combines over the lanes that differ in the bits from First up to End (excluded), one bit after another.
template <class Op, int First, int End, int N, class T>
TLP_INLINE void combine_lanes(u32 warp, T* values) {
#pragma unroll
  for (int n = 0; n < N; ++n) {
#pragma unroll
    for (int flipped = First; flipped < End; flipped *= 2) {
      values[n] = Op::combine(values[n], shuffle_xor(warp, values[n], flipped));
    }
  }
}

/// Combines the results of warps: that of warp w for lane l lies at `w * lanes + l % lanes`.
template <class Op, int Threads, int Extent, int Stride, int N, class T, class Scratch>
TLP_INLINE void combine_warps(int thread, T* values, Scratch scratch) {
  constexpr int lanes = Stride < 32 ? Stride : 32;
  constexpr int step = Stride < 32 ? 1 : Stride / 32, warps = Stride < 32 ? Extent * Stride / 32 : Extent;
  const int warp = thread / 32, lane = thread % 32;
  if (lane < lanes) {
#pragma unroll
    for (int n = 0; n < N; ++n) scratch[(warp * lanes + lane) * N + n] = values[n];
  }
  meet();
  const int first = warp - warp / step % warps * step;
  if constexpr (warps * lanes <= 32 && Threads % 32 == 0) {
    // Lane l takes what warp `first + l / lanes` has left.
    const Scratch from = scratch + (first * lanes + lane % (warps * lanes)) * N;
#pragma unroll
    for (int n = 0; n < N; ++n) values[n] = from[n];
    combine_lanes<Op, lanes, warps * lanes, N>(~0u, values);
  } else {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      T result = scratch[(first * lanes + lane % lanes) * N + n];
#pragma unroll
      for (int w = 1; w < warps; ++w) {
        result = Op::combine(result, T(scratch[((first + w * step) * lanes + lane % lanes) * N + n]));
      }
      values[n] = result;
    }
  }
}

/// For groups that no flipping of bits finds: thread t's value lies at t.
template <class Op, int Extent, int Stride, int N, class T, class Scratch>
TLP_INLINE void combine_in_scratch(int thread, T* values, Scratch scratch) {
#pragma unroll
  for (int n = 0; n < N; ++n) scratch[thread * N + n] = values[n];
  meet();
  const int first = thread - thread / Stride % Extent * Stride;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    T result = scratch[first * N + n];
    for (int i = 1; i < Extent; ++i) result = Op::combine(result, T(scratch[(first + i * Stride) * N + n]));
    values[n] = result;
  }
}

template <class Op, int Threads, int Extent, int Stride, int N, class T, class Scratch = T*>
TLP_INLINE void thread_reduce(int thread, T* values, Scratch scratch = nullptr) {
  if constexpr ((Extent & (Extent - 1)) == 0 && (Stride & (Stride - 1)) == 0) {
    // A block's last warp may be short.
    const u32 warp = Threads % 32 == 0 || thread / 32 < Threads / 32 ? ~0u : (1u << Threads % 32) - 1;
    combine_lanes < Op, Stride, Extent* Stride<32 ? Extent * Stride : 32, N>(warp, values);
    if constexpr (Extent > 1 && Extent * Stride > 32) {
      combine_warps<Op, Threads, Extent, Stride, N>(thread, values, scratch);
    }
  } else {
    combine_in_scratch<Op, Extent, Stride, N>(thread, values, scratch);
  }
}

}  // namespace tlp
