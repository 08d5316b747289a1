#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "layout/checked.h"
#include "layout/fragment.h"

namespace tl {

/// What it takes to turn one fragment of a tile into another one over the same threads, cheapest first.
enum class RelayoutKind {
  kIdentity,         // every slot already holds its element
  kRegisterPermute,  // every thread already holds its elements, in other registers
  kWarpShuffle,      // every warp already holds its threads' elements
  kSharedMemory,     // elements move between warps
};

/// "identity", "register-permute", "warp-shuffle" or "shared-memory".
std::string_view to_string(RelayoutKind kind);

/// The class of a conversion and what it costs. The shared-memory figures are given for every class, so that a caller
/// can prefer them to many shuffles.
struct RelayoutCost {
  RelayoutKind kind;
  /// Slots of the busiest thread that are filled from another register of the same thread. 0 for shared memory.
  int64_t register_moves;
  /// Shuffle instructions that every warp executes, each moving 32 bits per lane: for each destination register, as
  /// many as the busiest source lane has different registers to give (times the 32-bit words of an element). 0 for
  /// shared memory.
  int64_t shuffles;
  /// Bytes of a shared buffer for the tile, and the bytes written (once per element) and read (once per filled slot).
  int64_t shared_bytes;
  int64_t shared_traffic_bytes;
};

/// Error: different tiles or thread counts, or element_bits or warp_size below 1.
Checked<RelayoutCost> classify_relayout(const Fragment& from, const Fragment& to, int64_t element_bits,
                                        int64_t warp_size = 32);

/// The thread that gives the element at `coordinate` to `thread` in a conversion without shared memory: itself if it
/// holds it in `from`, else the first holder in its warp; none if no thread of the warp holds it.
std::optional<int64_t> relayout_source(const Fragment& from, std::span<const int64_t> coordinate, int64_t thread,
                                       int64_t warp_size = 32);

}  // namespace tl
