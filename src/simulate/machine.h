#pragma once

#include <string>
#include <vector>

#include "simulate/fiber.h"
#include "simulate/findings.h"
#include "simulate/memory.h"
#include "simulate/shadow.h"

namespace tl::simulate {

/// How many lanes a statement runs over: one for the whole tile program, one a thread, or one a point of a parallel
/// loop.
enum class World : uint8_t { kUniform, kThreads, kPoints };

/// The agents of the tile programs of one launch; programs run one after another, so they share the numbers.
struct ProgramAgents {
  Agent program = 0;  // what all threads do together
  Agent threads = 0;  // one each
  Agent points = 0;   // a team
  Agent moves = 0;    // what each thread moves asynchronously, one each; 0 where no thread does
  /// Whether threads that enter now act as their asynchronous moves.
  bool moving = false;
  /// Who meets at a barrier of the group that runs now: its threads, and the agent of what they do together.
  std::vector<Agent> group;
  /// Threads of that group.
  int first_thread = 0, thread_count = 1;
  bool in_group = false;
};

/// An asynchronous copy of the running program: who did it, and what has been done when it is done.
struct CopyDone {
  Agent agent;
  Clock clock;
  bool waited_for = false;
};

/// The state of a run that expressions and statements share.
struct Machine {
  explicit Machine(const InterpretOptions& o) : options(o), check(o.check), findings(o.max_findings), timeline(agents) {
    sites.emplace_back();
    host = agents.add();
    actor = {host, false};
    members = &zero;
  }
  Machine(const Machine&) = delete;

  const InterpretOptions& options;
  const bool check;
  Findings findings;
  std::vector<Site> sites;  // 0 is none
  /// The site that is given out next: code that is compiled again has the sites that it had.
  uint32_t next_site = 1;
  Agents agents;
  Timeline timeline;
  int64_t steps = 0;

  Agent host;
  ProgramAgents program;
  /// Who acts, and the member that each lane is.
  Actor actor;
  const uint32_t* members;
  World world = World::kUniform;
  /// By token.
  std::vector<CopyDone> copies_done;
  std::vector<Agent> idle_copies;
  /// What each thread's asynchronous moves have done, by closed group.
  std::vector<std::vector<Clock>> closed_groups;

  /// The stack that the program has for itself where programs wait for each other, and how it waits.
  Fiber* fiber = nullptr;
  std::function<void(uint32_t site)> meet_grid;

  // For messages and prints.
  bool in_launch = false;
  uint32_t first_program = 0;
  std::vector<int64_t> grid, threads, point_extents;
  /// Shared memory of the running block, in which buffers may share bytes.
  std::vector<uint8_t> shared_memory;
  std::vector<int64_t> program_order;    // linear number of each program started
  std::vector<std::string> agent_names;  // of asynchronous copies and groups, by agent

  static constexpr uint32_t zero = 0;

  Stamp stamp(uint32_t site, int lane) { return {timeline.event(site, actor), members[lane]}; }
  uint32_t add_site(Loc loc, const BufferNode* buffer = nullptr) {
    if (next_site == sites.size()) sites.push_back({std::move(loc), buffer});
    return next_site++;
  }
  /// All threads of the group that runs now, and what they do together, have seen each other's work.
  void meet() {
    if (program.group.size() > 1) agents.meet(program.group);
  }

  /// Calls code of who runs the interpreter, on the stack it knows.
  void call_out(const std::function<void()>& f) { fiber != nullptr ? fiber->outside(f) : f(); }

  /// An agent for an asynchronous copy that the present actor starts.
  Agent start_copy();
  void name(Agent agent, std::string text);
  /// The present actor has seen the work behind `token`.
  void wait_for(uint64_t token);

  // Findings. Each returns at once where the machine does not check.
  void report_outside(uint32_t site, const BufferSlot& buffer, const std::vector<int64_t>& indices, bool writes);
  void report_undefined(uint32_t site, const BufferSlot& buffer, int64_t element);
  void report_undefined(uint32_t site, const BufferSlot& buffer, const std::vector<int64_t>& indices);
  void report_race(uint32_t site, const BufferSlot& buffer, int64_t element, Stamp now, Race race, bool writes);
  void report_zero_division(uint32_t site, bool remainder);
  /// TL076: a collective statement that only some threads reach.
  void report_divergent(uint32_t site, std::string_view what, int reached);

  /// "tile program (0, 1)", "thread 5", "iteration (2, 3)".
  std::string name_of(Stamp stamp) const;
  std::string program_text(uint32_t serial) const;
};

/// "(2, 3)": the coordinates of a linear number, the first extent slowest; with `x_first` the first one fastest.
std::string coordinates_text(int64_t linear, const std::vector<int64_t>& extents, bool x_first);

/// Throws CompileError of one diagnostic.
[[noreturn]] void stop(int code, const Loc& loc, std::string message, std::string help = {});

}  // namespace tl::simulate
