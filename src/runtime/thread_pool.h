// Threads that share out the tile programs of a launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace tl {

/// How many threads a launch may use, the caller among them. The first of: set_thread_count(), TL_NUM_THREADS,
/// OMP_NUM_THREADS, the number of processors that this process may run on.
int thread_count();
/// Changes the number for this process, at least 1; 0 returns to the default.
void set_thread_count(int count);

/// What one program of a launch took when it last ran, in seconds; 0 while unknown. One per kernel, shared by its
/// calls.
using Pace = std::atomic<float>;

/// Runs body(first, last) over disjoint ranges that cover [0, total), in the calling thread and in those of the pool,
/// and returns when all are done. `body` must not throw.
///
/// Where the pace says that the whole takes no longer than waking a sleeping thread, the caller works alone, so that a
/// small launch costs no more than a call; should it take longer after all, the rest is shared. Ranges are handed out
/// by an atomic counter. Calls from several threads take turns; a call from within a body runs on its own thread alone.
/// After a fork the child makes threads of its own.
void parallel_for(int64_t total, const std::function<void(int64_t first, int64_t last)>& body, Pace& pace);

}  // namespace tl
