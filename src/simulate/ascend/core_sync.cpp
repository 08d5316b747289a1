#include <fmt/format.h>

#include <algorithm>

#include "simulate/ascend/core.h"
#include "simulate/ascend/machine.h"

// Flags, mutexes and arrivals of a core: what each waits for, and what passes from one pipe to another by them.

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

constexpr int kFlags = 8, kMutexes = 32, kArrivals = 16, kMostArrivals = 15;

bool is_cross_core(int call) { return call >= kIntraArrive && call <= kInterWait; }
bool is_arrive(int call) { return is_cross_core(call) && (call - kIntraArrive) % 2 == 0; }
/// 0 intra, 1 block, 2 subblock, 3 inter.
int mode_of(int call) { return (call - kIntraArrive) / 2; }
std::tuple<int, int, int> flag_key(const Record& r) {
  return {static_cast<int>(r.args[0]), static_cast<int>(r.args[1]), static_cast<int>(r.args[2])};
}
std::string flag_text(const Record& r) {
  return fmt::format("({}, {}, {})", pipe_name(static_cast<int>(r.args[0])), pipe_name(static_cast<int>(r.args[1])),
                     r.args[2]);
}

}  // namespace

bool Core::check_flag(const Record& r) {
  const auto pipe = [](int64_t p) { return p >= 0 && p < kPipeCount; };
  if (r.call == kNotify || r.call == kWait) {
    return pipe(r.args[0]) && pipe(r.args[1]) && r.args[0] != r.args[1] && r.args[2] >= 0 && r.args[2] < kFlags;
  }
  if (r.call == kLock || r.call == kUnlock) return r.args[1] >= 0 && r.args[1] < kMutexes;
  const bool wide = is_cube && (r.call == kIntraArrive || r.call == kIntraWait);
  if (is_cross_core(r.call)) return r.args[1] >= 0 && r.args[1] < (wide ? 2 * kArrivals : kArrivals);
  return true;
}

void Core::note_lock(Record& r) {
  Mutex& mutex = mutexes_[static_cast<int>(r.args[1])];
  const bool locks = r.call == kLock;
  if (locks == (mutex.held_line != 0) && machine.book.wants(126, r.line, mutex.held_line)) {
    machine.book.add(126, r.line,
                     fmt::format("mutex {} is {}", r.args[1], locks ? "locked while it is held" : "not held here"),
                     mutex.held_line, locks ? "locked here" : "");
  }
  mutex.held_line = locks ? r.line : 0;
  r.ticket = mutex.unlocks_issued;
  mutex.unlocks_issued += locks ? 0 : 1;
}

bool Core::ready(const Record& r) const {
  if (r.call == kWait) {
    const auto it = flags_.find(flag_key(r));
    return it != flags_.end() && it->second.set;
  }
  if (r.call == kLock) {
    const auto it = mutexes_.find(static_cast<int>(r.args[1]));
    return r.args[2] != 0 || it->second.unlocks_done >= r.ticket;
  }
  if (is_cross_core(r.call) && !is_arrive(r.call)) {
    const std::vector<uint32_t> from = sources(r);
    return !from.empty() && std::all_of(from.begin(), from.end(), [&](uint32_t source) {
      const auto it = arrivals_.find({mode_of(r.call), static_cast<int>(r.args[1]), source});
      return it != arrivals_.end() && !it->second.empty();
    });
  }
  if (r.call == kMmad && r.args[6] >= 2) {
    const auto it = units_.find(r.args[0]);
    return it == units_.end() || !it->second.full;
  }
  const bool drains = r.call == kDrainGm || r.call == kDrainUb;
  if (drains && r.args[r.call == kDrainGm ? 6 : 8] >= 2) {
    const auto it = units_.find(r.args[1]);
    return it != units_.end() && it->second.full;
  }
  return true;
}

Signal Core::publish(int pipe, int line) const {
  Signal signal{seen[static_cast<size_t>(pipe)], time[static_cast<size_t>(pipe)], line};
  signal.clock[own_index(pipe)] = sequence[static_cast<size_t>(pipe)];
  return signal;
}

void Core::receive(int pipe, const Signal& signal) {
  join(seen[static_cast<size_t>(pipe)], signal.clock);
  time[static_cast<size_t>(pipe)] = std::max(time[static_cast<size_t>(pipe)], signal.time);
}

void Core::synchronise(Record& r) {
  switch (r.call) {
    case kNotify:
      return notify(r);
    case kWait:
      return wait(r);
    case kBarrier:
      seen[static_cast<size_t>(r.pipe)][own_index(r.pipe)] = sequence[static_cast<size_t>(r.pipe)];
      return;
    case kLock: {
      const Mutex& mutex = mutexes_[static_cast<int>(r.args[1])];
      if (!mutex.clock.empty()) receive(r.pipe, {mutex.clock, mutex.time, r.line});
      return;
    }
    case kUnlock: {
      Mutex& mutex = mutexes_[static_cast<int>(r.args[1])];
      const Signal signal = publish(r.pipe, r.line);
      mutex.clock.resize(signal.clock.size());
      join(mutex.clock, signal.clock);
      mutex.time = std::max(mutex.time, signal.time);
      ++mutex.unlocks_done;
      return;
    }
    default:
      break;
  }
  if (is_arrive(r.call)) return arrive(r);
  for (const uint32_t source : sources(r)) {
    auto& signals = arrivals_[{mode_of(r.call), static_cast<int>(r.args[1]), source}];
    receive(r.pipe, signals.front());
    signals.pop_front();
  }
}

void Core::notify(const Record& r) {
  Flag& flag = flags_[flag_key(r)];
  const int from = static_cast<int>(r.args[0]), to = static_cast<int>(r.args[1]);
  if (flag.set) {
    if (machine.book.wants(126, r.line, flag.signal.line, 1)) {
      machine.book.add(126, r.line, fmt::format("flag {} is set while it is set", flag_text(r)), flag.signal.line,
                       "set here before", "one asc_sync_wait for each asc_sync_notify");
    }
  } else if (flag.cleared > seen[static_cast<size_t>(from)][own_index(to)] &&
             machine.book.wants(126, r.line, flag.cleared_line, 2)) {
    machine.book.add(
        126, r.line,
        fmt::format("flag {} may be set before the wait for its last setting has cleared it", flag_text(r)),
        flag.cleared_line, "the wait, which nothing orders before this",
        fmt::format("a flag from {} back to {} between the two, or another id", pipe_name(to), pipe_name(from)));
  }
  const Signal signal = publish(from, r.line);
  if (flag.set) {
    join(flag.signal.clock, signal.clock);
    flag.signal.time = std::max(flag.signal.time, signal.time);
  } else {
    flag.signal = signal;
  }
  flag.set = true;
}

void Core::wait(const Record& r) {
  Flag& flag = flags_[flag_key(r)];
  receive(r.pipe, flag.signal);
  flag.set = false;
  flag.cleared = begin(r.pipe);
  flag.cleared_line = r.line;
}

std::vector<uint32_t> Core::sources(const Record& r) const {
  std::vector<uint32_t> out;
  const int mode = mode_of(r.call);
  for (const auto& core : machine.cores) {
    const bool same_block = core->block == block;
    const bool chosen =
        mode == 0   ? same_block && core->is_cube != is_cube && (!is_cube || core->sub_block == r.args[1] / kArrivals)
        : mode == 1 ? same_block && core->is_cube != is_cube
        : mode == 2 ? same_block && !core->is_cube && !is_cube && core.get() != this
                    : core->is_cube == is_cube;
    if (chosen) out.push_back(core->number);
  }
  return out;
}

void Core::arrive(const Record& r) {
  const int mode = mode_of(r.call);
  int id = static_cast<int>(r.args[1]);
  const Signal signal = publish(r.pipe, r.line);
  for (const auto& core : machine.cores) {
    const bool same_block = core->block == block;
    int64_t at = id;
    bool chosen = false;
    if (mode == 0 && same_block && core->is_cube != is_cube) {
      chosen = !is_cube || core->sub_block == id / kArrivals;
      at = is_cube ? id % kArrivals : id + kArrivals * sub_block;
    } else if (mode == 1) {
      chosen = same_block && core->is_cube != is_cube;
    } else if (mode == 2) {
      chosen = same_block && !core->is_cube && !is_cube && core.get() != this;
    } else if (mode == 3) {
      chosen = core->is_cube == is_cube;
    }
    if (!chosen) continue;
    auto& signals = core->arrivals_[{mode, static_cast<int>(at), number}];
    signals.push_back(signal);
    if (signals.size() > kMostArrivals && machine.book.wants(126, r.line, 0)) {
      machine.book.add(
          126, r.line,
          fmt::format("{}: more than {} arrivals that nobody has waited for", call_name(r.call), kMostArrivals));
    }
    if (core.get() != this) core->pump();
  }
}

void Core::unit_flags(const Record& r, bool before) {
  const bool drains = r.call == kDrainGm || r.call == kDrainUb;
  if (!drains && r.call != kMmad) return;
  const int64_t mode = r.args[r.call == kDrainUb ? 8 : 6];
  if (mode < 2) return;
  Unit& unit = units_[r.args[drains ? 1 : 0]];
  const Signal& awaited = drains ? unit.filled : unit.drained;
  if (before) {
    if (!awaited.clock.empty()) receive(r.pipe, awaited);
  } else if (mode == 3) {
    (drains ? unit.drained : unit.filled) = publish(r.pipe, r.line);
    unit.full = !drains;
  }
}

void Core::check_exit() {
  for (const auto& [key, flag] : flags_) {
    if (!flag.set || !machine.book.wants(126, flag.signal.line, 0, 3)) continue;
    machine.book.add(126, flag.signal.line,
                     fmt::format("flag ({}, {}, {}) is still set when the kernel ends", pipe_name(std::get<0>(key)),
                                 pipe_name(std::get<1>(key)), std::get<2>(key)),
                     0, {}, "wait for it behind the last use, or do not set it the last time");
  }
  for (const auto& [id, mutex] : mutexes_) {
    if (mutex.held_line != 0 && machine.book.wants(126, mutex.held_line, 0, 4)) {
      machine.book.add(126, mutex.held_line, fmt::format("mutex {} is still held when the kernel ends", id));
    }
  }
  for (const auto& [key, signals] : arrivals_) {
    if (!signals.empty() && machine.book.wants(126, signals.front().line, 0, 5)) {
      machine.book.add(126, signals.front().line,
                       fmt::format("an arrival at {} that nobody has waited for when the kernel ends", name()));
    }
  }
}

std::string Core::waits_for(const Record& r) const {
  if (r.call == kWait) {
    const auto& queue = queues_[static_cast<size_t>(r.args[0])];
    const auto setter = std::find_if(queue.begin(), queue.end(), [&](const Record& other) {
      return other.call == kNotify && flag_key(other) == flag_key(r);
    });
    if (setter == queue.end()) return fmt::format("flag {}, which nothing sets", flag_text(r));
    return fmt::format("flag {}, set at {} behind what {} waits for", flag_text(r),
                       machine.book.name_of_line(setter->line), pipe_name(static_cast<int>(r.args[0])));
  }
  if (r.call == kLock) return fmt::format("an unlock of mutex {}", r.args[1]);
  if (r.call == kBarrier) return "all pipes";
  if (is_cross_core(r.call)) return fmt::format("id {} from other cores", r.args[1]);
  return "a unit flag";
}

std::vector<std::string> Core::waiting(int& line) const {
  std::vector<std::string> out;
  for (int pipe = 0; pipe < kPipeCount; ++pipe) {
    const auto& queue = queues_[static_cast<size_t>(pipe)];
    if (queue.empty()) continue;
    const Record& r = queue.front();
    if (line == 0) line = r.line;
    out.push_back(fmt::format("{} of {} waits in {} at {} for {}", pipe_name(pipe), name(), call_name(r.call),
                              machine.book.name_of_line(r.line), waits_for(r)));
  }
  if (scalar_line != 0) {
    if (line == 0) line = scalar_line;
    out.push_back(fmt::format("PIPE_S of {} waits at {}", name(), machine.book.name_of_line(scalar_line)));
  }
  return out;
}

}  // namespace tl::simulate::ascend
