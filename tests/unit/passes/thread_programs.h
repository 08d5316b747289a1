#pragma once

// Random tile programs with code on thread indices.

#include <cstdint>
#include <map>
#include <string>

namespace tl::testing {

struct ThreadProgram {
  /// func @f params [%A: global int32[threads, 4], %B: global int32[threads, 4], %C: global int32[4], %n: int32]; reads
  /// A, writes B and C.
  std::string text;
  int threads;
  /// How often each kind of statement was made.
  std::map<std::string, int> made;
};

/// Programs whose result is defined: where control differs between threads, each touches its own elements of shared and
/// global memory only; where it does not, a statement may read what other threads wrote in earlier ones.
ThreadProgram random_thread_program(uint64_t seed);

}  // namespace tl::testing
