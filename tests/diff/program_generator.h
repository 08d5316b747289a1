#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "coverage.h"
#include "ir/build/builder.h"
#include "known_values.h"
#include "random_source.h"

namespace tl::testing {

/// An integer that may stand in an index, and the values it takes.
struct IndexVar {
  Expr e;
  int64_t lo = 0, hi = 0;
};

/// One dimension that a launch's grid splits: `extent` elements in tiles of `tile`, one tile a block.
struct Axis {
  Expr extent, count;
  int64_t extent_value = 0, count_value = 0, tile = 1;
  Var block;
};

/// A buffer on the chip; every element has a value.
struct Tile {
  Buffer buffer;
  std::vector<int64_t> shape;
  KnownValues values;
  /// Loops and branches of the launch around its allocation.
  int loops = 0, branches = 0;
  /// The outermost loop that relies on its values staying as they are, as a depth; 0: none.
  int pinned = 0;
  /// Tiles with one number name one memory.
  int memory = 0;
  /// Written thread by thread, or in an open parallel loop: not to be used by others until that is over.
  bool busy = false;
  /// False until its first write.
  bool ready = false;
};

/// A tensor in global memory, as a launch may use it.
struct Tensor {
  Buffer buffer;
  std::vector<int64_t> shape;
  KnownValues values;
};

/// The part of an output that the blocks of a launch own, one box each.
struct OwnBox {
  Buffer buffer;
  std::vector<Expr> offsets;
  /// The extents of a block's box in the dimensions that run, and those dimensions.
  std::vector<int64_t> extents;
  std::vector<size_t> dims;
  /// Axes with more than one block that do not occur in it: only their first block writes.
  std::vector<size_t> missing;
  bool touched_by_points = false;

  /// The tensor's indices of an element of the box.
  std::vector<Expr> at(const std::vector<Expr>& inside) const;
};

struct ProgramOptions {
  /// Types of buffers and values; the host's by default.
  std::vector<DType> dtypes = host_dtypes();
  /// Programs of some launches wait for each other, which the host cannot.
  bool grid_barriers = false;
  static std::vector<DType> host_dtypes();
  static std::vector<DType> all_dtypes();
};

/// Builds one random program, statement by statement. Every statement keeps three promises, so that the program has one
/// result: what is read has a value, no two threads or points meet in memory without order, and floats are summed only
/// where no sum rounds.
class ProgramGenerator {
 public:
  ProgramGenerator(std::string name, uint64_t seed, const ProgramOptions& options, Coverage& coverage);
  std::unique_ptr<Function> generate();
  const std::map<std::string, int64_t>& settings() const { return settings_; }

 private:
  // --- random_program.cpp: the host's part ---------------------------------------------------------
  void host_statements(int launches);
  void host_loop();
  void host_branch();
  void host_store();
  void host_memory();
  /// A constant or a new symbol of this value, which the shape of an input tells.
  Expr extent(int64_t value);
  std::vector<Operand> padded_strides(const std::vector<int64_t>& shape);
  Tensor& input(DType dtype, const std::vector<Expr>& shape, const std::vector<int64_t>& values);
  const Tensor& some_input(size_t rank, bool tidy);
  std::string fresh(const std::string& stem) { return stem + std::to_string(names_++); }

  // --- launch_generator.cpp: launches and control flow ---------------------------------------------
  void launch();
  void show_written();
  Axis axis(int64_t tile);
  void statements(int count, int depth);
  void statement(int depth);
  void serial_loop(int depth);
  void while_loop(int depth);
  void branch(int depth);
  void scalar_statement();
  void promise();
  void print();
  /// Runs `body` between opening and closing a frame: what it brings into being ends with it.
  void in_frame(bool is_loop, double trips, const std::function<void()>& body);
  Expr uniform_condition();

  // --- tile_statements.cpp -------------------------------------------------------------------------
  std::vector<int64_t> tile_shape();
  Tile& new_tile(DType dtype, const std::vector<int64_t>& shape, MemorySpace space);
  Tile& some_tile(size_t min_rank = 0);
  void copy_in(Tile& tile, bool tidy);
  void copy_in_part(Tile& tile);
  void copy_part_in();
  void copy_some_out();
  void copy_between();
  void fill_part();
  void copy_out(Tile& tile);
  void reduce();
  void scan();
  void gemm();
  void pipelined_gemm();
  void group();
  void view();
  void local_array();
  void dump();
  OwnBox& own_box(DType dtype, const std::vector<int64_t>& shape);
  /// Opens the branches under which a block may write the box; returns how many.
  int guard(const OwnBox& box);
  /// A region of `tensor` that a tile of this shape is read from, anywhere and beyond the edges too.
  /// Where `first` is given, it is the first offset.
  Region source_region(const Tensor& tensor, const std::vector<int64_t>& shape, const Expr& first = {});
  bool writable(const Tile& tile) const;
  /// Notes a write of `values` into all or a part of the tile.
  void wrote(Tile& tile, const KnownValues& values, bool all);
  Tile& operand(DType dtype, const std::vector<int64_t>& shape);
  bool sums_exactly(const KnownValues& values, double terms, DType dtype) const;

  // --- point_statements.cpp ------------------------------------------------------------------------
  void initialise(Tile& tile);
  void points();
  void points_out();
  void functions_out();
  /// Opens a parallel loop over the box; `inside` are its variables in the order of the box's dimensions.
  int open_points(const std::vector<int64_t>& box, bool may_be_symbolic, std::vector<Expr>& inside);
  void point_body(const Buffer& buffer, const std::vector<Expr>& own, Tile* tile);
  void named_values(const Buffer& buffer, const std::vector<Expr>& own, Tile* tile);
  Typed some_named_value(const std::vector<Expr>& own, const std::vector<Buffer>& written);
  /// Another tile that points of this one may write too.
  Tile* second_tile(const Tile& tile);

  // --- chain_statements.cpp ------------------------------------------------------------------------
  struct Chain;
  void chain();
  Chain new_chain();
  void chain_load(Chain& chain);
  void chain_load_output(Chain& chain);
  void chain_fill(Chain& chain);
  void chain_link(Chain& chain);
  void chain_out(Chain& chain, const OwnBox& box);
  /// Opens a parallel loop over exactly this box; its variables. Closing it leaves the first `indices` of `indices_`.
  std::vector<Expr> open_box(const std::vector<int64_t>& box);
  void close_box(size_t indices);
  std::vector<Expr> turned(const std::vector<int64_t>& box, std::vector<Expr> own);
  void name_elements(int64_t most);

  // --- thread_statements.cpp -----------------------------------------------------------------------
  void threads();
  void thread_exchange(const Expr& lane);
  void thread_tree(const Expr& lane);
  void thread_rows(const Expr& lane);

  // --- expr_generator.cpp --------------------------------------------------------------------------
  Typed value(DType t, int depth);
  Typed leaf(DType t);
  Typed constant(DType t);
  Typed integer(DType t, int depth);
  Typed floating(DType t, int depth);
  Typed boolean(int depth);
  Typed selected(DType t, int depth);
  Typed load_tile(DType t);
  Typed load_global(DType t);
  Typed as(DType t, const Typed& x);
  /// An integer inside the extent.
  Expr index(int64_t extent);
  /// Any integer about as large as the extent: global memory is guarded. Below 0 only where that has a meaning.
  Expr any_index(int64_t extent, bool may_be_negative);
  /// What reading the tile here tells of its values; may pin it.
  KnownValues read(Tile& tile);

  DType some_dtype() { return random_.choose(options_.dtypes); }

  RandomSource random_;
  ProgramOptions options_;
  Coverage& coverage_;
  Builder b_;
  std::map<std::string, int64_t> settings_;
  int names_ = 0, memories_ = 0;

  std::vector<IndexVar> indices_;
  std::vector<Typed> scalars_;
  /// Of the open point: its elements of tiles, and what has a name in it.
  std::vector<Typed> elements_;
  std::vector<Tensor> readable_;
  /// Outputs of launches so far: readable from the next launch on.
  std::vector<Tensor> written_;

  // Of the open launch.
  std::vector<Axis> axes_;
  std::deque<Tile> tiles_;
  std::deque<OwnBox> boxes_;
  std::vector<int64_t> threads_;
  std::vector<Buffer> vars_;
  /// Trip counts of the open loops; branches open.
  std::vector<double> trips_;
  int branches_ = 0;
  /// Where expressions may load from.
  bool may_load_tiles_ = true, in_points_ = false, symbolic_points_ = false, by_thread_ = false;
};

}  // namespace tl::testing
