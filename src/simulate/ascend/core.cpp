#include "simulate/ascend/core.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/ascend/machine.h"
#include "simulate/ascend/operation.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

/// The pipe whose queue a call goes into; kPipeS for what the scalar unit does at once.
int pipe_of(const Record& r) {
  switch (r.call) {
    case kVfCall:
      return kPipeV;
    case kGm2Ub:
    case kNd2Nz:
    case kDn2Nz:
    case kFillL1:
      return kPipeMte2;
    case kUb2Gm:
    case kUb2L1:
      return kPipeMte3;
    case kLoadL0a:
    case kLoadL0b:
    case kLoadL0aT:
    case kLoadL0bT:
      return kPipeMte1;
    case kMmad:
      return kPipeM;
    case kDrainGm:
    case kDrainUb:
      return kPipeFix;
    case kWait:
      return static_cast<int>(r.args[1]);
    case kNotify:
    case kBarrier:
    case kLock:
    case kUnlock:
    case kIntraArrive:
    case kIntraWait:
    case kBlockArrive:
    case kBlockWait:
    case kSubblockArrive:
    case kSubblockWait:
    case kInterArrive:
    case kInterWait:
      return static_cast<int>(r.args[0]);
    default:
      return kPipeS;
  }
}

bool has_pipe(bool cube, int pipe) {
  if (pipe == kPipeS || pipe == kPipeMte2 || pipe == kPipeMte3) return true;
  return (pipe == kPipeV) != cube && pipe < kPipeCount;
}

/// Cycles that the scalar unit takes to issue one call.
double issue_cycles() {
  static const double cycles = cost_constant("scalar_issue");
  return cycles;
}

}  // namespace

BlockMemories::BlockMemories(bool cube, int vectors, uint64_t ub_bytes) {
  if (cube) {
    l1 = std::make_unique<Memory>(kL1, 512 << 10);
    l0a = std::make_unique<Memory>(kL0a, 64 << 10);
    l0b = std::make_unique<Memory>(kL0b, 64 << 10);
    l0c = std::make_unique<Memory>(kL0c, 256 << 10);
  }
  for (int i = 0; i < vectors; ++i) ub.push_back(std::make_unique<Memory>(kUb, ub_bytes));
}

void BlockMemories::reset() {
  for (Memory* memory : {l1.get(), l0a.get(), l0b.get(), l0c.get()}) {
    if (memory != nullptr) memory->reset();
  }
  for (const auto& memory : ub) memory->reset();
}

Core::Core(Machine& m, BlockMemories& mem, bool cube, int sub)
    : machine(m), memories(mem), is_cube(cube), sub_block(sub), queues_(kPipeCount) {}

void Core::start(uint32_t core_number, uint32_t core_slot, uint32_t first_core, size_t alive, int64_t block_index) {
  number = core_number;
  slot = core_slot;
  first = first_core;
  block = block_index;
  seen.assign(kPipeCount, Clock(alive * kPipeCount));
  sequence.assign(kPipeCount, 0);
  time.assign(kPipeCount, 0);
  registers = {};
  for (auto& queue : queues_) queue.clear();
  flags_.clear();
  mutexes_.clear();
  units_.clear();
  arrivals_.clear();
  issue_clock_ = nullptr;
  scalar_line = 0;
}

std::string Core::name() const {
  if (!is_cube && memories.l1 != nullptr) return fmt::format("vector core {} of block {}", sub_block, block);
  return fmt::format("the {} core of block {}", is_cube ? "cube" : "vector", block);
}

void Core::issue(int call, const int64_t* args, int count, int line) {
  time[kPipeS] += issue_cycles();
  Record record;
  record.call = static_cast<Call>(call);
  record.line = line;
  std::copy_n(args, std::min<size_t>(static_cast<size_t>(count), kMostArguments), record.args.begin());
  if (call >= kSetPadValue) return configure(call, args, line);
  push(std::move(record));
}

void Core::issue_region(std::unique_ptr<RegionCall> region, int line) {
  time[kPipeS] += issue_cycles();
  Record record;
  record.call = kVfCall;
  record.line = line;
  record.region = std::move(region);
  push(std::move(record));
}

void Core::push(Record record) {
  record.pipe = pipe_of(record);
  if (record.call == kBarrier && record.pipe == kPipeAll) return barrier_all(record.line);
  if (!has_pipe(is_cube, record.pipe) || !check_flag(record)) {
    if (machine.book.wants(128, record.line, 0)) {
      machine.book.add(128, record.line,
                       fmt::format("{}: a {} core has no {}, or no such flag or mutex", call_name(record.call),
                                   is_cube ? "cube" : "vector", pipe_name(record.pipe)));
    }
    return;
  }
  record.registers = registers;
  record.issue_time = time[kPipeS];
  if (record.call == kLock || record.call == kUnlock) note_lock(record);
  if (record.pipe == kPipeS) {
    if (record.call == kBarrier) return;
    block_until([&] { return ready(record); }, record.line);
    execute(record);
    issue_clock_ = nullptr;
    pump();
    return;
  }
  if (issue_clock_ == nullptr) issue_clock_ = std::make_shared<const Clock>(seen[kPipeS]);
  record.issued = issue_clock_;
  queues_[static_cast<size_t>(record.pipe)].push_back(std::move(record));
  pump();
}

bool Core::pump() {
  if (pumping_) return false;
  pumping_ = true;
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (int pipe = 0; pipe < kPipeCount; ++pipe) again |= advance(pipe);
    any |= again;
  }
  pumping_ = false;
  return any;
}

bool Core::advance(int pipe) {
  auto& queue = queues_[static_cast<size_t>(pipe)];
  bool any = false;
  while (!queue.empty() && ready(queue.front())) {
    Record record = std::move(queue.front());
    queue.pop_front();
    execute(record);
    any = true;
  }
  return any;
}

bool Core::idle() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.empty(); });
}

void Core::execute(Record& record) {
  // Often enough: no operation takes long, and each takes much longer than to look at the clock once in a while.
  constexpr uint64_t kBetweenLooks = 8;
  if (++machine.progress % kBetweenLooks == 0) machine.look_up();
  const auto pipe = static_cast<size_t>(record.pipe);
  if (record.issued != nullptr) join(seen[pipe], *record.issued);
  time[pipe] = std::max(time[pipe], record.issue_time);
  if (record.call >= kNotify) return synchronise(record);
  unit_flags(record, true);
  Core* before = machine.current;
  machine.enter(*this);
  Operation operation(*this, record.call, record.line, record.pipe);
  perform(*this, record, operation);
  if (before != nullptr) machine.enter(*before);
  time[pipe] = machine.cost.spend(number, record, time[pipe], cycles_of(record, operation.bytes()));
  unit_flags(record, false);
}

void Core::barrier_all(int line) {
  block_until([&] { return idle(); }, line);
  Clock all = seen[kPipeS];
  double latest = 0;
  for (int pipe = 0; pipe < kPipeCount; ++pipe) {
    join(all, seen[static_cast<size_t>(pipe)]);
    all[own_index(pipe)] = sequence[static_cast<size_t>(pipe)];
    latest = std::max(latest, time[static_cast<size_t>(pipe)]);
  }
  for (Clock& clock : seen) clock = all;
  std::fill(time.begin(), time.end(), latest);
  issue_clock_ = nullptr;
}

void Core::configure(int call, const int64_t* args, int line) {
  switch (call) {
    case kSetPadValue:
      registers.pad_value = static_cast<uint64_t>(args[0]);
      registers.pad_set = true;
      return;
    case kSetNzPara:
      std::copy_n(args, 4, registers.nz.begin());
      registers.nz_set = true;
      return;
    case kSetDrainPara:
      std::copy_n(args, 3, registers.drain.begin());
      registers.drain_set = true;
      return;
    case kSetAtomic:
      registers.atomic = static_cast<int>(args[0]);
      atomic_line = line;
      registers.atomic_element = static_cast<int>(args[1]);
      return;
    case kSetHf32:
      registers.hf32 = args[0] != 0;
      return;
    case kSetDirection:
      registers.direction = static_cast<int>(args[0]);
      return;
    case kInit:
      registers = {};
      return;
    default:
      TL_CHECK(false, "unknown register");
  }
}

const char* call_name(int call) {
  constexpr const char* kNames[] = {"",
                                    "a thread",
                                    "the scalar unit",
                                    "asc_vf_call",
                                    "asc_copy_gm2ub_align",
                                    "asc_copy_ub2gm_align",
                                    "asc_copy_ub2l1",
                                    "asc_copy_gm2l1_nd2nz",
                                    "asc_copy_gm2l1_dn2nz",
                                    "asc_fill_l1",
                                    "asc_copy_l12l0a",
                                    "asc_copy_l12l0b",
                                    "asc_copy_l12l0a_transpose",
                                    "asc_copy_l12l0b_transpose",
                                    "asc_mmad",
                                    "asc_copy_l0c2gm",
                                    "asc_copy_l0c2ub",
                                    "asc_sync_notify",
                                    "asc_sync_wait",
                                    "asc_sync_pipe",
                                    "asc_lock",
                                    "asc_unlock",
                                    "asc_sync_intra_arrive",
                                    "asc_sync_intra_wait",
                                    "asc_sync_block_arrive",
                                    "asc_sync_block_wait",
                                    "asc_sync_subblock_arrive",
                                    "asc_sync_subblock_wait",
                                    "asc_sync_inter_arrive",
                                    "asc_sync_inter_wait"};
  return call >= 0 && call < static_cast<int>(std::size(kNames)) ? kNames[call] : "a call";
}

const char* pipe_name(int pipe) {
  constexpr const char* kNames[] = {"PIPE_S",    "PIPE_V",    "PIPE_M",   "PIPE_MTE1",
                                    "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL"};
  return pipe >= 0 && pipe < static_cast<int>(std::size(kNames)) ? kNames[pipe] : "such pipe";
}

}  // namespace tl::simulate::ascend
