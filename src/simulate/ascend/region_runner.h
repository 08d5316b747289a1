#pragma once

// SIMT regions: every thread of a region runs to its end or to the next place where threads meet, one after another;
// threads that never meet share one stack. Races between threads are found from marks beside every byte, whatever the
// order they ran in.

#include <memory>
#include <unordered_map>
#include <vector>

#include "simulate/ascend/operation.h"
#include "simulate/fiber.h"

namespace tl::simulate::ascend {

class RegionRunner {
 public:
  RegionRunner(Machine& machine, uint64_t ub_bytes);
  ~RegionRunner();

  void run(const Record& record, Operation& operation);
  /// The stack of the thread that runs; null outside of threads.
  Fiber* fiber() const;

  // What threads call.
  void sync_threads(int line);
  void warp(uint64_t value, int line, tl_ascend::Lanes* lanes);
  /// One element of GM, or one that is updated atomically.
  void* access(int space, uint64_t address, int bytes, int line, int mode);
  /// An access to UB that the kernel found wrong.
  void suspect(uint64_t address, int bytes, int line, int mode);

  /// Where accesses that must not be done go.
  void* nowhere() { return nowhere_; }
  void attach(tl_ascend::Host& host);

 private:
  enum class State : uint8_t { kWaiting, kReady, kAtBarrier, kAtWarp, kDone };
  struct Worker {
    std::unique_ptr<Fiber> fiber;
  };
  struct Thread {
    State state = State::kWaiting;
    Worker* worker = nullptr;
    int line = 0;
    uint64_t value = 0;
    tl_ascend::Lanes* lanes = nullptr;
  };
  static constexpr uint64_t kPage = 1 << tl_ascend::kPageShift;
  struct Page {
    uint64_t written[kPage] = {}, read[kPage] = {};
  };

  void work(Worker& worker);
  void switch_to(uint32_t thread);
  void resume(Worker& worker);
  void run_threads();
  /// Ends all threads that wait: their frames may own memory.
  void end_threads();
  void block(State state, int line);
  bool release_warps();
  void release_barrier();
  void run_ready();
  /// Bytes next to each other that one line accesses.
  struct Run {
    uint64_t first, last;
    int line;
    bool atomic;
  };
  void collect(std::vector<Run>& runs, uint64_t base, const uint64_t* marks, uint64_t bytes) const;
  void record_accesses(Operation& operation);
  void record_gm(Operation& operation, Run run, bool writes);
  void race(int space, uint64_t address, int line, int mode, uint64_t other, bool other_writes);
  std::string thread_name(uint64_t thread) const;
  Page& page(uint64_t address);

  Machine& machine_;
  std::vector<uint64_t> written_, read_;
  std::vector<uint8_t> touched_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> free_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<uint64_t, Page*> page_of_;
  alignas(64) uint8_t nowhere_[64] = {};

  // The region that runs.
  const RegionCall* call_ = nullptr;
  std::vector<Thread> threads_;
  uint32_t next_ = 0, done_ = 0, current_ = 0;
  uint64_t time_ = 0, first_time_ = 0;
  int line_ = 0;
  bool closing_ = false, ending_ = false;
};

}  // namespace tl::simulate::ascend
