// Code on thread indices: every thread writes elements of its own; barriers stand between writing and reading.

#include <algorithm>
#include <numeric>

#include "program_generator.h"

namespace tl::testing {
namespace {

/// A value that differs from thread to thread.
Expr with_lane(const Expr& value, const Expr& lane) {
  const DType t = value.dtype();
  if (!t.is_bool()) return binary(BinaryOp::kAdd, value, cast(t, lane));
  return binary(BinaryOp::kBitXor, value, tl::equal(floormod(lane, Expr(2)), Expr(1)));
}

}  // namespace

void ProgramGenerator::threads() {
  const std::vector<Var> lanes = b_.lanes();
  const int64_t all = std::accumulate(threads_.begin(), threads_.end(), int64_t{1}, std::multiplies<>());
  Expr lane = lanes[0];
  int64_t below = threads_[0];
  for (size_t d = 1; d < threads_.size(); ++d) {
    lane = lane + lanes[d] * Expr(static_cast<int>(below));
    below *= threads_[d];
  }
  if (random_.chance(40)) lane = b_.bind(fresh("t"), lane);
  const size_t indices = indices_.size();
  indices_.push_back({lane, 0, all - 1});
  by_thread_ = true;
  switch (random_.pick(0, 2)) {
    case 0:
      thread_exchange(lane);
      break;
    case 1:
      thread_tree(lane);
      break;
    default:
      thread_rows(lane);
  }
  // Whatever comes next may read what other threads wrote.
  b_.barrier();
  by_thread_ = false;
  indices_.resize(indices);
}

/// Every thread leaves a value and takes another thread's.
void ProgramGenerator::thread_exchange(const Expr& lane) {
  const int64_t all = std::accumulate(threads_.begin(), threads_.end(), int64_t{1}, std::multiplies<>());
  const DType t = some_dtype();
  Tile& tile = new_tile(t, {all}, MemorySpace::kShared);
  tile.busy = true;
  b_.store(tile.buffer, {lane}, with_lane(value(t, 2).e, lane));
  b_.barrier();
  const Expr other = floormod(lane + Expr(static_cast<int>(random_.pick(1, 7))), Expr(static_cast<int>(all)));
  // The thread keeps it under a name, or in memory of its own.
  Expr mine = load(tile.buffer, {other});
  if (random_.chance(40)) {
    mine = b_.bind(fresh("m"), mine);
  } else {
    const Buffer place = b_.alloc(fresh("m"), t, {1}, random_.choose({MemorySpace::kVar, MemorySpace::kLocal}));
    b_.store(place, {0}, mine);
    mine = load(place, {Expr(0)});
  }
  b_.barrier();
  const bool guarded = random_.chance(40);
  if (guarded) b_.if_(lane < Expr(static_cast<int>(random_.pick(1, all))));
  const Expr c = boolean(1).e;
  b_.store(tile.buffer, {lane}, select(c, mine, value(t, 1).e));
  if (guarded) b_.end();
  tile.busy = false;
  wrote(tile, KnownValues::anything(), true);
}

/// Halves of the threads combine pairs, until one value is left.
void ProgramGenerator::thread_tree(const Expr& lane) {
  const int64_t all = std::accumulate(threads_.begin(), threads_.end(), int64_t{1}, std::multiplies<>());
  const DType t = random_.choose({DType::i32(), DType::u8(), DType::i64(), DType::f64()});
  Tile& tile = new_tile(t, {2 * all}, MemorySpace::kShared);
  tile.busy = true;
  b_.store(tile.buffer, {lane}, with_lane(value(t, 1).e, lane));
  b_.store(tile.buffer, {lane + Expr(static_cast<int>(all))}, constant(t).e);
  b_.barrier();
  const int64_t levels = random_.pick(1, 3);
  const Var level = b_.loop(fresh("k"), 0, static_cast<int>(levels));
  const Expr half = floordiv(Expr(static_cast<int>(all)), binary(BinaryOp::kShl, Expr(1), level));
  b_.if_(lane < half);
  const Expr sum = binary(BinaryOp::kMax, load(tile.buffer, {lane}), load(tile.buffer, {lane + half}));
  b_.store(tile.buffer, {lane}, sum);
  b_.end();
  b_.barrier();
  b_.end();
  tile.busy = false;
  wrote(tile, KnownValues::anything(), true);
}

/// Every thread walks over a row of its own, for as long as it likes.
void ProgramGenerator::thread_rows(const Expr& lane) {
  const int64_t all = std::accumulate(threads_.begin(), threads_.end(), int64_t{1}, std::multiplies<>());
  const DType t = some_dtype();
  const int64_t columns = random_.pick(1, 5);
  Tile& tile = new_tile(t, {all, columns}, MemorySpace::kShared);
  tile.busy = true;
  const Buffer row = b_.alloc(fresh("row"), t, {static_cast<int>(columns)}, MemorySpace::kLocal);
  const Var j = b_.loop(fresh("j"), 0, static_cast<int>(columns));
  indices_.push_back({j, 0, columns - 1});
  // It differs from thread to thread.
  const Expr often = value(t, 2).e, else_ = constant(t).e;
  b_.store(row, {j}, select(lane < Expr(static_cast<int>(random_.pick(1, all))), often, else_));
  b_.store(tile.buffer, {lane, j}, load(row, {j}));
  indices_.pop_back();
  b_.end();
  // As many rounds as the thread's number says.
  const Expr rounds = floormod(lane, Expr(static_cast<int>(columns))) + Expr(1);
  const Var k = b_.loop(fresh("k"), 0, min(rounds, Expr(static_cast<int>(columns))));
  indices_.push_back({k, 0, columns - 1});
  if (random_.chance(30)) {
    b_.if_(boolean(1).e);
    random_.chance(50) ? b_.break_() : b_.continue_();
    b_.end();
  }
  const Expr c = boolean(1).e;
  b_.store(tile.buffer, {lane, k}, select(c, load(row, {k}), value(t, 1).e));
  indices_.pop_back();
  b_.end();
  tile.busy = false;
  wrote(tile, KnownValues::anything(), true);
}

}  // namespace tl::testing
