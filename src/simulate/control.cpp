#include <fmt/format.h>

#include "simulate/statement.h"

namespace tl::simulate {

void count_step(Machine& m, uint32_t site) {
  constexpr int64_t kStepsBetweenPolls = 4096;
  if (++m.steps % kStepsBetweenPolls == 0 && m.options.poll) m.call_out(m.options.poll);
  if (m.steps != m.options.step_limit) return;
  stop(4, m.sites[site].loc, fmt::format("stopped after {} statements", m.steps),
       "make sure that the loop ends, or raise the step limit");
}

namespace {

// Wide enough for the distance of any two 64-bit numbers.
__extension__ typedef __int128 Wide;

Wide widened(DType t, Raw raw) { return t.is_int() ? Wide{static_cast<int64_t>(raw)} : Wide{raw}; }

class ForLoop final : public Loop {
 public:
  ForLoop(uint32_t site, int width, VarSlot* var, DType dtype, NodePtr begin, NodePtr end, NodePtr step)
      : Loop(site, width),
        var_(var),
        dtype_(dtype),
        begin_(std::move(begin)),
        end_(std::move(end)),
        step_(std::move(step)),
        one_trip_count_(!begin_->varies() && !end_->varies() && !step_->varies()),
        trips_(one_trip_count_ ? 1 : static_cast<size_t>(width)) {}

  void run(Machine& m, LaneSet& lanes) override {
    begin_values_ = begin_->eval(m, lanes);
    end_values_ = end_->eval(m, lanes);
    step_values_ = step_->eval(m, lanes);
    Wide most = 0;
    const auto count = [&](int lane) {
      const Wide trips = trips_of(m, lane);
      trips_[static_cast<size_t>(lane)] = trips;
      most = std::max(most, trips);
    };
    one_trip_count_ ? count(0) : lanes.each(count);
    // The nodes' values change when the body runs the same code again, so the counting starts from a copy.
    remember(lanes);
    live_ = lanes;
    for (Wide trip = 0; trip < most; ++trip) {
      if (!one_trip_count_) live_.retain([&](int lane) { return trip < trips_[static_cast<size_t>(lane)]; });
      if (!live_.any()) break;
      count_step(m, site());
      set_var(trip);
      iteration_ = live_;
      body_.run(m, iteration_);
    }
  }

 private:
  Wide trips_of(Machine& m, int lane) const {
    const Wide begin = widened(begin_->dtype(), begin_values_[lane]), end = widened(end_->dtype(), end_values_[lane]);
    const Wide step = widened(step_->dtype(), step_values_[lane]);
    if (step == 0) stop(65, m.sites[site()].loc, "the step of this loop is 0");
    const Wide distance = step > 0 ? end - begin : begin - end;
    const Wide stride = step > 0 ? step : -step;
    return distance <= 0 ? 0 : (distance + stride - 1) / stride;
  }
  void remember(const LaneSet& lanes) {
    first_.resize(var_->values.size());
    strides_.resize(var_->values.size());
    const auto one = [&](int lane) {
      first_[static_cast<size_t>(lane)] = begin_values_[lane];
      strides_[static_cast<size_t>(lane)] = step_values_[lane];
    };
    var_->varies ? lanes.each(one) : one(0);
  }
  void set_var(Wide trip) {
    const auto one = [&](int lane) {
      const auto i = static_cast<size_t>(lane);
      var_->values[i] = cast_raw(DType::i64(), dtype_, first_[i] + static_cast<Raw>(trip) * strides_[i]);
    };
    var_->varies ? live_.each(one) : one(0);
  }

  VarSlot* var_;
  DType dtype_;
  NodePtr begin_, end_, step_;
  bool one_trip_count_;
  std::vector<Wide> trips_;
  Values begin_values_{}, end_values_{}, step_values_{};
  std::vector<Raw> first_, strides_;
};

class WhileLoop final : public Loop {
 public:
  WhileLoop(uint32_t site, int width, NodePtr condition) : Loop(site, width), condition_(std::move(condition)) {}

  void run(Machine& m, LaneSet& lanes) override {
    live_ = lanes;
    while (live_.any()) {
      count_step(m, site());
      const Values condition = condition_->eval(m, live_);
      live_.retain([&](int lane) { return condition[lane] != 0; });
      iteration_ = live_;
      body_.run(m, iteration_);
    }
  }

 private:
  NodePtr condition_;
};

class IfStatement final : public Statement {
 public:
  IfStatement(uint32_t site, int width, NodePtr condition, Body then_body, Body else_body)
      : Statement(site),
        condition_(std::move(condition)),
        then_body_(std::move(then_body)),
        else_body_(std::move(else_body)),
        then_lanes_(width) {}

  void run(Machine& m, LaneSet& lanes) override {
    const Values condition = condition_->eval(m, lanes);
    if (!condition_->varies()) return (condition[0] != 0 ? then_body_ : else_body_).run(m, lanes);
    then_lanes_ = lanes;
    then_lanes_.retain([&](int lane) { return condition[lane] != 0; });
    lanes.remove(then_lanes_);
    if (then_lanes_.any()) then_body_.run(m, then_lanes_);
    if (lanes.any()) else_body_.run(m, lanes);
    lanes.add(then_lanes_);
  }

 private:
  NodePtr condition_;
  Body then_body_, else_body_;
  LaneSet then_lanes_;
};

class BreakStatement final : public Statement {
 public:
  BreakStatement(uint32_t site, Loop* loop) : Statement(site), loop_(loop) {}
  void run(Machine&, LaneSet& lanes) override { loop_->leave(lanes); }

 private:
  Loop* loop_;
};

class ContinueStatement final : public Statement {
 public:
  using Statement::Statement;
  void run(Machine&, LaneSet& lanes) override { lanes.clear(); }
};

}  // namespace

std::unique_ptr<Loop> make_for(uint32_t site, int width, VarSlot* var, DType dtype, NodePtr begin, NodePtr end,
                               NodePtr step) {
  return std::make_unique<ForLoop>(site, width, var, dtype, std::move(begin), std::move(end), std::move(step));
}

std::unique_ptr<Loop> make_while(uint32_t site, int width, NodePtr condition) {
  return std::make_unique<WhileLoop>(site, width, std::move(condition));
}

StatementPtr make_if(uint32_t site, int width, NodePtr condition, Body then_body, Body else_body) {
  return std::make_unique<IfStatement>(site, width, std::move(condition), std::move(then_body), std::move(else_body));
}

StatementPtr make_break(uint32_t site, Loop* loop) { return std::make_unique<BreakStatement>(site, loop); }

StatementPtr make_continue(uint32_t site) { return std::make_unique<ContinueStatement>(site); }

}  // namespace tl::simulate
