#include "simulate/tile.h"

#include <algorithm>

namespace tl::simulate {

int64_t Tile::count() const {
  int64_t n = 1;
  for (const int64_t extent : extents) n *= std::max<int64_t>(0, extent);
  return n;
}

std::vector<int64_t> Tile::indices(int64_t k) const {
  std::vector<int64_t> out(extents.size());
  for (size_t d = out.size(); d-- > 0; k /= extents[d]) out[d] = offsets[d] + k % extents[d];
  return out;
}

std::vector<int64_t> Tile::wide_extents() const {
  std::vector<int64_t> wide;
  std::copy_if(extents.begin(), extents.end(), std::back_inserter(wide), [](int64_t e) { return e != 1; });
  return wide;
}

void TileRef::locate(Machine& m, const LaneSet& lanes) {
  offset_values_.clear();
  extent_values_.clear();
  for (const NodePtr& node : offsets_) offset_values_.push_back(node->eval(m, lanes));
  for (const NodePtr& node : extents_) extent_values_.push_back(node->eval(m, lanes));
}

Tile TileRef::at(int lane) const {
  Tile tile{buffer_, {}, {}, site_, lane};
  for (const Values& v : offset_values_) tile.offsets.push_back(static_cast<int64_t>(v[lane]));
  // A negative extent is that of an empty tile.
  for (const Values& v : extent_values_) tile.extents.push_back(std::max<int64_t>(0, static_cast<int64_t>(v[lane])));
  return tile;
}

namespace {

/// Goes through a tile row by row. `on_row(k, element, count)` is a run of elements inside the buffer that lie one
/// `stride` of the last dimension apart, from number k of the tile on; `outside(k, count)` a run outside.
template <class OnRow, class Outside>
void walk(const Tile& tile, OnRow&& on_row, Outside&& outside) {
  const BufferSlot& b = *tile.buffer;
  const size_t rank = tile.extents.size();
  const int64_t total = tile.count();
  if (total == 0) return;
  if (rank == 0) return on_row(0, 0, 1);
  const size_t last = rank - 1;
  const int64_t width = tile.extents[last];
  const int64_t from = std::clamp<int64_t>(-tile.offsets[last], 0, width);
  const int64_t to = std::clamp<int64_t>(b.shape[last] - tile.offsets[last], from, width);
  std::vector<int64_t> at(rank, 0);
  for (int64_t k = 0; k < total; k += width) {
    int64_t element = b.origin + (tile.offsets[last] + from) * b.strides[last];
    bool inside = from < to;
    for (size_t d = 0; d < last; ++d) {
      const int64_t index = tile.offsets[d] + at[d];
      inside &= index >= 0 && index < b.shape[d];
      element += index * b.strides[d];
    }
    if (inside) {
      if (from > 0) outside(k, from);
      on_row(k + from, element, to - from);
      if (to < width) outside(k + to, width - to);
    } else {
      outside(k, width);
    }
    for (size_t d = last; d-- > 0;) {
      if (++at[d] < tile.extents[d]) break;
      at[d] = 0;
    }
  }
}

/// Reports element number `k` of the tile as outside of its on-chip buffer. Beyond a global buffer lies the tail, which
/// tile operations leave out.
void report_outside(Machine& m, const Tile& tile, int64_t k, bool writes) {
  if (!m.check || !tile.buffer->memory->on_chip()) return;
  m.report_outside(tile.site, *tile.buffer, tile.indices(k), writes);
}

int64_t row_stride(const Tile& tile) { return tile.buffer->strides.empty() ? 1 : tile.buffer->strides.back(); }

bool is_defined(const BufferSlot& buffer, int64_t element, int lane) {
  const int64_t first = buffer.first_cell(element) + buffer.lane_cells(lane);
  for (int64_t i = 0; i < buffer.cells_per_element(); ++i) {
    if (!buffer.memory->shadow.defined(first + i)) return false;
  }
  return true;
}

}  // namespace

void read_tile(Machine& m, const Tile& tile, Raw outside, Undefined undefined, TileValues& out,
               bool outside_undefined) {
  BufferSlot& b = *tile.buffer;
  const int64_t step = row_stride(tile);
  const uint8_t* base = b.base(tile.lane);
  out.values.resize(static_cast<size_t>(tile.count()));
  const bool pass = m.check && undefined == Undefined::kPass;
  out.defined.assign(pass ? out.values.size() : 0, 1);
  const Stamp stamp = m.stamp(tile.site, tile.lane);
  walk(
      tile,
      [&](int64_t k, int64_t element, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          const int64_t e = element + i * step;
          if (m.check) {
            if (pass && !is_defined(b, e, tile.lane)) {
              out.defined[static_cast<size_t>(k + i)] = 0;
            } else {
              note_read(m, b, e, tile.lane, stamp);
            }
          }
          out.values[static_cast<size_t>(k + i)] = b.codec.load(base, e);
        }
      },
      [&](int64_t k, int64_t count) {
        std::fill_n(out.values.begin() + k, count, outside);
        if (pass && outside_undefined) std::fill_n(out.defined.begin() + k, count, uint8_t{0});
        report_outside(m, tile, k, false);
      });
}

int64_t write_tile(Machine& m, const Tile& tile, const TileValues& values) {
  BufferSlot& b = *tile.buffer;
  const int64_t step = row_stride(tile);
  uint8_t* base = b.base(tile.lane);
  const Stamp stamp = m.stamp(tile.site, tile.lane);
  int64_t undefined = -1;
  walk(
      tile,
      [&](int64_t k, int64_t element, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          const auto n = static_cast<size_t>(k + i);
          const int64_t e = element + i * step;
          const bool defined = values.defined.empty() || values.defined[n] != 0;
          if (m.check) note_write(m, b, e, tile.lane, stamp, defined);
          if (!defined && undefined < 0 && !b.memory->on_chip()) undefined = k + i;
          b.codec.store(base, e, values.values[n]);
        }
      },
      [&](int64_t k, int64_t) { report_outside(m, tile, k, true); });
  return undefined;
}

}  // namespace tl::simulate
