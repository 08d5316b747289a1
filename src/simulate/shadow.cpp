#include "simulate/shadow.h"

#include <algorithm>

namespace tl::simulate {

uint32_t Timeline::event(uint32_t site, Actor actor) {
  if (last_.size() <= site) last_.resize(site + 1);
  const Event& last = events_[last_[site]];
  const bool same = last_[site] != 0 && last.time == agents_.now() && last.program == program_ &&
                    last.actor.agent == actor.agent && last.actor.one_each == actor.one_each;
  if (!same) {
    last_[site] = static_cast<uint32_t>(events_.size());
    events_.push_back({agents_.now(), program_, actor, site});
  }
  return last_[site];
}

bool Timeline::same_team(Stamp a, Stamp b) const {
  const Event &x = events_[a.event], &y = events_[b.event];
  return x.program == y.program && !x.actor.one_each && !y.actor.one_each && x.actor.agent == y.actor.agent &&
         agents_.alive_at(x.actor.agent, x.time) && agents_.alive_at(y.actor.agent, y.time);
}

void Shadow::reset(int64_t cells, bool accesses, bool defined, bool every_reader) {
  accesses_ = accesses, all_defined_ = defined, every_reader_ = every_reader;
  defined_.assign(defined ? 0 : static_cast<size_t>(cells), 0);
  pages_.clear();
  pages_.resize(accesses ? static_cast<size_t>((cells + kPage - 1) / kPage) : 0);
  more_readers_.clear();
}

void Shadow::define(int64_t first, int64_t count, bool defined) {
  if (all_defined_) return;
  std::fill_n(defined_.begin() + first, count, static_cast<uint8_t>(defined));
}

void Shadow::add_reader(const Timeline& timeline, int64_t cell, Cell& c, Stamp now) {
  for (Stamp& read : c.reads) {
    if (timeline.ordered(read, now)) {
      read = now;
      return;
    }
  }
  // Whoever writes next without having seen the whole team races with one of the two that are kept.
  const bool enough = timeline.same_team(c.reads[0], now) && timeline.same_team(c.reads[1], now);
  if (every_reader_ && !enough) more_readers_[cell].push_back(now);
}

Race Shadow::read(const Timeline& timeline, int64_t cell, Stamp now) {
  if (!accesses_) return {};
  Cell& c = at(cell);
  Race race{};
  if (!timeline.ordered(c.write, now)) race = {c.write, true};
  add_reader(timeline, cell, c, now);
  return race;
}

Race Shadow::write(const Timeline& timeline, int64_t cell, Stamp now) {
  if (!accesses_) return {};
  Cell& c = at(cell);
  Race race{};
  if (!timeline.ordered(c.write, now)) race = {c.write, true};
  const auto check = [&](Stamp read) {
    if (race.other.event == 0 && !timeline.ordered(read, now)) race = {read, false};
  };
  check(c.reads[0]);
  check(c.reads[1]);
  if (every_reader_ && !more_readers_.empty()) {
    if (const auto more = more_readers_.find(cell); more != more_readers_.end()) {
      for (const Stamp read : more->second) check(read);
      more_readers_.erase(more);
    }
  }
  c = {now, {}};
  return race;
}

}  // namespace tl::simulate
