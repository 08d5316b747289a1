// Launches that are chains of element-wise statements, which passes make one statement, and launches that are nearly
// so.

#include <algorithm>
#include <numeric>

#include "program_generator.h"

namespace tl::testing {
namespace {

/// What makes a launch more than a chain.
enum class Break { kNone, kNeededTwice, kTurned, kPartly, kTwoOutputs };

std::vector<Operand> operands(const std::vector<Expr>& exprs) { return {exprs.begin(), exprs.end()}; }

std::vector<Operand> operands(const std::vector<int64_t>& values) {
  std::vector<Operand> out;
  for (const int64_t v : values) out.emplace_back(static_cast<int>(v));
  return out;
}

}  // namespace

struct ProgramGenerator::Chain {
  std::vector<int64_t> shape;
  Break breaks = Break::kNone;
  bool broken = false;
  /// Tiles that no statement has used yet.
  std::vector<Tile*> held;
  OwnBox box;
  /// Extents of the box's tensor, and their values.
  std::vector<Expr> extents;
  std::vector<int64_t> values;
};

/// Axes, at times all of one tile, and at times a dimension beside them that blocks have as a whole.
ProgramGenerator::Chain ProgramGenerator::new_chain() {
  Chain chain;
  for (const Axis& a : axes_) chain.shape.push_back(a.tile);
  const int64_t size = std::accumulate(chain.shape.begin(), chain.shape.end(), int64_t{1}, std::multiplies<>());
  const int64_t beside = random_.choose({1, 2, 4, 8, 12});
  const bool is_other = std::find(chain.shape.begin(), chain.shape.end(), beside) == chain.shape.end();
  if (is_other && size * beside <= 512 && random_.chance(30)) chain.shape.push_back(beside);
  if (random_.chance(25)) {
    chain.breaks = random_.choose({Break::kNeededTwice, Break::kTurned, Break::kPartly, Break::kTwoOutputs});
  }
  chain.box = own_box(some_dtype(), chain.shape);
  for (const Tensor& t : written_) {
    if (t.buffer == chain.box.buffer) chain.values = t.shape;
  }
  chain.extents = chain.box.buffer->shape;
  return chain;
}

/// A tile of what the output holds before, at times turned round.
void ProgramGenerator::chain_load_output(Chain& chain) {
  const Buffer& from = chain.box.buffer;
  Tile& tile = new_tile(from->dtype, chain.shape, MemorySpace::kFragment);
  chain.held.push_back(&tile);
  tile.busy = true;
  if (random_.chance(60)) {
    b_.copy(region(from, operands(chain.box.offsets), operands(chain.shape)), tile.buffer);
  } else {
    const size_t indices = indices_.size();
    const std::vector<Expr> own = open_box(chain.shape);
    b_.store(tile.buffer, operands(own), load(from, chain.box.at(turned(chain.shape, own))));
    close_box(indices);
    chain.broken = true;
  }
  wrote(tile, KnownValues::anything(), true);
  coverage_.note("chain of tiles from its output");
}

/// A tile of what lies where the block's output will.
void ProgramGenerator::chain_load(Chain& chain) {
  if (random_.chance(12)) return chain_load_output(chain);
  std::vector<const Tensor*> fitting;
  for (const Tensor& t : readable_) {
    if (t.shape == chain.values) fitting.push_back(&t);
  }
  std::vector<Expr> extents = chain.extents;
  std::vector<int64_t> values = chain.values;
  if (random_.chance(15)) {
    const size_t d = static_cast<size_t>(random_.pick(0, static_cast<int64_t>(extents.size()) - 1));
    values[d] = std::max<int64_t>(values[d] + random_.choose({-1, 1, 16}), 0);
    extents[d] = make_int(DType::i32(), values[d]);
  }
  const Tensor tensor =
      !fitting.empty() && random_.chance(30) ? *random_.choose(fitting) : input(some_dtype(), extents, values);
  const DType type = tensor.buffer->dtype;
  const auto space = random_.choose({MemorySpace::kFragment, MemorySpace::kFragment, MemorySpace::kShared});
  Tile& tile = new_tile(random_.chance(70) ? type : some_dtype(), chain.shape, space);
  chain.held.push_back(&tile);
  if (random_.chance(15)) {
    copy_in(tile, random_.chance(50));
  } else {
    CopyOptions options;
    Typed pad{make_zero(type), KnownValues::within(0, 0, false)};
    if (random_.chance(25)) {
      pad = constant(type);
      options.pad = Operand(pad.e);
    }
    b_.copy(region(tensor.buffer, operands(chain.box.offsets), operands(chain.shape)), tile.buffer, options);
    wrote(tile, converted(join(tensor.values, pad.v), type, tile.buffer->dtype), true);
  }
  tile.busy = true;
}

std::vector<Expr> ProgramGenerator::open_box(const std::vector<int64_t>& box) {
  std::vector<std::string> names;
  for (size_t d = 0; d < box.size(); ++d) names.push_back(fresh("i"));
  const std::vector<Var> vars = b_.parallel(names, operands(box));
  for (size_t d = 0; d < box.size(); ++d) indices_.push_back({vars[d], 0, box[d] - 1});
  in_points_ = true;
  return {vars.begin(), vars.end()};
}

void ProgramGenerator::close_box(size_t indices) {
  b_.end();
  in_points_ = false;
  elements_.clear();
  indices_.resize(indices);
}

/// Another element for every point.
std::vector<Expr> ProgramGenerator::turned(const std::vector<int64_t>& box, std::vector<Expr> own) {
  if (box.size() > 1 && box[0] == box[1]) {
    std::swap(own[0], own[1]);
    return own;
  }
  const auto d = static_cast<size_t>(random_.pick(0, static_cast<int64_t>(box.size()) - 1));
  const Expr size = make_int(DType::i32(), box[d]);
  own[d] = random_.chance(50) ? size - Expr(1) - own[d] : floormod(own[d] + Expr(1), size);
  return own;
}

/// Names for some of what a point computes; they stand among `elements_` then.
void ProgramGenerator::name_elements(int64_t most) {
  for (int64_t n = random_.pick(0, most); n > 0; --n) {
    const Typed v = random_.chance(40) ? random_.choose(elements_) : value(some_dtype(), 2);
    elements_.push_back({b_.bind(fresh("p"), v.e), v.v});
  }
}

/// A tile gets other values in a part that begins where it does.
void ProgramGenerator::chain_fill(Chain& chain) {
  Tile& tile = *random_.choose(chain.held);
  std::vector<int64_t> box = chain.shape;
  const auto d = static_cast<size_t>(random_.pick(0, static_cast<int64_t>(box.size()) - 1));
  box[d] = (box[d] + 1) / 2;
  const Typed v = constant(tile.buffer->dtype);
  b_.fill(region(tile.buffer, std::vector<Operand>(box.size(), Operand(0)), operands(box)), v.e);
  wrote(tile, v.v, false);
  chain.broken = true;
}

/// One statement: some of the tiles become another one, or one of them in its place.
void ProgramGenerator::chain_link(Chain& chain) {
  if (chain.breaks == Break::kPartly && !chain.broken && random_.chance(50)) return chain_fill(chain);
  std::vector<Tile*> used, kept;
  for (Tile* tile : chain.held) (used.empty() || random_.chance(60) ? used : kept).push_back(tile);
  const bool breaks = !chain.broken && random_.chance(70);
  const bool partly = breaks && chain.breaks == Break::kPartly, twice = breaks && chain.breaks == Break::kNeededTwice;
  const bool turns = breaks && chain.breaks == Break::kTurned;
  if (partly || twice || turns) chain.broken = true;
  const bool in_place = partly || (!twice && random_.chance(40));
  Tile* to = in_place
                 ? random_.choose(used)
                 : &new_tile(some_dtype(), chain.shape, random_.choose({MemorySpace::kFragment, MemorySpace::kShared}));
  to->busy = true;
  if (twice) kept.push_back(used[0]);
  std::vector<int64_t> box = chain.shape;
  const bool asks = partly && random_.chance(50);
  if (partly && !asks) box[0] = random_.pick(1, box[0]);
  const size_t indices = indices_.size();
  const std::vector<Expr> own = open_box(box);
  // A tile that is updated is read and written at one place.
  const std::vector<Expr> other = turns ? turned(box, own) : own;
  const std::vector<Expr>& place = random_.chance(50) ? other : own;
  for (Tile* tile : used) {
    const std::vector<Expr>& at = tile == to || random_.chance(50) ? place : other;
    elements_.push_back({load(tile->buffer, at), tile->values});
  }
  name_elements(2);
  if (asks) b_.if_(boolean(1).e);
  const Typed v = value(to->buffer->dtype, 3);
  b_.store(to->buffer, operands(place), v.e);
  if (asks) b_.end();
  close_box(indices);
  wrote(*to, v.v, !partly);
  chain.held = kept;
  chain.held.push_back(to);
}

/// The statement that writes an output.
void ProgramGenerator::chain_out(Chain& chain, const OwnBox& box) {
  if (random_.chance(35)) {
    b_.copy(random_.choose(chain.held)->buffer, region(box.buffer, operands(box.offsets), operands(chain.shape)));
    return;
  }
  const bool turns = chain.breaks == Break::kTurned && !chain.broken;
  const size_t indices = indices_.size();
  const std::vector<Expr> own = open_box(chain.shape);
  const std::vector<Expr> other = turns ? turned(chain.shape, own) : own;
  for (Tile* tile : chain.held) {
    elements_.push_back({load(tile->buffer, random_.chance(50) ? own : other), tile->values});
  }
  const std::vector<Expr> at = box.at(own);
  if (random_.chance(15)) elements_.push_back({load(box.buffer, at), KnownValues::anything()});
  name_elements(4);
  const bool asks = random_.chance(30);
  if (asks) {
    Expr inside = make_bool(true);
    for (size_t d = 0; d < at.size(); ++d)
      inside = logical_and(inside, at[d] < cast(at[d].dtype(), box.buffer->shape[d]));
    b_.if_(inside);
    name_elements(1);
  }
  b_.store(box.buffer, operands(at), value(box.buffer->dtype, 3).e);
  if (asks) b_.end();
  close_box(indices);
}

void ProgramGenerator::chain() {
  Chain chain = new_chain();
  for (int64_t n = random_.pick(1, 3); n > 0; --n) chain_load(chain);
  for (int64_t n = random_.choose({1, 1, 2, 2, 3}); n > 0; --n) chain_link(chain);
  chain_out(chain, chain.box);
  if (chain.breaks == Break::kTwoOutputs) {
    chain_out(chain, own_box(some_dtype(), chain.shape));
    chain.broken = true;
  }
  coverage_.note(chain.broken ? "chain of tiles that is more" : "chain of tiles");
}

}  // namespace tl::testing
