#pragma once

// Whole tiles as arrays of values: tile operations decode their operands, compute, and encode the result.

#include <vector>

#include "simulate/statement.h"

namespace tl::simulate {

/// A region with its numbers: a box of a buffer, in the copy of one lane.
struct Tile {
  BufferSlot* buffer = nullptr;
  std::vector<int64_t> offsets, extents;
  uint32_t site = 0;
  int lane = 0;

  int64_t count() const;
  /// Indices into the buffer of element number `k` of the tile, in row-major order.
  std::vector<int64_t> indices(int64_t k) const;
  /// The extents other than 1.
  std::vector<int64_t> wide_extents() const;
};

/// A region at one place of the program.
class TileRef {
 public:
  TileRef(BufferSlot* buffer, NodeList offsets, NodeList extents, uint32_t site)
      : buffer_(buffer), offsets_(std::move(offsets)), extents_(std::move(extents)), site_(site) {}
  BufferSlot& buffer() const { return *buffer_; }
  /// Evaluates offsets and extents; then `at` gives the tile of a lane.
  void locate(Machine& m, const LaneSet& lanes);
  Tile at(int lane) const;

 private:
  BufferSlot* buffer_;
  NodeList offsets_, extents_;
  std::vector<Values> offset_values_, extent_values_;
  uint32_t site_;
};
using TileRefPtr = std::unique_ptr<TileRef>;

/// Values of a tile in row-major order; `defined` is left empty unless asked for.
struct TileValues {
  std::vector<Raw> values;
  std::vector<uint8_t> defined;
};

/// What is done with elements that nothing has written.
enum class Undefined : uint8_t { kReport, kPass };

/// Reads a tile. Elements outside of a global buffer are `outside`, or with `outside_undefined` and `kPass` such that
/// nothing has written; outside of an on-chip buffer that is also a finding.
void read_tile(Machine& m, const Tile& tile, Raw outside, Undefined undefined, TileValues& out,
               bool outside_undefined = false);
/// Writes a tile; outside of the buffer nothing is written. Where `values.defined` is not empty, an element that
/// nothing has written stays such in an on-chip buffer; the number of the first one that reached a global buffer comes
/// back, else -1.
int64_t write_tile(Machine& m, const Tile& tile, const TileValues& values);

/// A statement on tiles. Where a tile lies in memory of single lanes, each active lane runs it for itself.
class TileStatement : public Statement {
 public:
  TileStatement(uint32_t site, bool each_lane) : Statement(site), each_lane_(each_lane) {}
  void run(Machine& m, LaneSet& lanes) final {
    prepare(m, lanes);
    if (!each_lane_) return execute(m, lanes.begin());
    lanes.each([&](int lane) { execute(m, lane); });
  }

 protected:
  /// Evaluates operands for all lanes.
  virtual void prepare(Machine& m, LaneSet& lanes) = 0;
  virtual void execute(Machine& m, int lane) = 0;

 private:
  bool each_lane_;
};

/// What a copy makes of its elements, apart from the dtype.
struct CopyForm {
  /// Swaps the last two dimensions.
  bool turns = false;
  /// Elements from outside of a global source are such that nothing has written.
  bool outside_undefined = false;
};
/// `pad` may be null (0). With a `token` the copy is asynchronous, and of the plain form.
StatementPtr make_copy(uint32_t site, bool each_lane, CopyForm form, TileRefPtr src, TileRefPtr dst, NodePtr pad,
                       VarSlot* token);
StatementPtr make_fill(uint32_t site, bool each_lane, TileRefPtr dst, NodePtr value);
StatementPtr make_gemm(uint32_t site, bool each_lane, TileRefPtr a, TileRefPtr b, TileRefPtr c, bool transpose_a,
                       bool transpose_b, NodePtr clear);
StatementPtr make_reduce(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                         bool clear);
StatementPtr make_scan(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                       bool reverse);
/// One execution for all lanes: lane t is thread t of the block.
/// `meets`: threads exchange through scratch memory, with a barrier.
StatementPtr make_thread_reduce(uint32_t site, ReduceKind kind, TileRefPtr values, int64_t extent, int64_t stride,
                                bool meets);
/// `region` may be null.
StatementPtr make_print(uint32_t site, std::string message, NodeList values, TileRefPtr region);

}  // namespace tl::simulate
