#pragma once

// The clocks of a concurrent machine. An agent is anything that acts in program order of its own: a thread, a tile
// program, an asynchronous copy, an engine. Every synchronisation is an edge between agents: what one has done before
// it is seen by the other after it.
//
// Vector clocks after Mattern (1988), with one time for the whole machine: it advances at every edge, so an action is
// stamped with one number whoever performs it, and an agent's clock holds, for each other agent, the time up to which
// it has seen that agent's actions.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tl::simulate {

using Agent = uint32_t;
/// What an agent has seen, by agent; actions stamped with this time or an earlier one. Agents beyond the end: nothing.
using Clock = std::shared_ptr<const std::vector<uint32_t>>;

class Agents {
 public:
  Agents() : empty_(std::make_shared<const std::vector<uint32_t>>()) {}

  /// `count` consecutive agents that have seen nothing; the first one's number.
  Agent add(uint32_t count = 1);
  /// The stamp of actions performed now.
  uint32_t now() const { return now_; }

  /// A clock for others to acquire: all that `agent` has seen and done so far.
  Clock release(Agent agent);
  /// From here on `agent` has seen what is in `clock`.
  void acquire(Agent agent, const Clock& clock);
  /// `child` starts here, knowing what `parent` knows and has done. A number may live again, where `parent` has seen
  /// all of its earlier life (`may_fork`): what is seen of the new life would be taken for seen of the old one as well.
  void fork(Agent parent, Agent child);
  bool may_fork(Agent parent, Agent child) const { return sees(parent, child, states_[child].released); }
  /// `parent` has seen all that `child` has seen and done.
  void join(Agent parent, Agent child);
  /// A barrier: after it each has seen all that any has done before it.
  void meet(std::span<const Agent> agents);

  /// Whether `observer` acts after the action of `agent` stamped `time`. An agent sees its own actions since its last
  /// fork; those of an earlier life under the same number only as other agents do.
  bool sees(Agent observer, Agent agent, uint32_t time) const {
    const State& me = states_[observer];
    if (observer == agent && time >= me.born) return true;
    return agent < me.seen->size() && (*me.seen)[agent] >= time;
  }
  /// Whether the action belongs to the present life of `agent`.
  bool alive_at(Agent agent, uint32_t time) const { return time >= states_[agent].born; }

 private:
  struct State {
    Clock seen;
    uint32_t born;
    uint32_t released = 0;  // time of the last release
  };
  uint32_t now_ = 1;
  Clock empty_;
  std::vector<State> states_;
};

}  // namespace tl::simulate
