#include <fmt/format.h>

#include <numeric>

#include "simulate/grid_launch.h"
#include "simulate/statement.h"

namespace tl::simulate {

Permutation::Permutation(int64_t n, uint64_t seed) : n_(static_cast<uint64_t>(std::max<int64_t>(1, n))) {
  if (seed == 0 || n_ == 1) return;
  // A multiplier without a common factor visits every number once; both stay below 2^31, so no product overflows.
  const uint64_t mixed = seed * 0x9E3779B97F4A7C15u ^ seed >> 7;
  step_ = mixed % std::min<uint64_t>(n_, uint64_t{1} << 31);
  while (std::gcd(step_, n_) != 1) ++step_;
  start_ = (mixed >> 20) % n_;
}

namespace {

/// Everything in a launch has at most this many programs, and a parallel loop this many points: members are 32 bits.
constexpr int64_t kMostMembers = int64_t{1} << 31;

int64_t product(Machine& m, uint32_t site, const std::vector<int64_t>& extents, int code, std::string_view what) {
  int64_t n = 1;
  for (const int64_t extent : extents) {
    if (extent < 0) stop(code, m.sites[site].loc, fmt::format("{} has the negative extent {}", what, extent));
    if (extent == 0) return 0;
    if (n > kMostMembers / extent) stop(code, m.sites[site].loc, fmt::format("{} has more than 2^31 points", what));
    n *= extent;
  }
  return n;
}

std::vector<int64_t> integers(Machine& m, const LaneSet& lanes, const NodeList& nodes) {
  std::vector<int64_t> out;
  for (const NodePtr& node : nodes) out.push_back(static_cast<int64_t>(node->scalar(m, lanes)));
  return out;
}

class LaunchStatement final : public Statement {
 public:
  LaunchStatement(uint32_t site, LaunchPlan plan, LaunchCode code, std::function<LaunchCode()> code_again)
      : Statement(site), plan_(std::move(plan)), code_(std::move(code)), code_again_(std::move(code_again)) {}

  void run(Machine& m, LaneSet& lanes) override {
    const std::vector<int64_t> grid = integers(m, lanes, plan_.grid);
    const int64_t programs = product(m, site(), grid, 71, "the grid");
    if (agents_.group.empty()) make_agents(m);
    m.timeline.start_launch();
    m.first_program = m.timeline.program() + 1;
    m.grid = grid;
    m.threads = plan_.threads;
    m.program_order.clear();
    m.in_launch = true;
    const ProgramRun run{[&](int64_t linear, const LaunchCode& code) { begin_program(m, linear, code); },
                         [&](const LaunchCode& code) { run_program(m, code); }};
    if (code_again_ != nullptr) {
      run_together(m, site(), programs, code_again_, run);
    } else {
      const Permutation order(programs, m.options.order_seed);
      for (int64_t i = 0; i < programs; ++i) {
        run.begin(order(i), code_);
        run.body(code_);
      }
    }
    m.in_launch = false;
    m.program = {};
    m.timeline.end_launch();
  }

 private:
  void make_agents(Machine& m) {
    agents_.program = m.agents.add();
    agents_.points = m.agents.add();
    agents_.thread_count = plan_.thread_count;
    agents_.group = {agents_.program};
    if (!plan_.has_threads) return;
    agents_.threads = m.agents.add(static_cast<uint32_t>(plan_.thread_count));
    if (plan_.moves_asynchronously) agents_.moves = m.agents.add(static_cast<uint32_t>(plan_.thread_count));
    for (int i = 0; i < plan_.thread_count; ++i) agents_.group.push_back(agents_.threads + static_cast<Agent>(i));
  }

  void begin_program(Machine& m, int64_t linear, const LaunchCode& code) {
    m.program = agents_;
    m.timeline.start_program();
    m.program_order.push_back(linear);
    for (const CopyDone& copy : m.copies_done) {
      if (!copy.waited_for) m.idle_copies.push_back(copy.agent);
    }
    m.copies_done.clear();
    m.closed_groups.clear();
    for (size_t d = 0; d < code.blocks.size(); ++d) {
      const int64_t extent = d < m.grid.size() ? m.grid[d] : 1;
      code.blocks[d]->values[0] = static_cast<Raw>(linear % extent);
      linear /= extent;
    }
    m.shared_memory.assign(static_cast<size_t>(plan_.shared_bytes), kUnwritten);
    m.agents.fork(m.host, m.program.program);
    m.meet();
  }

  void run_program(Machine& m, const LaunchCode& code) {
    const ActingAs as_program(m, World::kUniform, {m.program.program, false}, &Machine::zero);
    LaneSet lanes(1);
    lanes.set_range(0, 1);
    code.body.run(m, lanes);
  }

  LaunchPlan plan_;
  LaunchCode code_;
  std::function<LaunchCode()> code_again_;
  ProgramAgents agents_;
};

class ThreadsStatement final : public Statement {
 public:
  ThreadsStatement(uint32_t site, int thread_count, Body body)
      : Statement(site), body_(std::move(body)), lanes_(thread_count), members_(static_cast<size_t>(thread_count)) {
    std::iota(members_.begin(), members_.end(), 0u);
  }
  void run(Machine& m, LaneSet&) override {
    const Agent first = m.program.moving ? m.program.moves : m.program.threads;
    const ActingAs as_threads(m, World::kThreads, {first, true}, members_.data());
    lanes_.set_range(m.program.first_thread, m.program.thread_count);
    body_.run(m, lanes_);
  }

 private:
  Body body_;
  LaneSet lanes_;
  std::vector<uint32_t> members_;
};

class CollectiveStatement final : public Statement {
 public:
  CollectiveStatement(StatementPtr inner, std::string what)
      : Statement(inner->site()), inner_(std::move(inner)), what_(std::move(what)), one_(1) {}
  void run(Machine& m, LaneSet& lanes) override {
    if (m.world == World::kThreads && lanes.count() != m.program.thread_count) {
      m.report_divergent(site(), what_, lanes.count());
    }
    m.meet();
    {
      const ActingAs together(m, World::kUniform, {m.program.program, false}, &Machine::zero);
      one_.set_range(0, 1);
      inner_->run(m, one_);
    }
    m.meet();
  }

 private:
  StatementPtr inner_;
  std::string what_;
  LaneSet one_;
};

class GroupStatement final : public Statement {
 public:
  GroupStatement(uint32_t site, int first, int count, std::string name, bool in_order, Body body)
      : Statement(site),
        first_(first),
        count_(count),
        name_(std::move(name)),
        in_order_(in_order),
        body_(std::move(body)) {}

  bool is_ordered() const override { return in_order_; }
  void run(Machine& m, LaneSet&) override {
    if (agent_ == 0) {
      agent_ = m.agents.add();
      points_ = m.agents.add();
      m.name(agent_, name_);
      m.name(points_, "an iteration of " + name_);
    }
    if (in_order_) m.meet();
    const ProgramAgents outer = m.program;
    m.agents.acquire(agent_, m.agents.release(outer.program));
    m.program.program = agent_;
    m.program.points = points_;
    m.program.group = {agent_};
    m.program.first_thread = first_;
    m.program.thread_count = count_;
    m.program.in_group = true;
    for (int i = first_; outer.group.size() > 1 && i < first_ + count_; ++i) {
      m.program.group.push_back(outer.threads + static_cast<Agent>(i));
    }
    {
      const ActingAs as_group(m, World::kUniform, {agent_, false}, &Machine::zero);
      LaneSet lanes(1);
      lanes.set_range(0, 1);
      body_.run(m, lanes);
    }
    if (in_order_) m.meet();
    m.program = outer;
    if (in_order_) return m.agents.acquire(outer.program, m.agents.release(agent_));
    // Whoever meets later meets this group as well.
    auto& all = m.program.group;
    if (std::find(all.begin(), all.end(), agent_) == all.end()) all.push_back(agent_);
  }

 private:
  int first_, count_;
  std::string name_;
  /// Whether the program goes on when the group is done, rather than beside it.
  bool in_order_;
  Body body_;
  Agent agent_ = 0, points_ = 0;
};

class ParallelStatement final : public Statement {
 public:
  ParallelStatement(uint32_t site, std::vector<VarSlot*> vars, NodeList extents, Body body)
      : Statement(site),
        vars_(std::move(vars)),
        extents_(std::move(extents)),
        body_(std::move(body)),
        lanes_(kBatch),
        members_(kBatch) {}

  void run(Machine& m, LaneSet& outer) override {
    const std::vector<int64_t> extents = integers(m, outer, extents_);
    for (const int64_t extent : extents) {
      if (extent < 0) return;  // an empty range
    }
    const int64_t points = product(m, site(), extents, 66, "the parallel loop");
    m.point_extents = extents;
    m.agents.fork(m.actor.agent, m.program.points);
    {
      const ActingAs as_points(m, World::kPoints, {m.program.points, false}, members_.data());
      const Permutation order(points, m.options.order_seed);
      for (int64_t first = 0; first < points; first += kBatch) {
        const int count = static_cast<int>(std::min<int64_t>(kBatch, points - first));
        for (int i = 0; i < count; ++i) place(i, order(first + i), extents);
        lanes_.set_range(0, count);
        body_.run(m, lanes_);
      }
    }
    m.agents.join(m.actor.agent, m.program.points);
  }

 private:
  void place(int lane, int64_t point, const std::vector<int64_t>& extents) {
    members_[static_cast<size_t>(lane)] = static_cast<uint32_t>(point);
    for (size_t d = extents.size(); d-- > 0;) {
      vars_[d]->values[static_cast<size_t>(lane)] = static_cast<Raw>(point % extents[d]);
      point /= extents[d];
    }
  }

  std::vector<VarSlot*> vars_;
  NodeList extents_;
  Body body_;
  LaneSet lanes_;
  std::vector<uint32_t> members_;
};

}  // namespace

StatementPtr make_launch(uint32_t site, LaunchPlan plan, LaunchCode code, std::function<LaunchCode()> code_again) {
  return std::make_unique<LaunchStatement>(site, std::move(plan), std::move(code), std::move(code_again));
}

StatementPtr make_threads(uint32_t site, int thread_count, Body body) {
  return std::make_unique<ThreadsStatement>(site, thread_count, std::move(body));
}

StatementPtr make_collective(StatementPtr inner, std::string what) {
  return std::make_unique<CollectiveStatement>(std::move(inner), std::move(what));
}

StatementPtr make_group(uint32_t site, int first, int count, std::string name, bool in_order, Body body) {
  return std::make_unique<GroupStatement>(site, first, count, std::move(name), in_order, std::move(body));
}

StatementPtr make_parallel(uint32_t site, std::vector<VarSlot*> vars, NodeList extents, Body body) {
  return std::make_unique<ParallelStatement>(site, std::move(vars), std::move(extents), std::move(body));
}

}  // namespace tl::simulate
