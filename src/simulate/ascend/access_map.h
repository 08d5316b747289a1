#pragma once

// Who accessed which bytes of a memory last: ranges with one history each, so that a copy of a whole tile costs as much
// as one of a byte, and no two neighbours are taken for one. Two accesses to a byte, one of them a write, must be
// ordered by the clocks of their pipes; if they are not, they race whatever the schedule.

#include <cstdint>
#include <map>
#include <vector>

#include "simulate/ascend/prelude/host_abi.h"

namespace tl::simulate::ascend {

/// What a pipe has seen, by pipe of the cores that are alive: operations up to that number.
using Clock = std::vector<uint32_t>;

void join(Clock& into, const Clock& other);

/// An operation that touches memory.
struct Access {
  /// Number of the core in the launch.
  uint32_t core = 0;
  /// Number of the operation on its pipe, from 1.
  uint32_t sequence = 0;
  /// Index into the table of places.
  uint32_t site = 0;
  uint8_t pipe = 0;
  bool atomic = false;
};

/// What happened before an operation that runs now.
struct Order {
  const Clock* seen = nullptr;
  uint32_t core = 0;
  /// Number of the first core that is alive; what earlier ones did is ordered with nothing.
  uint32_t first_core = 0;
  uint8_t pipe = 0;
  /// Earlier operations of the own pipe have completed.
  bool own_pipe_complete = false;

  bool after(const Access& then) const {
    if (then.core < first_core) return false;
    if (then.core == core && then.pipe == pipe && own_pipe_complete) return true;
    return (*seen)[(then.core - first_core) * tl_ascend::kPipeCount + then.pipe] >= then.sequence;
  }
};

struct Conflict {
  Access then;
  bool then_writes;
  uint64_t first, last;
};

class AccessMap {
 public:
  void clear() { segments_.clear(); }
  /// Records a read or write of [first, last); conflicts are added to `out`.
  void read(uint64_t first, uint64_t last, const Access& now, const Order& order, std::vector<Conflict>& out);
  void write(uint64_t first, uint64_t last, const Access& now, const Order& order, std::vector<Conflict>& out);

 private:
  struct Segment {
    uint64_t last;
    Access write;
    std::vector<Access> readers;
  };
  using Segments = std::map<uint64_t, Segment>;
  /// The first segment that ends behind `at`, cut so that it does not start before.
  Segments::iterator cut(uint64_t at);
  static void add_reader(Segment& segment, const Access& now);

  Segments segments_;
};

}  // namespace tl::simulate::ascend
