#pragma once

// Ops of lowered code, where each statement says what one thread does.

#include <algorithm>
#include <bit>

#include "ir/op.h"
#include "ir/ops_tile.h"

namespace tl {

/// Replaces every element of `values`, an array of each thread, by its combination over the `extent` threads whose
/// linear indices differ only in `index / stride % extent`; each of them gets the result. `extent * stride` divides the
/// number of threads. All threads of the block reach
/// it together. `scratch` is shared memory it may use (see `thread_reduce_scratch`); threads that touch it before or
/// after need a barrier in between.
struct ThreadReduce : OpOf<OpKind::kThreadReduce> {
  static constexpr std::string_view kName = "thread.reduce";
  ReduceKind reduce = ReduceKind::kSum;
  Region values;
  int64_t extent = 1, stride = 1;
  Region scratch;
  static constexpr auto fields() {
    return std::tuple{attr("reduce", &ThreadReduce::reduce, FieldStyle::kPositional),
                      reads_writes("values", &ThreadReduce::values), attr("extent", &ThreadReduce::extent),
                      attr("stride", &ThreadReduce::stride), reads_writes("scratch", &ThreadReduce::scratch)};
  }
};

/// Asynchronous moves: a loop with the hint "async" (see kAsyncHint) may be done after the statements that follow it.
/// Until a `thread.wait` on its group its destination may not be touched, nor its source written, by any thread.
inline constexpr const char* kAsyncHint = "async";

inline bool is_async(const Attrs& hints) { return hint(hints, kAsyncHint, false); }

/// Closes a group: what the thread has moved asynchronously since the last group was closed. A group may be empty.
struct ThreadCommit : OpOf<OpKind::kThreadCommit> {
  static constexpr std::string_view kName = "thread.commit";
  static constexpr auto fields() { return std::tuple{}; }
};

/// Blocks the thread until all but the last `pending` groups that it has closed are done. It then sees its own moves;
/// other threads see them after a barrier.
struct ThreadWait : OpOf<OpKind::kThreadWait> {
  static constexpr std::string_view kName = "thread.wait";
  int64_t pending = 0;
  static constexpr auto fields() { return std::tuple{attr("pending", &ThreadWait::pending, FieldStyle::kPositional)}; }
};

/// Marks a loop of one store, `%x[base + %v] = %x[base + %v] / d` with one float32 `d`, over an array of a thread:
/// quotients that may be computed from one reciprocal.
inline constexpr const char* kCommonDivisorHint = "common_divisor";

/// Threads that exchange registers without shared memory.
inline constexpr int64_t kWarpThreads = 32;

/// Whether the threads of a group are found by flipping bits of the linear index, so that warps combine by shuffles
/// first.
inline bool thread_reduce_by_shuffles(int64_t extent, int64_t stride) {
  return std::has_single_bit(static_cast<uint64_t>(extent)) && std::has_single_bit(static_cast<uint64_t>(stride));
}

/// Elements of scratch for each element of `values` in a block of `threads` threads. 0 where shuffles do it all. Where
/// they do a part, warp w's result for lane l lies at `w * min(stride, 32) + l % min(stride, 32)`; else thread t's
/// value lies at t. Element n of N is then at `place * N + n`.
inline int64_t thread_reduce_scratch(int64_t extent, int64_t stride, int64_t threads) {
  if (!thread_reduce_by_shuffles(extent, stride)) return extent == 1 ? 0 : threads;
  if (extent * stride <= kWarpThreads) return 0;
  return (threads + kWarpThreads - 1) / kWarpThreads * std::min(stride, kWarpThreads);
}

}  // namespace tl
