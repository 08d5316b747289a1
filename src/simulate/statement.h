#pragma once

// Statements in the form in which they run. A statement runs for a set of lanes; `break` and `continue` take lanes out
// of the set, so what follows in the block no longer runs for them.

#include <functional>
#include <memory>
#include <vector>

#include "simulate/node.h"

namespace tl::simulate {

class Statement {
 public:
  explicit Statement(uint32_t site) : site_(site) {}
  virtual ~Statement() = default;
  Statement(const Statement&) = delete;
  uint32_t site() const { return site_; }
  /// `lanes` has at least one.
  virtual void run(Machine& m, LaneSet& lanes) = 0;
  /// Whether what follows is ordered behind it (see order_threads). Loops leave that to the statements in them; groups
  /// run beside each other.
  virtual bool is_ordered() const { return true; }

 private:
  uint32_t site_;
};
using StatementPtr = std::unique_ptr<Statement>;

/// Counts one step of the run; throws TL004 at the limit.
void count_step(Machine& m, uint32_t site);
/// Orders what follows a statement that all threads have run behind it. The language says so: between statements at
/// uniform control the compiler puts the barriers that shared memory needs. Inside a branch or loop that only some
/// threads take there is no such order.
void order_threads(Machine& m, const LaneSet& lanes);

struct Body {
  std::vector<StatementPtr> statements;
  void run(Machine& m, LaneSet& lanes) const {
    for (const StatementPtr& s : statements) {
      if (!lanes.any()) return;
      count_step(m, s->site());
      s->run(m, lanes);
      if (s->is_ordered()) order_threads(m, lanes);
    }
  }
};

/// Says who acts for as long as it lives.
class ActingAs {
 public:
  ActingAs(Machine& m, World world, Actor actor, const uint32_t* members)
      : m_(m), world_(m.world), actor_(m.actor), members_(m.members) {
    m.world = world, m.actor = actor, m.members = members;
  }
  ~ActingAs() { m_.world = world_, m_.actor = actor_, m_.members = members_; }
  ActingAs(const ActingAs&) = delete;

 private:
  Machine& m_;
  World world_;
  Actor actor_;
  const uint32_t* members_;
};

/// A loop that lanes may leave one by one.
class Loop : public Statement {
 public:
  Loop(uint32_t site, int width) : Statement(site), live_(width), iteration_(width) {}
  void set_body(Body body) { body_ = std::move(body); }
  bool is_ordered() const override { return false; }
  void leave(LaneSet& lanes) {
    live_.remove(lanes);
    lanes.clear();
  }

 protected:
  Body body_;
  LaneSet live_, iteration_;
};

// Control flow (control.cpp).
/// `dtype` is the variable's; the bounds may be wider.
std::unique_ptr<Loop> make_for(uint32_t site, int width, VarSlot* var, DType dtype, NodePtr begin, NodePtr end,
                               NodePtr step);
std::unique_ptr<Loop> make_while(uint32_t site, int width, NodePtr condition);
StatementPtr make_if(uint32_t site, int width, NodePtr condition, Body then_body, Body else_body);
StatementPtr make_break(uint32_t site, Loop* loop);
StatementPtr make_continue(uint32_t site);

// Data (data.cpp).
StatementPtr make_bind(uint32_t site, VarSlot* var, NodePtr value);
StatementPtr make_store(uint32_t site, std::unique_ptr<ElementRef> element, NodePtr value);
/// `copies` lanes own the memory; `cell_bits` see Memory.
/// `offset` is where the buffer lies in the shared memory of its block; below 0 it has memory of its own.
StatementPtr make_alloc(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr init, int copies,
                        int cell_bits, bool every_reader, int64_t offset = -1);
/// A buffer in memory that begins at `address`.
StatementPtr make_placed(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr address,
                         int cell_bits, bool every_reader);
StatementPtr make_view(uint32_t site, BufferSlot* buffer, BufferSlot* source, NodeList shape, NodeList strides);
/// Evaluates for what the checks find.
StatementPtr make_evaluate(uint32_t site, NodePtr value);
StatementPtr make_assert(uint32_t site, NodePtr condition, std::string message);
StatementPtr make_assume(uint32_t site, NodePtr condition, std::string text);

// Who runs what (launch.cpp).
/// What a tile program runs. Statements keep values of their own, so programs that are under way at once have code of
/// their own.
struct LaunchCode {
  std::vector<VarSlot*> blocks;
  Body body;
};

struct LaunchPlan {
  NodeList grid;
  std::vector<int64_t> threads;
  int thread_count = 1;
  /// Whether single threads or groups of them act on their own.
  bool has_threads = false;
  bool moves_asynchronously = false;
  /// Shared memory of a block in which buffers have their places.
  int64_t shared_bytes = 0;
};
/// `code_again` is set where programs wait for each other: code for each further program.
StatementPtr make_launch(uint32_t site, LaunchPlan plan, LaunchCode code, std::function<LaunchCode()> code_again);
/// Uniform code enters code of single threads: `body` runs for all threads of the group.
StatementPtr make_threads(uint32_t site, int thread_count, Body body);
/// All threads of the group run `inner` together, as one; what they did before is seen by it, and its work by them.
/// `what` names it in a message.
StatementPtr make_collective(StatementPtr inner, std::string what);
/// With `in_order` the group sees what the program did before, and the program goes on when the group is done; without,
/// it goes on beside it.
StatementPtr make_group(uint32_t site, int first, int count, std::string name, bool in_order, Body body);

// Where threads wait (barriers.cpp).
StatementPtr make_barrier(uint32_t site, int64_t count);
/// Of all programs of the launch.
StatementPtr make_grid_barrier(uint32_t site);
StatementPtr make_wait(uint32_t site, NodeList tokens);

// Asynchronous moves of threads (async_moves.cpp).
/// The moves of `loop` are done at once, but by an agent of each thread's own, so that whoever comes before the wait
/// races with it.
StatementPtr make_async_moves(StatementPtr loop);
StatementPtr make_commit(uint32_t site);
StatementPtr make_wait_for_groups(uint32_t site, int64_t pending);

/// Points are run in batches of this many.
inline constexpr int kBatch = 256;
StatementPtr make_parallel(uint32_t site, std::vector<VarSlot*> vars, NodeList extents, Body body);

/// The numbers 0 to n - 1 in another order, or in ascending order where `seed` is 0.
class Permutation {
 public:
  Permutation(int64_t n, uint64_t seed);
  int64_t operator()(int64_t i) const { return static_cast<int64_t>((static_cast<uint64_t>(i) * step_ + start_) % n_); }

 private:
  uint64_t n_, step_ = 1, start_ = 0;
};

}  // namespace tl::simulate
