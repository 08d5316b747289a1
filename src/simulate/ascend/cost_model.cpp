#include "simulate/ascend/cost_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

const std::vector<CostConstant>& cost_constants() {
  static const std::vector<CostConstant> kConstants = {
      {"clock_mhz", 1650, "documented for 32 cube cores; assumed for others"},
      {"cube_cores", 32, "documented"},
      {"vector_cores", 64, "documented"},
      {"gm_bytes", 30, "derived: 1.6 TB/s shared by 32 cores at 1650 MHz"},
      {"l1_to_l0_bytes", 256, "documented"},
      {"ub_to_l1_bytes", 128, "documented"},
      {"l0c_to_ub_bytes", 128, "documented"},
      {"vector_bytes", 256, "documented"},
      {"cube_head", 8, "derived: vendor's check points of eight products"},
      {"dma_start", 400, "placeholder"},
      {"region_start", 100, "placeholder"},
      {"l0_load_start", 2, "placeholder"},
      {"scalar_issue", 1, "placeholder"},
  };
  return kConstants;
}

double cost_constant(std::string_view name) {
  for (const CostConstant& c : cost_constants()) {
    if (c.name == name) return c.value;
  }
  internal_error(__FILE__, __LINE__, "cost_constant", "unknown constant");
}

double cycles_of(const Record& r, uint64_t bytes) {
  static const double gm = cost_constant("gm_bytes"), start = cost_constant("dma_start");
  static const double l0 = cost_constant("l1_to_l0_bytes"), l0_start = cost_constant("l0_load_start");
  static const double head = cost_constant("cube_head"), vector = cost_constant("vector_bytes");
  static const double region = cost_constant("region_start"), to_l1 = cost_constant("ub_to_l1_bytes");
  static const double to_ub = cost_constant("l0c_to_ub_bytes");
  // Both ends of a move are counted in `bytes`.
  const double moved = static_cast<double>(bytes) / 2;
  switch (r.call) {
    case kGm2Ub:
    case kUb2Gm:
    case kNd2Nz:
    case kDn2Nz:
    case kDrainGm:
      return start + moved / gm;
    case kUb2L1:
      return moved / to_l1;
    case kDrainUb:
      return moved / to_ub;
    case kFillL1:
      return static_cast<double>(bytes) / to_l1;
    case kLoadL0a:
    case kLoadL0b:
    case kLoadL0aT:
    case kLoadL0bT:
      return l0_start + moved / l0;
    case kVfCall:
      return region + static_cast<double>(bytes) / vector;
    case kMmad: {
      const int element = static_cast<int>(r.args[10]);
      const int64_t c0 = element == kF32 ? 8 : element == kF16 || element == kBf16 ? 16 : 32;
      const auto up = [](int64_t a, int64_t b) { return static_cast<double>((a + b - 1) / b); };
      const double rate = element == kF32 && !r.registers.hf32 ? 2 : 1;
      return head + up(r.args[3], 16) * up(r.args[4], c0) * up(r.args[5], 16) * rate;
    }
    default:
      return 0;
  }
}

double CostModel::spend(uint32_t core, const Record& record, double start, double cycles) {
  busy_[static_cast<size_t>(record.pipe)] += cycles;
  if (keep_events_) events_.push_back({call_name(record.call), core, record.pipe, record.line, start, start + cycles});
  return start + cycles;
}

void CostModel::end_block(double cycles) { longest_ = std::max(longest_, cycles); }

Cost CostModel::total(int64_t blocks, bool cube) const {
  Cost cost;
  cost.block_cycles = longest_;
  cost.cores = static_cast<int64_t>(cost_constant(cube ? "cube_cores" : "vector_cores"));
  cost.cycles = longest_ * static_cast<double>((blocks + cost.cores - 1) / cost.cores);
  for (int pipe = 0; pipe < kPipeCount; ++pipe) {
    if (busy_[static_cast<size_t>(pipe)] > 0) cost.pipes.push_back({pipe_name(pipe), busy_[static_cast<size_t>(pipe)]});
  }
  cost.constants = cost_constants();
  return cost;
}

std::string timeline_json(const RunReport& report) {
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  const char* comma = "";
  std::vector<std::pair<uint32_t, int>> tracks;
  for (const TimelineEvent& e : report.timeline) {
    const std::pair<uint32_t, int> track{e.core, e.pipe};
    if (std::find(tracks.begin(), tracks.end(), track) == tracks.end()) {
      tracks.push_back(track);
      out += fmt::format(
          "{}{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {}, \"args\": {{\"name\": \"core {}\"}}}},\n"
          "{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": \"{}\"}}}}",
          comma, e.core, e.core, e.core, e.pipe, pipe_name(e.pipe));
      comma = ",\n";
    }
    out += fmt::format(
        "{}{{\"ph\": \"X\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, "
        "\"args\": {{\"line\": {}}}}}",
        comma, e.name, e.core, e.pipe, e.start, e.end - e.start, e.line);
    comma = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace tl::simulate::ascend
