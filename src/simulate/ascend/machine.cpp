#include "simulate/ascend/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "simulate/ascend/element_value.h"
#include "simulate/ascend/operation.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

thread_local Machine* t_machine = nullptr;

/// So few that they take less time than passes between polls, and so many that they cost nothing beside it.
constexpr uint32_t kTurnsBetweenLooks = 4096;
constexpr std::chrono::milliseconds kBetweenPolls{20};

/// One element, accessed by the scalar unit.
void* scalar_access(Machine& machine, int space, uint64_t address, int bytes, int line, int mode) {
  Operation operation(*machine.current, kScalarAccess, line, kPipeS);
  uint8_t *data = nullptr, *defined = nullptr;
  if (!operation.require(address % static_cast<uint64_t>(bytes) == 0, "the address of an element is not aligned")) {
    return machine.regions.nowhere();
  }
  if (space == kUb) {
    if (!operation.require(!machine.current->is_cube, "a cube core has no UB")) return machine.regions.nowhere();
    Memory& ub = machine.current->ub();
    const auto first = static_cast<int64_t>(address);
    if (!(mode == kRead ? operation.read(ub, first, bytes) : operation.write(ub, first, bytes))) {
      return machine.regions.nowhere();
    }
    data = &ub.bytes[address];
    defined = &ub.defined[address];
  } else {
    Tensor* tensor =
        mode == kRead ? operation.read_gm(address, bytes) : operation.write_gm(address, bytes, mode == kAtomic);
    if (tensor == nullptr) return machine.regions.nowhere();
    data = reinterpret_cast<uint8_t*>(address);
    if (!tensor->defined.empty()) defined = &tensor->defined[address - tensor->range.base];
  }
  if (defined == nullptr) return data;
  if (mode == kWrite) {
    std::fill_n(defined, bytes, uint8_t{1});
  } else if (std::find(defined, defined + bytes, 0) != defined + bytes) {
    operation.undefined(space_name(space), static_cast<int64_t>(address));
  }
  return data;
}

void on_issue(int call, const int64_t* args, int count, int line) {
  t_machine->current->issue(call, args, count, line);
}
void on_region(const void* function, void (*body)(const void*), const void* args, int bytes, Dim3 threads, int line) {
  auto call = std::make_unique<RegionCall>();
  call->body = body;
  call->threads = threads;
  call->args.resize((static_cast<size_t>(bytes) + 7) / 8);
  std::copy_n(static_cast<const uint8_t*>(args), bytes, reinterpret_cast<uint8_t*>(call->args.data()));
  const int bound = t_machine->program.bound(function);
  const int64_t count = int64_t{threads.x} * threads.y * threads.z;
  if (bound > 0 && count > bound && t_machine->book.wants(128, line, 0)) {
    t_machine->book.add(128, line, fmt::format("a region of {} threads, which is made for {}", count, bound));
  }
  t_machine->current->issue_region(std::move(call), line);
}
void* on_access(int space, uint64_t address, int bytes, int line, int mode) {
  if (t_machine->host.in_region != 0) return t_machine->regions.access(space, address, bytes, line, mode);
  return scalar_access(*t_machine, space, address, bytes, line, mode);
}
void on_suspect(uint64_t address, int bytes, int line, int mode) {
  t_machine->regions.suspect(address, bytes, line, mode);
}
void on_sync_threads(int line) {
  if (t_machine->host.in_region != 0) return t_machine->regions.sync_threads(line);
  if (t_machine->book.wants(128, line, 0)) t_machine->book.add(128, line, "asc_syncthreads outside of a SIMT region");
}
void on_warp(uint64_t value, int line, Lanes* lanes) {
  if (t_machine->host.in_region != 0) return t_machine->regions.warp(value, line, lanes);
  *lanes = {};
  if (t_machine->book.wants(128, line, 0)) t_machine->book.add(128, line, "a call of a warp outside of a SIMT region");
}
/// Of `(condition) && "place: Device assert failed: message"`, as the compiler writes assertions, the message; other
/// conditions, and those without one, as they are.
std::string text_of_assertion(std::string_view condition) {
  constexpr std::string_view kBegin = ": Device assert failed";
  const size_t at = condition.rfind(kBegin);
  if (at == std::string_view::npos || !condition.ends_with('"')) return std::string(condition);
  std::string_view message = condition.substr(at + kBegin.size());
  message.remove_suffix(1);
  if (message.empty()) return std::string(condition.substr(0, condition.rfind(" && \"")));
  std::string out;
  for (size_t i = 2; i < message.size(); ++i) out += message[i] == '\\' ? message[++i] : message[i];
  return out;
}

void on_fail(const char* condition, int line) {
  if (t_machine->book.wants(110, line, 0)) {
    t_machine->book.add(110, line, "assertion failed: " + text_of_assertion(condition));
  }
  throw AssertionFailed();
}

void on_look_up() {
  t_machine->host.turns = kTurnsBetweenLooks;
  t_machine->look_up();
}

void say(const std::string& line) {
  const auto& print = t_machine->options.print;
  t_machine->call_out([&] { print ? print(line) : fmt::print("{}\n", line); });
}

void on_print(const char* message, const char* buffer, int64_t index, int element, uint64_t bits) {
  std::string line = fmt::format("msg='{}' BlockIdx={}", message, t_machine->host.block);
  if (t_machine->host.in_region != 0) {
    const Dim3 at = t_machine->host.thread;
    line += fmt::format(" ThreadIdx=({}, {}, {})", at.x, at.y, at.z);
  }
  if (element != kNoElement) {
    if (buffer != nullptr) line += fmt::format(" buffer={} index={}", buffer, index);
    line += fmt::format(": dtype={} value={}", element_name(element),
                        element_text(reinterpret_cast<const uint8_t*>(&bits), element));
  }
  say(line);
}

void on_write(const char* text) {
  // A line at a time, as others print; what has no end is one.
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    say(line);
  }
}

/// While it lives, the kernel's calls reach one machine.
class Running {
 public:
  explicit Running(Machine& machine) : machine_(machine) {
    t_machine = &machine;
    *machine.program.host() = &machine.host;
  }
  ~Running() {
    *machine_.program.host() = nullptr;
    t_machine = nullptr;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Machine& machine_;
};

}  // namespace

Machine::Machine(const Program& prog, const Launch& what, const RunOptions& opts)
    : program(prog),
      launch(what),
      options(opts),
      book(prog, opts.max_findings),
      gm(what.memory),
      cost(opts.timeline),
      regions(*this, opts.ub_limit) {
  regions.attach(host);
  host.blocks = static_cast<int32_t>(launch.blocks);
  host.issue = on_issue;
  host.region = on_region;
  host.access = on_access;
  host.suspect = on_suspect;
  host.sync_threads = on_sync_threads;
  host.warp = on_warp;
  host.fail = on_fail;
  host.print = on_print;
  host.look_up = on_look_up;
  host.turns = kTurnsBetweenLooks;
  host.write = on_write;
}

Machine::~Machine() = default;

uint32_t Machine::site(const Site& site) {
  const auto [it, is_new] = site_index_.try_emplace(site, static_cast<uint32_t>(sites_.size()));
  if (is_new) sites_.push_back(site);
  return it->second;
}

void Machine::enter(Core& core) {
  current = &core;
  host.is_cube = core.is_cube;
  host.sub_block = core.sub_block;
  host.block = static_cast<int32_t>(core.block);
  if (core.is_cube) {
    host.ub = host.ub_defined = nullptr;
    host.ub_bytes = 0;
  } else {
    host.ub = core.ub().bytes.data();
    host.ub_defined = core.ub().defined.data();
    host.ub_bytes = core.ub().bytes.size();
  }
}

RunReport Machine::run() {
  const Kernel& kernel = program.kernel(launch.kernel);
  const int64_t together = kernel.all_alive != 0 ? std::max<int64_t>(launch.blocks, 1) : 1;
  const bool cube = kernel.kind != 0, mixed = kernel.kind == 2;
  for (int64_t b = 0; b < together; ++b) {
    BlockMemories& memory = *memories_.emplace_back(std::make_unique<BlockMemories>(cube,
                                                                                    mixed  ? 2
                                                                                    : cube ? 0
                                                                                           : 1,
                                                                                    options.ub_limit));
    if (cube) cores.push_back(std::make_unique<Core>(*this, memory, true, 0));
    for (int v = 0; v < (mixed ? 2 : cube ? 0 : 1); ++v) {
      cores.push_back(std::make_unique<Core>(*this, memory, false, v));
    }
  }
  const Running running(*this);
  try {
    for (int64_t b = 0; b < launch.blocks && !abandoned; b += together) {
      look_up();
      run_group(b, together);
    }
  } catch (const AssertionFailed&) {
    // It is in the book. On a machine it ends the kernel, so what flags and memories have come to says nothing.
  }
  RunReport report;
  report.findings = book.take();
  report.dropped = book.dropped();
  report.cost = cost.total(launch.blocks, cube);
  report.timeline = cost.take_events();
  return report;
}

void Machine::run_group(int64_t first_block, int64_t blocks) {
  for (const auto& memory : memories_) memory->reset();
  const size_t each = cores.size() / static_cast<size_t>(blocks);
  const uint32_t first = next_core_;
  for (size_t i = 0; i < cores.size(); ++i) {
    cores[i]->start(next_core_++, static_cast<uint32_t>(i), first, cores.size(),
                    first_block + static_cast<int64_t>(i / each));
  }
  if (cores.size() == 1) {
    run_alone(*cores[0]);
  } else {
    run_together();
  }
  if (abandoned) {
    if (cores.size() == 1) report_deadlock();
    return;
  }
  double latest = 0;
  for (const auto& core : cores) {
    core->check_exit();
    latest = std::max(latest, *std::max_element(core->time.begin(), core->time.end()));
  }
  cost.end_block(latest);
}

void Machine::run_alone(Core& core) {
  enter(core);
  try {
    program.kernel(launch.kernel).enter(launch.words.data());
  } catch (const Abandoned&) {
    abandoned = true;
    return;
  }
  core.pump();
  abandoned = !core.idle();
}

bool Machine::resume_all(const std::vector<std::unique_ptr<Fiber>>& fibers) {
  bool running = false;
  for (size_t i = 0; i < cores.size(); ++i) {
    if (fibers[i]->ended()) continue;
    enter(*cores[i]);
    fiber = fibers[i].get();
    try {
      fibers[i]->resume();
    } catch (const Abandoned&) {
    }
    running |= !fibers[i]->ended();
  }
  fiber = nullptr;
  return running;
}

void Machine::run_fibers(const std::vector<std::unique_ptr<Fiber>>& fibers) {
  for (uint64_t before = ~uint64_t{0}; before != progress;) {
    before = progress;
    const bool running = resume_all(fibers);
    for (const auto& core : cores) core->pump();
    if (!running && before == progress) break;
  }
}

void Machine::run_together() {
  std::vector<std::unique_ptr<Fiber>> fibers;
  while (fibers.size() < cores.size()) {
    fibers.push_back(std::make_unique<Fiber>([this] {
      if (!abandoned) program.kernel(launch.kernel).enter(launch.words.data());
    }));
  }
  std::exception_ptr error;
  try {
    run_fibers(fibers);
  } catch (...) {
    error = std::current_exception();
  }
  abandoned = error != nullptr ||
              std::any_of(cores.begin(), cores.end(), [](const auto& core) { return !core->idle(); }) ||
              std::any_of(fibers.begin(), fibers.end(), [](const auto& f) { return !f->ended(); });
  if (!abandoned) return;
  if (error == nullptr) report_deadlock();
  // The others end where they stand: their frames own memory.
  resume_all(fibers);
  if (error != nullptr) std::rethrow_exception(error);
}

void Machine::report_deadlock() {
  std::vector<std::string> lines;
  int line = 0;
  for (const auto& core : cores) {
    for (std::string& text : core->waiting(line)) lines.push_back(std::move(text));
  }
  if (!book.wants(127, line, 0)) return;
  std::string message = "the kernel never ends: ";
  for (size_t i = 0; i < lines.size(); ++i) message += (i == 0 ? "" : "; ") + lines[i];
  book.add(127, line, std::move(message));
}

void Machine::call_out(const std::function<void()>& f) {
  Fiber* const core = fiber;
  const std::function<void()> from_core = [&] { core != nullptr ? core->outside(f) : f(); };
  Fiber* const thread = regions.fiber();
  thread != nullptr ? thread->outside(from_core) : from_core();
}

void Machine::look_up() {
  if (!options.poll) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_poll_) return;
  next_poll_ = now + kBetweenPolls;
  call_out(options.poll);
}

RunReport run(const Program& program, const Launch& launch, const RunOptions& options) {
  static std::timed_mutex turn;
  std::unique_lock lock(turn, std::defer_lock);
  if (!options.poll) lock.lock();
  while (!lock.owns_lock() && !lock.try_lock_for(kBetweenPolls)) options.poll();
  return Machine(program, launch, options).run();
}

Program::Program(const SymbolLookup& find, std::string file, std::vector<std::string> headers)
    : host_(static_cast<Host**>(find("tl_ascend_host"))),
      kernels_(static_cast<const Kernel*>(find("tl_ascend_kernels"))),
      bounds_(static_cast<const RegionBound*>(find("tl_ascend_bounds"))),
      file_(std::move(file)),
      headers_(std::move(headers)) {
  TL_CHECK(host_ != nullptr && kernels_ != nullptr && bounds_ != nullptr, "not a text made for the simulator");
}

const Kernel& Program::kernel(const std::string& name) const {
  const Kernel* kernel = kernels_;
  while (kernel->name != nullptr && kernel->name != name) ++kernel;
  TL_CHECK(kernel->name != nullptr, "the text has no kernel " + name);
  return *kernel;
}

int Program::bound(const void* region) const {
  const RegionBound* bound = bounds_;
  while (bound->function != nullptr && bound->function != region) ++bound;
  return bound->threads;
}

}  // namespace tl::simulate::ascend
