#pragma once

#include <cstdint>
#include <vector>

#include "ir/ops_core.h"

namespace tl {

/// A statement of a block must start on engine `to` after statement `first` is done on engine `from`, `distance`
/// iterations of the block earlier. With one engine on both sides that engine must be done, not only in order.
struct EngineDependence {
  Engine from, to;
  size_t first, second;
  int64_t distance = 0;
  bool operator==(const EngineDependence&) const = default;
};

/// A dependence that a flag enforces, and how many flags it takes: one an iteration in turn. Within one engine it is a
/// barrier before the second statement, and takes none.
struct EngineEdge : EngineDependence {
  int64_t flags = 1;
};

/// Chooses edges for the statements of a block, of which there are `statements`, so that every dependence holds, by as
/// few edges as it finds. `repeats` says that the block is the body of a loop. An edge is left out where others imply
/// it: an engine sets a flag after all of its work before, and starts nothing behind a wait before the flag is set. No
/// flag is set again before its wait is over; where nothing else sees to that, an edge backwards does.
///
/// Order among events of in-order agents is reachability in the graph of their program orders and edges, after Lamport,
/// "Time, Clocks, and the Ordering of Events in a Distributed System" (1978).
std::vector<EngineEdge> order_engines(size_t statements, bool repeats, std::vector<EngineDependence> needed);

}  // namespace tl
