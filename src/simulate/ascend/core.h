#pragma once

// One core: its scalar unit issues, its pipes work through their queues side by side, each in order, and wait for each
// other by flags and mutexes.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulate/ascend/memory.h"
#include "simulate/ascend/record.h"

namespace tl::simulate::ascend {

class Machine;

/// Thrown through a kernel whose scalar unit waits for ever, or that ends because something else has ended the launch.
struct Abandoned {};
/// Thrown through a kernel whose assertion does not hold: it ends the launch.
struct AssertionFailed {};

/// The memories of the cores of one block: one cube core and up to two vector cores.
struct BlockMemories {
  BlockMemories(bool cube, int vectors, uint64_t ub_bytes);
  void reset();
  std::unique_ptr<Memory> l1, l0a, l0b, l0c;
  std::vector<std::unique_ptr<Memory>> ub;
};

/// A signal on its way: what its sender had done.
struct Signal {
  Clock clock;
  double time = 0;
  int line = 0;
};

class Core {
 public:
  Core(Machine& machine, BlockMemories& memories, bool is_cube, int sub_block);

  /// Before a kernel begins: `number` in the launch, `slot` among the cores that are alive.
  void start(uint32_t number, uint32_t slot, uint32_t first, size_t alive, int64_t block);

  void issue(int call, const int64_t* args, int count, int line);
  void issue_region(std::unique_ptr<RegionCall> region, int line);
  /// Performs what can be performed; whether anything was.
  bool pump();
  bool idle() const;
  /// Behind the kernel's end: flags that are still set.
  void check_exit();
  /// One line a pipe that waits, for a report.
  std::vector<std::string> waiting(int& line) const;

  /// The scalar unit waits until `ready`, which `line` asks for.
  template <class Ready>
  void block_until(const Ready& ready, int line);

  Machine& machine;
  BlockMemories& memories;
  const bool is_cube;
  const int sub_block;
  int64_t block = 0;
  uint32_t number = 0, slot = 0, first = 0;
  std::vector<Clock> seen;
  std::vector<uint32_t> sequence;
  std::vector<double> time;

  Memory& ub() const { return *memories.ub[static_cast<size_t>(is_cube ? 0 : sub_block)]; }
  std::string name() const;
  /// Where the scalar unit stands when it has to wait for others, for reports.
  int scalar_line = 0;
  Registers registers;
  int atomic_line = 0;
  /// An operation begins on `pipe`: its number.
  uint32_t begin(int pipe) { return ++sequence[static_cast<size_t>(pipe)]; }
  uint32_t own_index(int pipe) const { return slot * tl_ascend::kPipeCount + static_cast<uint32_t>(pipe); }

 private:
  struct Flag {
    bool set = false;
    Signal signal;
    /// The wait that last cleared it: its number on the destination pipe, and its line.
    uint32_t cleared = 0;
    int cleared_line = 0;
  };
  struct Mutex {
    int64_t unlocks_issued = 0, unlocks_done = 0;
    int held_line = 0;
    Clock clock;
    double time = 0;
  };
  /// Results of mmads that unit flags hand to drains.
  struct Unit {
    bool full = false;
    Signal filled, drained;
  };
  using FlagKey = std::tuple<int, int, int>;

  void push(Record record);
  bool advance(int pipe);
  bool ready(const Record& record) const;
  void execute(Record& record);
  void synchronise(Record& record);
  void notify(const Record& record);
  void wait(const Record& record);
  void barrier_all(int line);
  void configure(int call, const int64_t* args, int line);
  bool check_flag(const Record& record);
  void note_lock(Record& record);
  Signal publish(int pipe, int line) const;
  void receive(int pipe, const Signal& signal);
  void arrive(const Record& record);
  /// Who must have arrived for a wait: (core of the block or launch, id).
  std::vector<uint32_t> sources(const Record& record) const;
  void unit_flags(const Record& record, bool before);
  std::string waits_for(const Record& record) const;

  std::vector<std::deque<Record>> queues_;
  std::map<FlagKey, Flag> flags_;
  std::map<int, Mutex> mutexes_;
  std::map<int64_t, Unit> units_;
  /// By (mode, id, source core).
  std::map<std::tuple<int, int, uint32_t>, std::deque<Signal>> arrivals_;
  std::shared_ptr<const Clock> issue_clock_;
  bool pumping_ = false;

  friend class Machine;
};

}  // namespace tl::simulate::ascend
