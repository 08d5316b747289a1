// Launches, and the control flow inside them.

#include <algorithm>
#include <numeric>

#include "ir/intrinsics.h"
#include "program_generator.h"

namespace tl::testing {

/// A dimension of one to a few tiles. What its last tile has left is one of the kinds of tail.
Axis ProgramGenerator::axis(int64_t tile) {
  Axis a;
  a.tile = tile;
  const int64_t tiles = random_.pick(1, 3);
  static const std::vector<std::string> kTails = {"divides",  "divides",     "one short", "one over",
                                                  "extent 1", "zero extent", "any"};
  const std::string tail = random_.choose(kTails);
  a.extent_value = tail == "divides"       ? tiles * tile
                   : tail == "one short"   ? tiles * tile - 1
                   : tail == "one over"    ? tiles * tile + 1
                   : tail == "extent 1"    ? 1
                   : tail == "zero extent" ? (random_.chance(50) ? 0 : tile)
                                           : random_.pick(1, tiles * tile + tile / 2);
  if (a.extent_value == 0 || tail != "zero extent") coverage_.note("tail " + tail);
  a.extent = extent(a.extent_value);
  const Expr size = make_int(a.extent.dtype(), tile);
  a.count_value = (a.extent_value + tile - 1) / tile;
  a.count = as_int(a.extent) ? make_int(DType::i32(), a.count_value) : ceildiv(a.extent, size);
  if (random_.chance(10)) {  // a block too many
    a.count_value += 1;
    a.count = a.count + make_int(a.count.dtype(), 1);
  }
  return a;
}

void ProgramGenerator::launch() {
  axes_.clear();
  const bool is_chain = random_.chance(12);
  const int64_t rank = is_chain ? random_.choose({1, 1, 2}) : random_.choose({0, 1, 1, 1, 2, 2, 3});
  static const std::vector<int64_t> kTiles = {1, 3, 4, 8, 8, 16, 16, 17, 32}, kChained = {3, 8, 16, 17, 32},
                                    kRows = {8, 17, 32, 64, 128, 256};
  for (int64_t i = 0; i < rank; ++i) {
    const bool same = is_chain && i > 0 && random_.chance(40);
    axes_.push_back(axis(same ? axes_[0].tile : random_.choose(!is_chain ? kTiles : rank == 1 ? kRows : kChained)));
  }
  coverage_.note("grid rank " + std::to_string(rank));
  static const std::vector<std::vector<int64_t>> kThreads = {{1}, {4}, {32}, {16, 2}, {33}, {4, 2, 3}, {64}};
  threads_ = random_.choose(kThreads);
  std::vector<Operand> grid;
  for (const Axis& a : axes_) grid.emplace_back(a.count);
  const std::vector<Var> blocks = b_.launch(grid, threads_);
  const size_t outer = indices_.size(), scalars = scalars_.size();
  for (size_t i = 0; i < blocks.size(); ++i) {
    axes_[i].block = blocks[i];
    indices_.push_back({blocks[i], 0, std::max<int64_t>(axes_[i].count_value - 1, 0)});
  }
  if (rank > 1 && random_.chance(25)) {
    const int64_t panel = random_.pick(1, 3);
    b_.swizzle(panel, random_.choose({"row", "column"}));
  }
  if (is_chain) {
    chain();
  } else {
    statements(static_cast<int>(random_.pick(3, 7)), 0);
    while (options_.grid_barriers && random_.chance(60)) {
      b_.grid_barrier();
      show_written();
      boxes_.clear();  // others may read them from here on
      statements(static_cast<int>(random_.pick(1, 4)), 0);
    }
    dump();
  }
  b_.end();
  indices_.resize(outer);
  scalars_.resize(scalars);
  tiles_.clear();
  boxes_.clear();
  vars_.clear();
  axes_.clear();
  show_written();
}

/// What programs have written is seen by all, behind a launch or a barrier of the grid.
void ProgramGenerator::show_written() {
  for (Tensor& t : written_) readable_.push_back(t);
  written_.clear();
}

void ProgramGenerator::in_frame(bool is_loop, double trips, const std::function<void()>& body) {
  const size_t tiles = tiles_.size(), indices = indices_.size(), vars = vars_.size(), scalars = scalars_.size();
  if (is_loop) {
    trips_.push_back(trips);
  } else {
    ++branches_;
  }
  body();
  if (is_loop) {
    trips_.pop_back();
  } else {
    --branches_;
  }
  tiles_.resize(tiles);
  indices_.resize(indices);
  vars_.resize(vars);
  scalars_.resize(scalars);
  const int depth = static_cast<int>(trips_.size());
  for (Tile& tile : tiles_) {
    if (tile.pinned > depth) tile.pinned = 0;
  }
}

void ProgramGenerator::statements(int count, int depth) {
  for (int i = 0; i < count; ++i) statement(depth);
}

void ProgramGenerator::statement(int depth) {
  struct Row {
    int weight;
    void (ProgramGenerator::*make)();
  };
  static constexpr Row kRows[] = {
      {4, &ProgramGenerator::copy_between},   {3, &ProgramGenerator::fill_part},
      {8, &ProgramGenerator::points},         {4, &ProgramGenerator::points_out},
      {5, &ProgramGenerator::functions_out},  {5, &ProgramGenerator::reduce},
      {2, &ProgramGenerator::scan},           {6, &ProgramGenerator::gemm},
      {2, &ProgramGenerator::pipelined_gemm}, {2, &ProgramGenerator::group},
      {3, &ProgramGenerator::view},           {2, &ProgramGenerator::local_array},
      {6, &ProgramGenerator::threads},        {3, &ProgramGenerator::scalar_statement},
      {2, &ProgramGenerator::promise},        {1, &ProgramGenerator::print},
      {6, &ProgramGenerator::copy_part_in},   {3, &ProgramGenerator::copy_some_out},
  };
  const int64_t roll = random_.pick(0, 99);
  if (depth < 2 && roll < 8) return serial_loop(depth);
  if (depth < 2 && roll < 12) return while_loop(depth);
  if (depth < 2 && roll < 20) return branch(depth);
  int total = 0;
  for (const Row& row : kRows) total += row.weight;
  int64_t at = random_.pick(0, total - 1);
  for (const Row& row : kRows) {
    at -= row.weight;
    if (at < 0) return (this->*row.make)();
  }
}

void ProgramGenerator::copy_part_in() {
  Tile& tile = some_tile();
  if (random_.chance(70)) return copy_in_part(tile);
  if (writable(tile)) copy_in(tile, false);
}

void ProgramGenerator::copy_some_out() { copy_out(some_tile()); }

Expr ProgramGenerator::uniform_condition() { return boolean(2).e; }

void ProgramGenerator::serial_loop(int depth) {
  const auto kind = random_.choose({LoopKind::kSerial, LoopKind::kSerial, LoopKind::kUnrolled, LoopKind::kPipelined});
  const int64_t step = random_.choose({1, 1, 2, 3, -1, -2});
  const int64_t trips = random_.pick(0, 3);
  const int64_t begin = random_.pick(-2, 3),
                end = begin + step * trips - (step > 0 ? 1 : -1) * (trips > 0 && std::abs(step) > 1 ? 1 : 0);
  coverage_.note(step < 0 ? "loop step negative" : step > 1 ? "loop step above 1" : "loop step 1");
  if (trips == 0) coverage_.note("loop without iterations");
  LoopOptions options;
  options.stages = random_.pick(0, 3);
  const bool wide = random_.chance(20);
  const auto bound = [&](int64_t v) { return make_int(wide ? DType::i64() : DType::i32(), v); };
  // A step known only at run time, at times.
  const Var i = b_.loop(fresh("k"), bound(begin), bound(end), bound(step), kind, options);
  in_frame(true, static_cast<double>(std::max<int64_t>(trips, 1)), [&] {
    const int64_t last = begin + step * std::max<int64_t>(trips - 1, 0);
    indices_.push_back({i, std::min(begin, last), std::max(begin, last)});
    statements(static_cast<int>(random_.pick(1, 3)), depth + 1);
    if (kind == LoopKind::kSerial && random_.chance(40)) {
      b_.if_(uniform_condition());
      random_.chance(50) ? b_.break_() : b_.continue_();
      b_.end();
      statements(1, depth + 1);
    }
  });
  b_.end();
}

void ProgramGenerator::while_loop(int depth) {
  const int64_t trips = random_.pick(1, 3);
  const Buffer counter = b_.alloc(fresh("w"), DType::i32(), {1}, MemorySpace::kVar, Operand(0));
  const Expr now = load(counter, {Expr(0)});
  b_.while_(now < Expr(static_cast<int>(trips)));
  in_frame(true, static_cast<double>(trips), [&] {
    b_.store(counter, {0}, now + Expr(1));
    if (random_.chance(30)) {
      b_.if_(uniform_condition());
      random_.chance(50) ? b_.break_() : b_.continue_();
      b_.end();
    }
    statements(static_cast<int>(random_.pick(1, 2)), depth + 1);
  });
  b_.end();
}

void ProgramGenerator::branch(int depth) {
  b_.if_(uniform_condition());
  in_frame(false, 1, [&] { statements(static_cast<int>(random_.pick(1, 2)), depth + 1); });
  if (random_.chance(50)) {
    b_.else_();
    in_frame(false, 1, [&] { statements(1, depth + 1); });
  }
  b_.end();
}

void ProgramGenerator::scalar_statement() {
  const DType t = some_dtype();
  const int64_t roll = random_.pick(0, 3);
  if (roll == 0 || vars_.empty()) {
    const Typed init = value(t, 2);
    vars_.push_back(b_.alloc(fresh("x"), t, {1}, MemorySpace::kVar, Operand(init.e)));
  } else if (roll == 1) {
    const Buffer& var = random_.choose(vars_);
    b_.store(var, {0}, value(var->dtype, 2).e);
  } else if (roll == 2) {
    const Typed v = value(t, 2);
    scalars_.push_back({b_.bind(fresh("b"), v.e), v.v.tidy ? v.v : KnownValues::anything()});
  } else {
    const Expr e = index(12);
    indices_.push_back({b_.bind(fresh("j"), e), 0, 11});
  }
}

void ProgramGenerator::promise() {
  const Expr e = index(9);
  const int64_t roll = random_.pick(0, 2);
  if (roll == 0) b_.assume(e < Expr(9));
  if (roll == 1) b_.assert_(e >= Expr(0), "an index is not negative");
  if (roll == 2) {
    const DType t = random_.choose({DType::f32(), DType::f64()});
    b_.evaluate(call(t, intrinsic_of(MathFn::kExp), {value(t, 1).e}));
  }
}

void ProgramGenerator::print() {
  const Typed v = value(random_.choose({DType::i32(), DType::u8(), DType::i64(), DType::boolean()}), 1);
  if (random_.chance(50) || tiles_.empty()) return b_.print("value", {v.e});
  const Tile& tile = some_tile();
  if (tile.shape.size() > 2 || !tile.buffer->dtype.is_integral()) return b_.print("", {v.e, v.e});
  std::vector<Operand> offsets(tile.shape.size(), Operand(0)), extents(tile.shape.size(), Operand(1));
  b_.print("tile", {}, region(tile.buffer, offsets, extents));
}

}  // namespace tl::testing
