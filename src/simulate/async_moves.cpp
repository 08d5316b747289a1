#include "simulate/statement.h"

namespace tl::simulate {
namespace {

class AsyncMoves final : public Statement {
 public:
  explicit AsyncMoves(StatementPtr loop) : Statement(loop->site()), loop_(std::move(loop)) {}

  void run(Machine& m, LaneSet& lanes) override {
    if (m.program.moves == 0) return loop_->run(m, lanes);
    const auto start = [&](int lane) {
      const auto thread = static_cast<Agent>(lane);
      m.agents.acquire(m.program.moves + thread, m.agents.release(m.program.threads + thread));
    };
    const bool in_threads = m.world == World::kThreads;
    for (int t = 0; !in_threads && t < m.program.thread_count; ++t) start(m.program.first_thread + t);
    if (in_threads) lanes.each(start);
    const ActingAs as_moves(m, m.world, in_threads ? Actor{m.program.moves, true} : m.actor, m.members);
    m.program.moving = true;
    loop_->run(m, lanes);
    m.program.moving = false;
  }

 private:
  StatementPtr loop_;
};

/// All threads reach it together, as they do the wait.
class CommitStatement final : public Statement {
 public:
  using Statement::Statement;
  void run(Machine& m, LaneSet&) override {
    if (!m.check || m.program.moves == 0) return;
    std::vector<Clock>& group = m.closed_groups.emplace_back();
    for (int t = 0; t < m.program.thread_count; ++t) {
      group.push_back(m.agents.release(m.program.moves + static_cast<Agent>(t)));
    }
  }
};

class WaitForGroups final : public Statement {
 public:
  WaitForGroups(uint32_t site, int64_t pending) : Statement(site), pending_(static_cast<size_t>(pending)) {}
  void run(Machine& m, LaneSet&) override {
    if (m.closed_groups.size() <= pending_) return;
    // What a group has seen holds what the groups before it have.
    const std::vector<Clock>& last = m.closed_groups[m.closed_groups.size() - 1 - pending_];
    for (size_t t = 0; t < last.size(); ++t) m.agents.acquire(m.program.threads + static_cast<Agent>(t), last[t]);
  }

 private:
  size_t pending_;
};

}  // namespace

StatementPtr make_async_moves(StatementPtr loop) { return std::make_unique<AsyncMoves>(std::move(loop)); }

StatementPtr make_commit(uint32_t site) { return std::make_unique<CommitStatement>(site); }

StatementPtr make_wait_for_groups(uint32_t site, int64_t pending) {
  return std::make_unique<WaitForGroups>(site, pending);
}

}  // namespace tl::simulate
