// Where threads, groups and tile programs wait.

#include <fmt/format.h>

#include "simulate/statement.h"

namespace tl::simulate {
namespace {

class BarrierStatement final : public Statement {
 public:
  BarrierStatement(uint32_t site, int64_t count) : Statement(site), count_(count) {}
  void run(Machine& m, LaneSet& lanes) override {
    const int all = m.program.thread_count;
    const int reached = m.world == World::kThreads ? lanes.count() : all;
    if (m.program.in_group && count_ > all) {
      stop(90, m.sites[site()].loc,
           fmt::format("a barrier of {} threads in a group of {} cannot be interpreted", count_, all),
           "the interpreter runs groups one after another; use barriers of one group");
    }
    if (reached != (count_ > 0 ? count_ : all)) report(m, reached);
    if (reached == all) return m.meet();
    std::vector<Agent> agents;
    lanes.each([&](int lane) { agents.push_back(m.actor.agent + static_cast<Agent>(lane)); });
    m.agents.meet(agents);
  }

 private:
  void report(Machine& m, int reached) const {
    if (!m.check) return;
    if (count_ == 0) return m.report_divergent(site(), "a barrier", reached);
    m.findings.report(76, site(), 0, m.sites[site()], [&](Diagnostic& d) {
      d.message = fmt::format("a barrier of {} threads is reached by {}", count_, reached);
      d.help = "let exactly the threads that the barrier counts reach it";
    });
  }
  int64_t count_;
};

class GridBarrierStatement final : public Statement {
 public:
  using Statement::Statement;
  void run(Machine& m, LaneSet& lanes) override {
    if (m.world == World::kThreads && lanes.count() != m.program.thread_count) {
      m.report_divergent(site(), "a barrier of the grid", lanes.count());
    }
    m.meet_grid(site());
  }
};

class WaitStatement final : public Statement {
 public:
  WaitStatement(uint32_t site, NodeList tokens) : Statement(site), tokens_(std::move(tokens)) {}
  void run(Machine& m, LaneSet& lanes) override {
    for (const NodePtr& token : tokens_) m.wait_for(token->scalar(m, lanes));
  }

 private:
  NodeList tokens_;
};

}  // namespace

StatementPtr make_barrier(uint32_t site, int64_t count) { return std::make_unique<BarrierStatement>(site, count); }

StatementPtr make_grid_barrier(uint32_t site) { return std::make_unique<GridBarrierStatement>(site); }

StatementPtr make_wait(uint32_t site, NodeList tokens) {
  return std::make_unique<WaitStatement>(site, std::move(tokens));
}

}  // namespace tl::simulate
