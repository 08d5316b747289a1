#pragma once

// Estimates of time. One table holds every constant with where it comes from; none is fitted to a measurement.

#include <array>
#include <map>
#include <vector>

#include "simulate/ascend/ascend_simulator.h"
#include "simulate/ascend/record.h"

namespace tl::simulate::ascend {

/// Constants of Ascend 950, in cycles and bytes a cycle of one core.
const std::vector<CostConstant>& cost_constants();
double cost_constant(std::string_view name);

class CostModel {
 public:
  explicit CostModel(bool keep_events) : keep_events_(keep_events) {}

  /// Work of `cycles` on a pipe from `start`; its end.
  double spend(uint32_t core, const Record& record, double start, double cycles);
  void end_block(double cycles);
  Cost total(int64_t blocks, bool cube) const;
  std::vector<TimelineEvent> take_events() { return std::move(events_); }

 private:
  bool keep_events_;
  double longest_ = 0;
  std::array<double, tl_ascend::kPipeCount> busy_{};
  std::vector<TimelineEvent> events_;
};

/// Cycles of an operation on its pipe; `bytes` is what it moves.
double cycles_of(const Record& record, uint64_t bytes);

}  // namespace tl::simulate::ascend
