#pragma once

// Shadow memory: beside every element, whether it holds a value and who accessed it last. Two accesses to one element,
// at least one of them a write, must be ordered by the agents' clocks; if they are not, they race whatever the
// schedule.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulate/agents.h"

namespace tl::simulate {

/// Who acts. A team is one agent whose members act concurrently until they join together, as the points of a parallel
/// loop do; agents in a row, one a member, can synchronise one by one.
struct Actor {
  Agent agent = 0;
  /// Member m is agent `agent + m`; else all members are the team `agent`.
  bool one_each = false;
};

/// Accesses of one kind that differ in the member only: those of one place of the program between two edges.
struct Event {
  uint32_t time = 0;
  /// Serial number of the tile program; programs of one launch have no edges between them.
  uint32_t program = 0;
  Actor actor;
  /// Index into the machine's table of places.
  uint32_t site = 0;
};

/// An access: its event (0 = none) and the member.
struct Stamp {
  uint32_t event = 0;
  uint32_t member = 0;
  bool operator==(const Stamp&) const = default;
};

/// The events of a run and the order between them.
class Timeline {
 public:
  explicit Timeline(Agents& agents) : agents_(agents) { events_.emplace_back(); }

  /// The event of an access made now at `site`.
  uint32_t event(uint32_t site, Actor actor);
  const Event& at(uint32_t event) const { return events_[event]; }
  /// Tile programs from here on have no edges to those before, until `start_launch`.
  void start_program() { ++program_; }
  /// What happened before is seen by all programs of the launch.
  void start_launch() { first_program_ = program_ + 1; }
  void end_launch() { first_program_ = ++program_; }
  uint32_t program() const { return program_; }

  /// Whether `then` happened before `now`, which is an access made at this moment.
  bool ordered(Stamp then, Stamp now) const {
    if (then.event == 0 || then == now) return true;
    const Event &a = events_[then.event], &b = events_[now.event];
    if (a.program != b.program) return a.program < first_program_;
    const Agent agent = a.actor.agent + (a.actor.one_each ? then.member : 0);
    const Agent observer = b.actor.agent + (b.actor.one_each ? now.member : 0);
    if (agent == observer && !a.actor.one_each && agents_.alive_at(agent, a.time)) return then.member == now.member;
    return agents_.sees(observer, agent, a.time);
  }
  /// Members of one team: nothing but the team's end orders them.
  bool same_team(Stamp a, Stamp b) const;

 private:
  Agents& agents_;
  std::vector<Event> events_;
  std::vector<uint32_t> last_;  // by site
  uint32_t program_ = 0, first_program_ = 0;
};

/// The other access of a race, as `Shadow` finds it.
struct Race {
  Stamp other;
  bool other_writes;
};

class Shadow {
 public:
  /// `cells` elements. `accesses` says whether accesses are kept; `defined` whether elements start out with a value.
  /// With `every_reader` all concurrent readers of an element are kept, which edges between single agents need;
  /// without, two, which are enough where all agents of a program meet together.
  void reset(int64_t cells, bool accesses, bool defined, bool every_reader);

  bool defined(int64_t cell) const { return all_defined_ || defined_[static_cast<size_t>(cell)] != 0; }
  void define(int64_t first, int64_t count, bool defined = true);

  /// Records a read or a write; the race it is part of, if any, comes back with `other.event` not 0.
  Race read(const Timeline& timeline, int64_t cell, Stamp now);
  Race write(const Timeline& timeline, int64_t cell, Stamp now);

 private:
  static constexpr int64_t kPage = 1024;
  struct Cell {
    Stamp write, reads[2];
  };
  using Page = std::array<Cell, kPage>;
  Cell& at(int64_t cell) {
    auto& page = pages_[static_cast<size_t>(cell / kPage)];
    if (page == nullptr) page = std::make_unique<Page>();
    return (*page)[static_cast<size_t>(cell % kPage)];
  }
  void add_reader(const Timeline& timeline, int64_t cell, Cell& c, Stamp now);

  bool accesses_ = false, all_defined_ = false, every_reader_ = false;
  std::vector<uint8_t> defined_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<int64_t, std::vector<Stamp>> more_readers_;
};

}  // namespace tl::simulate
