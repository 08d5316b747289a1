#pragma once

// Machines as data. Passes read limits and choices from here; no pass names a machine.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tl {

enum class TargetKind : uint8_t { kHost, kInterpreter, kCuda, kAscend };

/// What the compiler needs to know about one machine. Capacities are in bytes.
struct Target {
  std::string_view name;
  TargetKind kind;
  /// Threads of one tile program that the machine can run; what the language allows where it runs them one by one.
  int64_t max_threads;
  /// Tile programs of a launch in x, y and z that the machine can start.
  std::array<int64_t, 3> max_grid;
  /// Shared memory of one tile program: the most that can be asked for, and what needs no asking.
  int64_t max_shared, static_shared;
  /// All tiles of one tile program together, where they share one memory; 0 where each kind has its own.
  int64_t max_tiles;
  /// Width of the widest plain memory access.
  int64_t access_bytes;
  /// Size of a tensor from which on stores that bypass the caches pay; 0 where the machine has none that can be chosen.
  int64_t stream_bytes;
  /// Whether threads can move global memory to shared memory while they go on.
  bool async_copies;
  /// Registers of 32 bits: of a multiprocessor, shared by the threads on it, and the most of one thread.
  int64_t registers, thread_registers;
  std::string_view note;
};

/// Null when there is no such machine.
const Target* find_target(std::string_view name);
const std::vector<Target>& all_targets();

}  // namespace tl
