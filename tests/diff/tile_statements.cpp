// Tiles brought into being, copied, filled and written out.

#include <algorithm>
#include <numeric>

#include "program_generator.h"

namespace tl::testing {
namespace {

constexpr int64_t kMostElements = 1024;

int64_t product_of(const std::vector<int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

std::vector<Operand> operands(const std::vector<int64_t>& values) {
  std::vector<Operand> out;
  for (const int64_t v : values) out.emplace_back(static_cast<int>(v));
  return out;
}

}  // namespace

std::vector<int64_t> ProgramGenerator::tile_shape() {
  static const std::vector<int64_t> kExtents = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 32, 33};
  const int64_t rank = random_.choose({1, 1, 2, 2, 2, 3});
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    const bool from_axis = !axes_.empty() && random_.chance(50);
    shape.push_back(from_axis ? random_.choose(axes_).tile : random_.choose(kExtents));
  }
  while (product_of(shape) > kMostElements) *std::max_element(shape.begin(), shape.end()) /= 2;
  return shape;
}

Tile& ProgramGenerator::new_tile(DType dtype, const std::vector<int64_t>& shape, MemorySpace space) {
  static constexpr const char* kStems[] = {"g", "s", "c", "r", "l"};
  Tile tile;
  tile.buffer = b_.alloc(fresh(kStems[static_cast<int>(space)]), dtype, operands(shape), space);
  tile.shape = shape;
  tile.loops = static_cast<int>(trips_.size());
  tile.branches = branches_;
  tile.memory = memories_++;
  tiles_.push_back(tile);
  return tiles_.back();
}

Tile& ProgramGenerator::some_tile(size_t min_rank) {
  std::vector<Tile*> usable;
  for (Tile& tile : tiles_) {
    if (tile.shape.size() >= min_rank && tile.buffer->space != MemorySpace::kLocal && !tile.busy && tile.ready)
      usable.push_back(&tile);
  }
  if (!usable.empty() && random_.chance(75)) return *random_.choose(usable);
  std::vector<int64_t> shape = tile_shape();
  while (shape.size() < min_rank) shape.push_back(random_.pick(1, 4));
  const DType dtype = some_dtype();
  Tile& tile = new_tile(dtype, shape,
                        random_.choose({MemorySpace::kShared, MemorySpace::kFragment, MemorySpace::kSharedStatic}));
  initialise(tile);
  return tile;
}

bool ProgramGenerator::writable(const Tile& tile) const {
  return std::none_of(tiles_.begin(), tiles_.end(),
                      [&](const Tile& t) { return t.memory == tile.memory && (t.pinned != 0 || t.busy); });
}

void ProgramGenerator::wrote(Tile& tile, const KnownValues& values, bool all) {
  tile.ready = true;
  for (Tile& other : tiles_) {
    if (other.memory == tile.memory && &other != &tile) other.values = KnownValues::anything();
  }
  if (static_cast<int>(trips_.size()) > tile.loops) {
    tile.values = KnownValues::anything();
  } else if (branches_ > tile.branches || !all) {
    tile.values = join(tile.values, values);
  } else {
    tile.values = values;
  }
}

// --- copies --------------------------------------------------------------------------------------

Region ProgramGenerator::source_region(const Tensor& tensor, const std::vector<int64_t>& shape, const Expr& first) {
  const size_t rank = tensor.shape.size();
  // Which of the tensor's dimensions run: any of them, in order.
  std::vector<size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), size_t{0});
  while (dims.size() > shape.size()) dims.erase(dims.begin() + random_.pick(0, static_cast<int64_t>(dims.size()) - 1));
  std::vector<Operand> offsets, extents;
  for (size_t d = 0, next = 0; d < rank; ++d) {
    const bool runs = next < dims.size() && dims[next] == d;
    const int64_t n = runs ? shape[next] : 1;
    if (runs) ++next;
    const auto by_block = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.tile == n; });
    if (first && d == 0) {
      offsets.emplace_back(first);
    } else if (by_block != axes_.end() && random_.chance(60)) {
      offsets.emplace_back(by_block->block * make_int(by_block->block.dtype(), n));
    } else {
      offsets.emplace_back(any_index(tensor.shape[d], true));
    }
    extents.emplace_back(static_cast<int>(n));
  }
  return region(tensor.buffer, offsets, extents);
}

void ProgramGenerator::copy_in(Tile& tile, bool tidy) {
  const Tensor tensor = some_input(tile.shape.size(), tidy);
  CopyOptions options;
  Typed pad{make_zero(tensor.buffer->dtype), KnownValues::within(0, 0, false)};
  if (random_.chance(30)) {
    pad = constant(tensor.buffer->dtype);
    options.pad = Operand(pad.e);
    coverage_.note("copy with pad");
  }
  options.prefer = random_.choose({CopyPreference::kAny, CopyPreference::kTma, CopyPreference::kSync});
  const Region from = source_region(tensor, tile.shape);
  b_.copy(from, tile.buffer, options);
  wrote(tile, converted(join(tensor.values, pad.v), tensor.buffer->dtype, tile.buffer->dtype), true);
}

void ProgramGenerator::copy_in_part(Tile& tile) {
  if (!writable(tile)) return;
  std::vector<int64_t> part;
  std::vector<Operand> offsets;
  for (const int64_t n : tile.shape) {
    const int64_t extent = random_.pick(1, n);
    part.push_back(extent);
    offsets.emplace_back(index(n - extent + 1));
  }
  const Tensor tensor = some_input(part.size(), false);
  Expr first;
  if (is_shared(tile.buffer->space) && random_.chance(60)) {
    // Where it begins stands in the tile itself, and is read before anything is written.
    std::vector<Expr> at;
    for (const int64_t n : tile.shape) at.push_back(index(n));
    first = max(min(cast(DType::i32(), load(tile.buffer, at)), Expr(9)), Expr(-9));
    coverage_.note("copy from where its destination says");
  }
  const Region from = source_region(tensor, part, first);
  b_.copy(from, region(tile.buffer, offsets, operands(part)));
  coverage_.note("copy into a part");
  wrote(tile,
        converted(join(tensor.values, KnownValues::within(0, 0, false)), tensor.buffer->dtype, tile.buffer->dtype),
        false);
}

void ProgramGenerator::copy_between() {
  Tile& from = some_tile();
  // Tiles of the same shape, or a new one.
  Tile* to = nullptr;
  for (Tile& tile : tiles_) {
    const bool fits = tile.shape == from.shape && tile.memory != from.memory && tile.ready && writable(tile);
    if (fits && random_.chance(60)) to = &tile;
  }
  const bool is_new = to == nullptr;
  if (is_new) {
    const DType dtype = random_.chance(50) ? from.buffer->dtype : some_dtype();
    to = &new_tile(dtype, from.shape, random_.choose({MemorySpace::kShared, MemorySpace::kFragment}));
  }
  b_.copy(from.buffer, to->buffer);
  wrote(*to, converted(read(from), from.buffer->dtype, to->buffer->dtype), true);
}

void ProgramGenerator::fill_part() {
  Tile& tile = some_tile();
  if (!writable(tile)) return;
  std::vector<Operand> offsets, extents;
  for (const int64_t n : tile.shape) {
    const int64_t extent = random_.pick(1, n);
    extents.emplace_back(static_cast<int>(extent));
    offsets.emplace_back(index(n - extent + 1));
  }
  const DType t = tile.buffer->dtype;
  Typed v = value(t, 1);
  if (is_shared(tile.buffer->space) && !t.is_bool() && random_.chance(40)) {
    // A value made of what the fill itself changes.
    std::vector<Expr> at;
    for (const int64_t n : tile.shape) at.push_back(index(n));
    v = {binary(random_.choose({BinaryOp::kAdd, BinaryOp::kSub}), load(tile.buffer, at), v.e), KnownValues::anything()};
    coverage_.note("fill with what it changes");
  }
  const Region part = region(tile.buffer, offsets, extents);
  b_.fill(part, v.e);
  wrote(tile, v.v, false);
}

// --- outputs -------------------------------------------------------------------------------------

OwnBox& ProgramGenerator::own_box(DType dtype, const std::vector<int64_t>& shape) {
  for (OwnBox& box : boxes_) {
    if (box.buffer->dtype == dtype && box.extents == shape && random_.chance(50)) return box;
  }
  OwnBox box;
  box.extents = shape;
  std::vector<Expr> extents;
  std::vector<int64_t> values;
  std::vector<bool> used(axes_.size());
  const auto add = [&](Expr extent, int64_t n, Expr offset) {
    extents.push_back(std::move(extent));
    values.push_back(n);
    box.offsets.push_back(std::move(offset));
  };
  for (size_t i = 0; i < axes_.size(); ++i) {
    const bool in_shape = std::find(shape.begin(), shape.end(), axes_[i].tile) != shape.end();
    if (in_shape || shape.size() + extents.size() >= 4 || random_.chance(40)) continue;
    used[i] = true;
    add(axes_[i].count, axes_[i].count_value, axes_[i].block);
  }
  for (const int64_t n : shape) {
    box.dims.push_back(extents.size());
    size_t axis = 0;
    while (axis < axes_.size() && (used[axis] || axes_[axis].tile != n)) ++axis;
    if (axis < axes_.size()) {
      used[axis] = true;
      const Axis& a = axes_[axis];
      add(a.extent, a.extent_value, a.block * make_int(a.block.dtype(), n));
      continue;
    }
    const int64_t size = std::max<int64_t>(n + random_.choose({0, 0, 0, -1, 1, 3}), 0);
    coverage_.note(size == 0  ? "tail zero extent"
                   : size < n ? "tail one short"
                   : size > n ? "tail one over"
                              : "tail divides");
    const int64_t shift = size > n ? random_.pick(0, 2) : 0;
    add(make_int(DType::i32(), size), size, make_int(DType::i32(), shift));
  }
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (!used[i] && as_int(axes_[i].count).value_or(2) > 1) box.missing.push_back(i);
  }
  const std::vector<Operand> sizes(extents.begin(), extents.end());
  const std::vector<Operand> strides = random_.chance(25) ? padded_strides(values) : std::vector<Operand>{};
  if (!strides.empty()) coverage_.note("tensor strided");
  box.buffer = b_.tensor(fresh("O"), dtype, sizes, strides);
  written_.push_back({box.buffer, values, KnownValues::anything()});
  boxes_.push_back(box);
  return boxes_.back();
}

std::vector<Expr> OwnBox::at(const std::vector<Expr>& inside) const {
  std::vector<Expr> out = offsets;
  for (size_t i = 0; i < dims.size(); ++i) {
    Expr& offset = out[dims[i]];
    offset = offset + cast(offset.dtype(), inside[i]);
  }
  return out;
}

int ProgramGenerator::guard(const OwnBox& box) {
  for (const size_t axis : box.missing) {
    const Var& block = axes_[axis].block;
    b_.if_(tl::equal(block, make_zero(block.dtype())));
    ++branches_;
  }
  return static_cast<int>(box.missing.size());
}

void ProgramGenerator::copy_out(Tile& tile) {
  const DType dtype = random_.chance(70) ? tile.buffer->dtype : some_dtype();
  const OwnBox& box = own_box(dtype, tile.shape);
  const std::vector<Operand> offsets(box.offsets.begin(), box.offsets.end());
  std::vector<int64_t> extents(box.offsets.size(), 1);
  for (size_t i = 0; i < box.dims.size(); ++i) extents[box.dims[i]] = box.extents[i];
  const int guards = guard(box);
  b_.copy(tile.buffer, region(box.buffer, offsets, operands(extents)));
  for (int i = 0; i < guards; ++i) b_.end();
  branches_ -= guards;
}

void ProgramGenerator::dump() {
  std::vector<Tile*> live;
  for (Tile& tile : tiles_) {
    if (tile.buffer->space != MemorySpace::kLocal && !tile.busy && tile.ready) live.push_back(&tile);
  }
  for (size_t i = 0; i < live.size(); ++i) {
    if (i + 4 >= live.size() || random_.chance(50)) copy_out(*live[i]);
  }
}

}  // namespace tl::testing
