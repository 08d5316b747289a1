#pragma once

// A launch while it runs: cores, GM, findings, costs.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulate/ascend/ascend_simulator.h"
#include "simulate/ascend/core.h"
#include "simulate/ascend/cost_model.h"
#include "simulate/ascend/region_runner.h"
#include "simulate/ascend/report_book.h"
#include "simulate/fiber.h"

namespace tl::simulate::ascend {

class Machine {
 public:
  Machine(const Program& program, const Launch& launch, const RunOptions& options);
  ~Machine();
  RunReport run();

  const Program& program;
  const Launch& launch;
  const RunOptions& options;
  ReportBook book;
  GlobalMemory gm;
  CostModel cost;
  tl_ascend::Host host{};
  RegionRunner regions;

  /// The core whose code runs, on any stack.
  Core* current = nullptr;
  /// All cores that are alive, by slot.
  std::vector<std::unique_ptr<Core>> cores;
  /// Grows with everything that a core does; where it stands still all cores wait.
  uint64_t progress = 0;

  uint32_t site(const Site& site);
  const Site& site_of(uint32_t index) const { return sites_[index]; }
  /// The fiber of the core that runs; null where the kernel runs on the caller's stack.
  Fiber* fiber = nullptr;
  bool abandoned = false;
  /// Makes the core the one that the kernel's headers see.
  void enter(Core& core);
  /// Runs `f` on the stack of who called `run`, from any code of a kernel; throws what it throws.
  void call_out(const std::function<void()>& f);
  /// Polls if the last time is long enough ago.
  void look_up();

 private:
  void run_group(int64_t first_block, int64_t blocks);
  void run_alone(Core& core);
  void run_together();
  /// Resumes every fiber that has not ended; whether one of them still has not.
  bool resume_all(const std::vector<std::unique_ptr<Fiber>>& fibers);
  void run_fibers(const std::vector<std::unique_ptr<Fiber>>& fibers);
  void report_deadlock();

  std::vector<Site> sites_{1};
  std::map<Site, uint32_t> site_index_;
  std::vector<std::unique_ptr<BlockMemories>> memories_;
  uint32_t next_core_ = 0;
  std::chrono::steady_clock::time_point next_poll_;
};

template <class Ready>
void Core::block_until(const Ready& ready, int line) {
  scalar_line = line;
  while (!ready()) {
    if (pump()) continue;
    if (machine.abandoned || machine.fiber == nullptr) throw Abandoned();
    Fiber* mine = machine.fiber;
    mine->pause();
    if (machine.abandoned) throw Abandoned();
  }
  scalar_line = 0;
}

}  // namespace tl::simulate::ascend
