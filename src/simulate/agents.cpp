#include "simulate/agents.h"

#include <algorithm>

namespace tl::simulate {
namespace {

void raise(std::vector<uint32_t>& clock, const std::vector<uint32_t>& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

Agent Agents::add(uint32_t count) {
  const auto first = static_cast<Agent>(states_.size());
  states_.resize(states_.size() + count, State{empty_, now_, 0});
  return first;
}

Clock Agents::release(Agent agent) {
  auto clock = std::make_shared<std::vector<uint32_t>>(*states_[agent].seen);
  if (clock->size() <= agent) clock->resize(agent + 1);
  (*clock)[agent] = now_;
  states_[agent].released = now_++;
  return clock;
}

void Agents::acquire(Agent agent, const Clock& clock) {
  auto seen = std::make_shared<std::vector<uint32_t>>(*states_[agent].seen);
  raise(*seen, *clock);
  states_[agent].seen = std::move(seen);
}

void Agents::fork(Agent parent, Agent child) {
  states_[child].seen = release(parent);
  states_[child].born = now_;
}

void Agents::join(Agent parent, Agent child) { acquire(parent, release(child)); }

void Agents::meet(std::span<const Agent> agents) {
  auto joined = std::make_shared<std::vector<uint32_t>>();
  const std::vector<uint32_t>* last = nullptr;  // agents that met before share one clock
  for (const Agent agent : agents) {
    if (states_[agent].seen.get() != last) raise(*joined, *states_[agent].seen);
    last = states_[agent].seen.get();
    if (joined->size() <= agent) joined->resize(agent + 1);
    (*joined)[agent] = now_;
  }
  ++now_;
  const Clock shared = std::move(joined);
  for (const Agent agent : agents) states_[agent].seen = shared;
}

}  // namespace tl::simulate
