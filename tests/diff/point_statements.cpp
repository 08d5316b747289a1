// Parallel loops: every point writes elements of its own.

#include <algorithm>
#include <numeric>

#include "ir/intrinsics.h"
#include "program_generator.h"

namespace tl::testing {

int ProgramGenerator::open_points(const std::vector<int64_t>& box, bool may_be_symbolic, std::vector<Expr>& inside) {
  // The loop's variables in another order than the box's dimensions, and at times over more points than it has.
  std::vector<size_t> order(box.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(random_.pick(0, static_cast<int64_t>(i) - 1))]);
  if (random_.chance(60)) std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  std::vector<Operand> extents;
  std::vector<int64_t> more(box.size(), 0);
  constexpr int64_t kMostPoints = 20000;
  int64_t points = std::accumulate(box.begin(), box.end(), int64_t{1}, std::multiplies<>());
  for (const size_t d : order) {
    names.push_back(fresh("i"));
    more[d] = random_.chance(12) ? random_.pick(1, 3) : 0;
    const int64_t n = box[d] + more[d];
    const Axis* symbolic = nullptr;
    for (const Axis& a : axes_) {
      if (may_be_symbolic && !as_int(a.extent) && a.extent_value >= box[d] && a.extent_value < 80) symbolic = &a;
    }
    const int64_t longer = symbolic == nullptr ? 0 : points / box[d] * symbolic->extent_value;
    if (symbolic != nullptr && longer <= kMostPoints && random_.chance(40)) {
      points = longer;
      extents.emplace_back(symbolic->extent);
      more[d] = symbolic->extent_value;
      symbolic_points_ = true;
      coverage_.note("parallel of symbolic extent");
    } else {
      extents.emplace_back(static_cast<int>(n));
    }
  }
  const std::vector<Var> vars = b_.parallel(names, extents);
  inside.assign(box.size(), Expr());
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t d = order[i];
    const DType t = vars[i].dtype();
    inside[d] = t == DType::i32() ? Expr(vars[i]) : cast(DType::i32(), vars[i]);
  }
  in_points_ = true;
  int branches = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    indices_.push_back({inside[d], 0, box[d] - 1});
    if (more[d] == 0) continue;
    const Expr within = inside[d] < make_int(DType::i32(), box[d]);
    if (random_.chance(30) && branches == 0) {
      b_.if_(logical_not(within));
      b_.continue_();
      b_.end();
      coverage_.note("continue of a point");
    } else {
      b_.if_(within);
      ++branches;
    }
  }
  return branches;
}

Tile* ProgramGenerator::second_tile(const Tile& tile) {
  std::vector<Tile*> usable;
  for (Tile& t : tiles_) {
    const MemorySpace space = t.buffer->space;
    const bool there = is_shared(space) || (space == MemorySpace::kFragment && !symbolic_points_);
    if (there && t.shape == tile.shape && t.memory != tile.memory && t.ready && writable(t)) usable.push_back(&t);
  }
  return usable.empty() ? nullptr : random_.choose(usable);
}

/// What is worth a name: an index, an element of what the point writes, of a tensor or of another tile.
Typed ProgramGenerator::some_named_value(const std::vector<Expr>& own, const std::vector<Buffer>& written) {
  const int64_t roll = random_.pick(0, 4);
  if (roll == 0) {
    const Expr named = b_.bind(fresh("j"), index(12));
    indices_.push_back({named, 0, 11});
    return {named, KnownValues::within(11, 0, false)};
  }
  Typed v = roll == 1 && !written.empty() ? Typed{load(random_.choose(written), own), KnownValues::anything()}
            : roll == 2                   ? load_global(some_dtype())
            : roll == 3                   ? load_tile(some_dtype())
                                          : value(some_dtype(), 2);
  return {b_.bind(fresh("p"), v.e), v.v};
}

/// Names for what a point computes or loads, some of them before a store that may change what they were loaded from.
void ProgramGenerator::named_values(const Buffer& buffer, const std::vector<Expr>& own, Tile* tile) {
  const std::vector<Operand> at(own.begin(), own.end());
  Tile* second = tile != nullptr && random_.chance(60) ? second_tile(*tile) : nullptr;
  std::vector<Buffer> written;
  if (tile != nullptr) written.push_back(buffer);
  if (second != nullptr) written.push_back(second->buffer);
  // Other points write it.
  const auto keep = [&](bool busy) {
    for (Tile& t : tiles_) {
      if (second != nullptr && t.memory == second->memory) t.busy = busy;
    }
  };
  keep(true);
  for (int64_t n = random_.pick(1, 3); n > 0; --n) elements_.push_back(some_named_value(own, written));
  const bool asks = random_.chance(25);
  if (asks) {
    b_.if_(boolean(1).e);
    if (random_.chance(50)) elements_.push_back(some_named_value(own, written));
  }
  b_.store(buffer, at, value(buffer->dtype, 2).e);
  coverage_.note("names at a point");
  if (random_.chance(60)) {
    written.push_back(buffer);
    elements_.push_back(some_named_value(own, written));
    const Buffer& next = second != nullptr ? second->buffer : buffer;
    b_.store(next, at, value(next->dtype, 2).e);
    coverage_.note("name between stores");
  }
  if (asks) b_.end();
  elements_.clear();
  keep(false);
  if (second != nullptr) wrote(*second, KnownValues::anything(), false);
}

/// Statements of one point that write `buffer` at `own` and nothing else, but for a second tile.
void ProgramGenerator::point_body(const Buffer& buffer, const std::vector<Expr>& own, Tile* tile) {
  const DType t = buffer->dtype;
  const std::vector<Operand> at(own.begin(), own.end());
  const size_t indices = indices_.size(), scalars = scalars_.size();
  const int64_t roll = random_.pick(0, 11);
  KnownValues written = KnownValues::anything();
  if (roll > 9) {
    named_values(buffer, own, tile);
  } else if (roll < 4) {
    const Typed v = value(t, 3);
    b_.store(buffer, at, v.e);
    written = v.v;
  } else if (roll < 5) {
    b_.if_(boolean(2).e);
    b_.store(buffer, at, value(t, 2).e);
    if (random_.chance(60)) {
      b_.else_();
      b_.store(buffer, at, value(t, 2).e);
    }
    b_.end();
  } else if (roll < 6 && tile != nullptr) {
    b_.if_(boolean(2).e);
    b_.continue_();
    b_.end();
    coverage_.note("continue of a point");
    b_.store(buffer, at, value(t, 2).e);
  } else if (roll < 8) {
    // A variable of the point, updated by a loop of the point.
    const Buffer var = b_.alloc(fresh("y"), t, {1}, MemorySpace::kVar, Operand(constant(t).e));
    const int64_t n = random_.pick(1, 4);
    const Var k =
        b_.loop(fresh("k"), 0, static_cast<int>(n), 1, random_.choose({LoopKind::kSerial, LoopKind::kUnrolled}));
    indices_.push_back({k, 0, n - 1});
    if (random_.chance(30)) {
      b_.if_(boolean(1).e);
      random_.chance(50) ? b_.break_() : b_.continue_();
      b_.end();
    }
    const Expr now = load(var, {Expr(0)});
    const Expr next = value(t, 1).e;
    const BinaryOp op =
        t.is_bool() ? BinaryOp::kBitXor : random_.choose({BinaryOp::kAdd, BinaryOp::kMax, BinaryOp::kMul});
    b_.store(var, {0}, binary(op, now, next));
    b_.end();
    b_.store(buffer, at, now);
  } else if (tile != nullptr && t == DType::f32() && random_.chance(50)) {
    // A divisor that is mostly the same for all points.
    b_.store(buffer, at, binary(BinaryOp::kDiv, load(buffer, own), random_.chance(70) ? constant(t).e : value(t, 1).e));
  } else if (tile != nullptr && !t.is_bool()) {
    const BinaryOp op = random_.choose({BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMax});
    b_.store(buffer, at, binary(op, load(buffer, own), value(t, 2).e));
  } else {
    const Typed v = value(t, 2);
    const Expr named = b_.bind(fresh("p"), v.e);
    const Expr c = boolean(1).e;
    b_.store(buffer, at, select(c, named, constant(t).e));
  }
  if (tile != nullptr) wrote(*tile, written, roll < 4);
  indices_.resize(indices);
  scalars_.resize(scalars);
}

/// Gives every element of a new tile a value.
void ProgramGenerator::initialise(Tile& tile) {
  const DType t = tile.buffer->dtype;
  const int64_t roll = random_.pick(0, 9);
  if (roll < 3) {
    const Typed v = constant(t);
    b_.fill(tile.buffer, v.e);
    wrote(tile, v.v, true);
  } else if (roll < 7) {
    copy_in(tile, random_.chance(50));
  } else {
    const size_t indices = indices_.size();
    std::vector<Expr> own;
    tile.busy = true;
    const int branches = open_points(tile.shape, is_shared(tile.buffer->space), own);
    const Typed v = value(t, 2);
    b_.store(tile.buffer, {own.begin(), own.end()}, v.e);
    for (int i = 0; i <= branches; ++i) b_.end();
    tile.busy = in_points_ = symbolic_points_ = false;
    indices_.resize(indices);
    wrote(tile, v.v, true);
  }
}

void ProgramGenerator::points() {
  Tile& tile = some_tile();
  if (!writable(tile)) return;
  std::vector<Tile*> same_memory;
  for (Tile& t : tiles_) {
    if (t.memory == tile.memory) same_memory.push_back(&t);
  }
  const size_t indices = indices_.size();
  for (Tile* t : same_memory) t->busy = true;
  std::vector<Expr> own;
  const int branches = open_points(tile.shape, is_shared(tile.buffer->space), own);
  point_body(tile.buffer, own, &tile);
  for (int i = 0; i <= branches; ++i) b_.end();
  for (Tile* t : same_memory) t->busy = false;
  in_points_ = symbolic_points_ = false;
  indices_.resize(indices);
}

/// Points that write an output, without a look at where the tensor ends.
void ProgramGenerator::points_out() {
  const std::vector<int64_t> shape = tile_shape();
  const OwnBox& box = own_box(some_dtype(), shape);
  const size_t indices = indices_.size();
  const int guards = guard(box);
  std::vector<Expr> inside;
  const int branches = open_points(box.extents, true, inside);
  const std::vector<Expr> at = box.at(inside);
  if (random_.chance(30)) {
    // The user's own guard.
    Expr inside_all = make_bool(true);
    for (size_t d = 0; d < at.size(); ++d)
      inside_all = logical_and(inside_all, at[d] < cast(at[d].dtype(), box.buffer->shape[d]));
    b_.if_(inside_all);
    point_body(box.buffer, at, nullptr);
    b_.end();
  } else {
    point_body(box.buffer, at, nullptr);
  }
  for (int i = 0; i <= branches + guards; ++i) b_.end();
  branches_ -= guards;
  in_points_ = symbolic_points_ = false;
  indices_.resize(indices);
}

/// Elementary functions that need not be exact go straight into outputs nobody reads again.
void ProgramGenerator::functions_out() {
  std::vector<DType> floats;
  for (const DType t : options_.dtypes) {
    if (t.is_floating()) floats.push_back(t);
  }
  const DType t = random_.choose(floats);
  std::vector<MathFn> functions;
  for (size_t i = 0; i < kNumMathFns; ++i) {
    const auto fn = static_cast<MathFn>(i);
    if (accepts(fn, t) && math_fn_info(fn).result == MathResult::kOperand && max_ulp(fn, t) > 0)
      functions.push_back(fn);
  }
  if (functions.empty()) return;
  // A box of its own.
  const size_t boxes = boxes_.size();
  OwnBox box;
  for (int attempt = 0; attempt < 8 && boxes_.size() == boxes; ++attempt) box = own_box(t, tile_shape());
  if (boxes_.size() == boxes) return;
  boxes_.pop_back();
  written_.pop_back();
  const size_t indices = indices_.size();
  const int guards = guard(box);
  std::vector<Expr> inside;
  const int branches = open_points(box.extents, true, inside);
  const std::vector<Expr> place = box.at(inside);
  const std::vector<Operand> at(place.begin(), place.end());
  const MathFn fn = random_.choose(functions);
  std::vector<Expr> args;
  while (args.size() < math_fn_info(fn).arity) {
    const Typed x = value(t, 1);
    args.push_back(x.v.tidy ? x.e : constant(t).e);
  }
  b_.store(box.buffer, at, call(t, intrinsic_of(fn), args));
  for (int i = 0; i <= branches + guards; ++i) b_.end();
  branches_ -= guards;
  in_points_ = symbolic_points_ = false;
  indices_.resize(indices);
}

}  // namespace tl::testing
