#pragma once

// From the IR to the form in which it runs: names become slots, dtypes choose loops, and every statement knows over
// which lanes it runs.

#include <fmt/core.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "ir/walk.h"
#include "simulate/thread_dependence.h"
#include "simulate/tile.h"

namespace tl::simulate {

/// A compiled function; it can run once for each binding of its parameters.
struct Program {
  std::deque<VarSlot> vars;
  std::deque<BufferSlot> buffers;
  std::unordered_map<const ExprNode*, VarSlot*> var_of;
  std::unordered_map<const BufferNode*, BufferSlot*> buffer_of;
  Body body;
  /// Buffers of each memory: bits of the smallest element any of them has.
  std::unordered_map<const BufferNode*, int> cell_bits;
  /// Single agents synchronise with each other, so that every concurrent reader counts.
  bool every_reader = false;

  int cell_bits_of(const Buffer& buffer) const;
};

/// Throws CompileError for what cannot run: TL090 externs, and statements where they have no meaning.
std::unique_ptr<Program> compile(const Function& function, Machine& machine);

class Compiler {
 public:
  Compiler(Machine& machine, Program& program) : m_(machine), program_(program) {}
  Body block(const Block& block);
  VarSlot* define(const Var& var, bool varies);
  BufferSlot* define(const Buffer& buffer, bool is_private);

 private:
  struct Where {
    World world = World::kUniform;
    int width = 1;
  };

  // compile_expr.cpp
  NodePtr expr(const Expr& e);
  NodeList exprs(const std::vector<Expr>& list);
  /// Indices, offsets and extents, whose signed arithmetic does not wrap.
  NodeList indices(const std::vector<Expr>& list);
  /// A loop bound: signed arithmetic in it does not wrap.
  NodePtr bound(const Expr& e);
  NodePtr call(const CallNode& node);
  BufferSlot* use(const Buffer& buffer);
  TileRefPtr region(const Region& region);

  // compile.cpp
  StatementPtr statement(const Op& op);
  StatementPtr in_world(const Op& op);
  template <class F>
  auto with(Where where, F&& f);
  bool threads_differ(const Op& op) const { return threads_ != nullptr && threads_->runs_per_thread(op); }
  /// A statement of all threads together.
  template <class F>
  StatementPtr collective(const Op& op, const char* what, F&& make);
  /// A tile operation: of all threads together, or of each thread on its own memory.
  template <class F>
  StatementPtr tile_statement(const Op& op, const char* what, F&& make);
  void need_launch(const Op& op) const;
  static int64_t number_in(const Attrs& hints, const char* name, int64_t otherwise);
  bool is_private_here(const Buffer& buffer) const;

  StatementPtr compile(const Launch& op);
  LaunchCode launch_code(const Launch& op, const ThreadDependence& dependence);
  StatementPtr compile(const Group& op);
  StatementPtr compile(const For& op);
  StatementPtr compile(const Parallel& op);
  StatementPtr compile(const If& op);
  StatementPtr compile(const While& op);
  StatementPtr compile(const Break& op);
  StatementPtr compile(const Continue& op);
  StatementPtr compile(const Bind& op);
  StatementPtr compile(const Alloc& op);
  StatementPtr compile(const View& op);
  StatementPtr compile(const Store& op);
  StatementPtr compile(const Evaluate& op);
  StatementPtr compile(const Assert& op);
  StatementPtr compile(const Assume& op);
  StatementPtr compile(const Print& op);
  StatementPtr compile(const Copy& op);
  StatementPtr compile(const Fill& op);
  StatementPtr compile(const Gemm& op);
  StatementPtr compile(const Reduce& op);
  StatementPtr compile(const Scan& op);
  StatementPtr compile(const Relayout& op);
  StatementPtr compile(const Barrier& op);
  StatementPtr compile(const AsyncCopy& op);
  StatementPtr compile(const Wait& op);
  StatementPtr compile(const ThreadCommit& op);
  StatementPtr compile(const ThreadWait& op);
  StatementPtr compile(const ThreadReduce& op);
  /// Programs of engines have their meaning as Ascend C.
  StatementPtr compile(const CoreLaunch& op) { stop(90, op.loc, "the program of an AI core"); }
  StatementPtr compile(const CoreSet& op) { stop(90, op.loc, "a flag of an AI core"); }
  StatementPtr compile(const CoreWait& op) { stop(90, op.loc, "a flag of an AI core"); }
  StatementPtr compile(const CoreBarrier& op) { stop(90, op.loc, "a barrier of an AI core"); }

  Machine& m_;
  Program& program_;
  Where where_;
  const ThreadDependence* threads_ = nullptr;
  int thread_count_ = 1;
  Loc here_;
  uint32_t site_ = 0;
  /// Innermost last; null marks a parallel loop, which nothing can break out of.
  std::vector<Loop*> loops_;
  std::unordered_map<const VarSlot*, World> var_world_;
  std::unordered_map<const BufferSlot*, World> buffer_world_;
};

template <class F>
auto Compiler::with(Where where, F&& f) {
  const Where outer = std::exchange(where_, where);
  auto result = f();
  where_ = outer;
  return result;
}

template <class F>
StatementPtr Compiler::collective(const Op& op, const char* what, F&& make) {
  need_launch(op);
  if (where_.world == World::kPoints) stop(62, op.loc, fmt::format("{} inside a parallel loop", what));
  StatementPtr inner = with({}, make);
  return threads_->any() ? make_collective(std::move(inner), what) : std::move(inner);
}

template <class F>
StatementPtr Compiler::tile_statement(const Op& op, const char* what, F&& make) {
  if (!threads_differ(op)) return collective(op, what, [&] { return make(false); });
  bool own_memory = false;
  for_each_region(op, [&](const RegionAccess& access) { own_memory |= is_per_thread(access.region->buffer->space); });
  if (!own_memory) {
    stop(76, op.loc, fmt::format("{} of a region that depends on the thread", what),
         "all threads take part in it together, so they must name one region");
  }
  return make(true);
}

}  // namespace tl::simulate
