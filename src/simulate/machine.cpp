#include "simulate/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::simulate {

std::string coordinates_text(int64_t linear, const std::vector<int64_t>& extents, bool x_first) {
  std::vector<int64_t> out(extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    const size_t d = x_first ? i : extents.size() - 1 - i;
    const int64_t extent = std::max<int64_t>(1, extents[d]);
    out[d] = linear % extent;
    linear /= extent;
  }
  return out.size() == 1 ? fmt::format("{}", out[0]) : fmt::format("({})", fmt::join(out, ", "));
}

void stop(int code, const Loc& loc, std::string message, std::string help) {
  Diagnostic d;
  d.code = code;
  d.loc = loc;
  d.message = std::move(message);
  d.help = std::move(help);
  throw CompileError(std::move(d));
}

std::string Machine::program_text(uint32_t serial) const {
  const size_t index = serial - first_program;
  if (!in_launch || index >= program_order.size()) return "the host";
  return fmt::format("tile program {}", coordinates_text(program_order[index], grid, true));
}

std::string Machine::name_of(Stamp stamp) const {
  const Event& event = timeline.at(stamp.event);
  const Agent agent = event.actor.agent;
  if (event.actor.one_each) {
    const bool moves = program.moves != 0 && agent == program.moves;
    return fmt::format("{}thread {}", moves ? "an asynchronous move of " : "",
                       coordinates_text(stamp.member, threads, true));
  }
  if (agent == program.points && !agents.alive_at(agent, event.time)) return "an earlier parallel loop";
  if (agent == program.points) return fmt::format("iteration {}", coordinates_text(stamp.member, point_extents, false));
  if (agent < agent_names.size() && !agent_names[agent].empty()) return agent_names[agent];
  if (agent == program.program && program.group.size() > 1) return "the threads together";
  return program_text(event.program);
}

Agent Machine::start_copy() {
  auto idle = std::find_if(idle_copies.begin(), idle_copies.end(),
                           [&](Agent copy) { return agents.may_fork(actor.agent, copy); });
  if (idle == idle_copies.end()) {
    idle = idle_copies.insert(idle, agents.add());
    name(*idle, "the asynchronous copy");
  }
  const Agent copy = *idle;
  idle_copies.erase(idle);
  agents.fork(actor.agent, copy);
  return copy;
}

void Machine::name(Agent agent, std::string text) {
  agent_names.resize(std::max<size_t>(agent_names.size(), agent + 1));
  agent_names[agent] = std::move(text);
}

void Machine::wait_for(uint64_t token) {
  TL_CHECK(token < copies_done.size(), "wait on something that is no token");
  CopyDone& copy = copies_done[token];
  agents.acquire(actor.agent, copy.clock);
  if (!copy.waited_for) idle_copies.push_back(copy.agent);
  copy.waited_for = true;
}

void Machine::report_outside(uint32_t site, const BufferSlot& buffer, const std::vector<int64_t>& indices,
                             bool writes) {
  if (!check) return;
  const bool negative = std::any_of(indices.begin(), indices.end(), [](int64_t i) { return i < 0; });
  const bool on_chip = buffer.memory->on_chip();
  // Behind the end of a global buffer lies the tail that parallel loops leave out by themselves.
  if (!on_chip && !negative && world == World::kPoints) return;
  findings.report(120, site, 0, sites[site], [&](Diagnostic& d) {
    d.severity = on_chip || negative ? Severity::kError : Severity::kWarning;
    d.message = fmt::format("{} `{}` outside of its shape ({})", writes ? "writes" : "reads",
                            buffer.element_text(indices), fmt::join(buffer.shape, ", "));
    d.help = !on_chip && !negative ? fmt::format("the access is left out{}; guard it with an `if` where that is meant",
                                                 writes ? "" : ", and reads as 0")
                                   : "guard the access with an `if`, or keep the index inside";
  });
}

void Machine::report_undefined(uint32_t site, const BufferSlot& buffer, int64_t element) {
  report_undefined(site, buffer, buffer.indices(element));
}

void Machine::report_undefined(uint32_t site, const BufferSlot& buffer, const std::vector<int64_t>& indices) {
  findings.report(121, site, 0, sites[site], [&](Diagnostic& d) {
    d.message = fmt::format("reads `{}`, which nothing has written", buffer.element_text(indices));
    d.help = "write it first, for instance with T.clear or T.fill";
  });
}

void order_threads(Machine& m, const LaneSet& lanes) {
  if (!m.check || m.world == World::kPoints || !m.in_launch || !m.options.implicit_barriers) return;
  if (m.world == World::kUniform || lanes.count() == m.program.thread_count) m.meet();
}

void Machine::report_race(uint32_t site, const BufferSlot& buffer, int64_t element, Stamp now, Race race, bool writes) {
  const Event& then = timeline.at(race.other.event);
  const Event& here = timeline.at(now.event);
  const bool other_program = then.program != here.program;
  const bool other_is_copy = !other_program && then.actor.agent < agent_names.size() &&
                             agent_names[then.actor.agent].starts_with("the asynchronous");
  const bool points = !other_program && then.actor.agent == here.actor.agent && here.actor.agent == program.points &&
                      agents.alive_at(program.points, then.time);
  // A variable or array of a thread that all threads keep alike is held once; it is still each thread's own.
  if (is_per_thread(buffer.buffer->space) && !points) return;
  const int code = points ? 122 : other_is_copy && !writes ? 121 : 123;
  findings.report(code, site, then.site, sites[site], [&](Diagnostic& d) {
    const std::string me = other_program ? program_text(here.program) : name_of(now);
    const std::string other = other_program ? program_text(then.program) : name_of(race.other);
    const std::string what = buffer.element_text(buffer.indices(element));
    if (writes && race.other_writes) {
      d.message = fmt::format("{} and {} both write `{}`", other, me, what);
    } else {
      d.message = fmt::format("{} {} `{}`, which {} {}", me, writes ? "writes" : "reads", what, other,
                              race.other_writes ? "writes" : "reads");
    }
    if (points) {
      d.help = "iterations of a parallel loop run in any order; give each element to one of them";
    } else if (other_program) {
      d.help = "tile programs run in any order; give each element to one of them, or use an atomic operation";
    } else {
      const bool other_is_move = program.moves != 0 && then.actor.agent == program.moves;
      d.help = other_is_copy   ? "wait for the copy first"
               : other_is_move ? "wait for the move first; other threads need a barrier behind the wait"
                               : "put a barrier (T.sync_threads) between the two";
    }
    const Site& second = sites[then.site];
    if (second.loc) d.notes.push_back({fmt::format("the other {}", race.other_writes ? "write" : "read"), second.loc});
  });
}

void Machine::report_zero_division(uint32_t site, bool remainder) {
  findings.report(124, site, 0, sites[site], [&](Diagnostic& d) {
    d.message = fmt::format("{} by zero, which gives 0", remainder ? "remainder of a division" : "integer division");
    d.help = "guard it with an `if` on the divisor";
  });
}

void Machine::report_divergent(uint32_t site, std::string_view what, int reached) {
  if (!check) return;
  findings.report(76, site, 0, sites[site], [&](Diagnostic& d) {
    d.message = fmt::format("{} is reached by {} of {} threads", what, reached, program.thread_count);
    d.help = "all threads of the group must take part; move it out of the branch or loop that depends on the thread";
  });
}

}  // namespace tl::simulate
