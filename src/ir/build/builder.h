#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/build/access.h"
#include "ir/build/scope.h"
#include "ir/function.h"

namespace tl {

struct LaunchOptions {
  /// Names of the block coordinates; missing ones are bx, by, bz.
  std::vector<std::string> names;
  /// Blocks of one cluster, one entry a grid dimension; missing ones are 1.
  std::vector<int64_t> cluster;
  std::string prelude;
  Attrs hints;
};

struct LoopOptions {
  int64_t stages = 0;
  std::vector<int64_t> order, stage;
  Attrs hints;
};

struct CopyOptions {
  CopyPreference prefer = CopyPreference::kAny;
  EvictionPolicy evict = EvictionPolicy::kNormal;
  /// What out-of-range elements of a global source read as; 0 if absent.
  std::optional<Operand> pad;
  Attrs hints;
};

struct GemmOptions {
  bool transpose_a = false, transpose_b = false;
  WarpPolicy policy = WarpPolicy::kSquare;
  /// Whether the old contents of C are ignored; may depend on variables.
  Operand clear = false;
  Attrs hints;
};

/// Builds one function, statement by statement, and checks what the user wrote as it goes: the language in C++.
///
/// Everything made gets the position last given to `at`. A mistake in a statement is recorded, the statement left out,
/// and `finish` throws all mistakes together; a mistake without which there is nothing to go on with (an allocation,
/// say) throws at once, together with those recorded before. Names of the user are kept; a second definition of a name
/// gets a number behind it.
class Builder {
 public:
  explicit Builder(std::string name, Loc loc = {});
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// The position of everything made from here on.
  void at(Loc loc) { here_ = std::move(loc); }
  const Loc& here() const { return here_; }

  // --- the function's own parts --------------------------------------------------------------------
  /// A run-time dimension or stride, bound from the shapes of the arguments.
  Var symbol(const std::string& name, DType dtype = DType::i32());
  /// The same for a variable that exists already; nothing happens when it is known.
  void symbol(const Var& var);
  /// A tensor parameter in global memory; empty strides mean contiguous. Variables of the shape become symbols. Errors:
  /// TL025 for strides of another rank, TL027 for a negative extent, TL074 for a dtype that has no elements.
  Buffer tensor(const std::string& name, DType dtype, const std::vector<Operand>& shape,
                const std::vector<Operand>& strides = {});
  /// Of a pointer: of type handle.
  Var scalar(const std::string& name, DType dtype);
  void attr(const std::string& key, AttrValue value);

  // --- frames: each stays open until `end` ---------------------------------------------------------
  /// A grid of tile programs. Returns the block coordinates (one a grid dimension; none for an empty grid, which is one
  /// program). With the hint `cores` (see kCoresHint) the grid has one dimension, and the regions inside say how many
  /// threads there are. Errors: TL070 threads, TL071 grid or cluster, TL072 inside another launch.
  std::vector<Var> launch(const std::vector<Operand>& grid, const std::vector<int64_t>& threads,
                          LaunchOptions options = {});
  /// The thread indices x, y, z of the open launch. Error: TL073 without one.
  std::vector<Var> lanes();
  /// Reorders the programs of the open launch for locality. Errors: TL073, TL075 (unknown order).
  void swizzle(int64_t panel_size, const std::string& order = "row");
  /// Errors: TL065 step of zero, TL066 bounds that are not integers, TL061 a pipelined loop in a parallel one.
  Var loop(const std::string& name, const Operand& begin, const Operand& end, const Operand& step = 1,
           LoopKind kind = LoopKind::kSerial, LoopOptions options = {});
  /// Directly nested parallel loops become one. Errors: TL060, TL066, TL068, TL073.
  std::vector<Var> parallel(const std::vector<std::string>& names, const std::vector<Operand>& extents,
                            Attrs hints = {});
  void if_(const Operand& condition);
  /// The other side of the innermost frame, which is an `if_`.
  void else_();
  void while_(const Operand& condition);
  /// A part of the threads, or an engine. Errors: TL070 threads outside the launch, TL073.
  void group(const std::string& engine, int64_t first, int64_t count);
  /// A region of a launch of cores that `threads` vector threads run, up to three extents x, y, z; the first lane of
  /// the launch counts them linearly. Errors: TL070 threads, TL079 in another region or a launch without cores.
  void simt_region(const std::vector<int64_t>& threads, Attrs hints = {});
  /// Closes the innermost frame.
  void end();
  /// Drops the innermost frame and everything in it.
  void discard();

  // --- statements ----------------------------------------------------------------------------------
  /// The value of `value` here and now. A constant or a variable, which cannot change, comes back as it is.
  Expr bind(const std::string& name, const Operand& value);
  /// `init` only for variables (MemorySpace::kVar), whose shape is one element. Global memory is there for the whole
  /// function, wherever this stands, so its extents follow from the function's arguments. Error: TL074.
  Buffer alloc(const std::string& name, DType dtype, const std::vector<Operand>& shape, MemorySpace space,
               std::optional<Operand> init = {}, Attrs hints = {});
  /// A tensor in memory of the caller that begins at `address`: a pointer, or an integer of 64 bits. What is said of it
  /// follows from the function's arguments. Errors: as `tensor`, TL074, TL080.
  Buffer tensor_at(const std::string& name, DType dtype, const std::vector<Operand>& shape,
                   const std::vector<Operand>& strides, const Operand& address);
  /// The memory of `source` under another shape or dtype; empty strides mean contiguous. Errors: TL025, TL026.
  Buffer view(const std::string& name, const Buffer& source, DType dtype, const std::vector<Operand>& shape,
              const std::vector<Operand>& strides = {});
  /// Converts the value to the buffer's dtype, with a warning where a fraction may be cut off. Errors: TL020 to TL024,
  /// TL063, TL064, TL081.
  void store(const Buffer& buffer, const std::vector<Operand>& indices, const Operand& value);
  void evaluate(const Operand& value);
  void assert_(const Operand& condition, std::string message);
  void assume(const Operand& condition);
  void print(std::string message, const std::vector<Operand>& values = {}, std::optional<TileOperand> tile = {});
  /// Error: TL067 where no loop can be left.
  void break_();
  void continue_();
  /// All threads of the launch, or `count` of them on hardware barrier `id`. Errors: TL073, TL076.
  void barrier(int64_t id = -1, int64_t count = 0);
  /// All threads of all tile programs of the launch. Errors: TL073, TL076.
  void grid_barrier();

  // --- tile operations -----------------------------------------------------------------------------
  /// Copies between two tiles. Extents come from the operands:
  ///  - two whole buffers have equal shapes;
  ///  - an element names where the copy starts, and takes the extents of the other side, aligned at the last dimension;
  ///  - else the extents are matched from the last dimension, extents of 1 aside. Where the source region is smaller
  ///  than
  ///    the destination, only its extent is copied, to the start of the destination; elsewhere the destination keeps
  ///    its contents, and nothing outside the source region is read. Where an extent is known only at run time, the
  ///    smaller of the two is copied.
  /// Two single elements, or a variable and an element, become a store.
  /// Errors: TL040 unequal shapes, TL041 no extents, TL043 a source larger than its destination, TL054, TL062.
  void copy(const TileOperand& src, const TileOperand& dst, CopyOptions options = {});
  /// Errors: TL054, TL062, TL081.
  void fill(const TileOperand& dst, const Operand& value);
  /// C[M, N] (+)= op(A)[M, K] op(B)[K, N]. Errors: TL030 ranks, TL031 extents, TL032 dtypes, TL033 memories, TL034
  /// overlap, TL054, TL062, TL085 extents known only at run time.
  void gemm(const TileOperand& a, const TileOperand& b, const TileOperand& c, GemmOptions options = {});
  /// `kind` is a name of ReduceKind's table. Errors: TL050 to TL054, TL062, TL080.
  void reduce(const std::string& kind, const TileOperand& src, const TileOperand& dst, int64_t dim, bool clear = true,
              Attrs hints = {});

  /// Prefix combinations along a dimension, from the end on with `reverse`; `kind` is sum or max. Errors: TL050 to
  /// TL053, TL062.
  void scan(const std::string& kind, const TileOperand& src, const TileOperand& dst, int64_t dim, bool reverse = false);

  // --- the end -------------------------------------------------------------------------------------
  /// The function; `outputs` are the parameters that the callee allocates. Throws CompileError with every mistake.
  std::unique_ptr<Function> finish(std::vector<int64_t> outputs = {});
  /// What was found so far; what a line says repeatedly, traced in a loop of the front end say, is here once.
  std::vector<Diagnostic> found(Severity severity) const;
  /// Puts the parameters into another order: `order[i]` is the present place of the new parameter `i`.
  void reorder_parameters(const std::vector<int64_t>& order);
  /// A mistake found outside, by a front end say: throws it together with everything recorded.
  [[noreturn]] void fail(Diagnostic diagnostic);
  void warn(Diagnostic diagnostic);

 private:
  struct Frame {
    OpPtr op;      // null for the function's body
    Block* block;  // where statements go
  };

  // builder.cpp
  Diagnostic& error(int code, std::string message);
  /// Records the mistake and throws everything recorded.
  [[noreturn]] void fail();
  /// Runs `f`; a CompileError it throws is recorded with this position. False when it threw.
  template <class F>
  bool attempt(F&& f);
  void record(const CompileError& e);
  void throw_mistakes() const;
  template <class T>
  std::unique_ptr<T> make() const {
    return make_op<T>(here_);
  }
  Var new_var(const std::string& name, DType dtype, uint8_t dependence = Scope::kUniform);
  /// Checks what the op uses; adds it to the open block unless something was wrong with it.
  void add(OpPtr op);
  bool check_uses(const Op& op);
  void check_loads(const Expr& e, bool& good);
  bool check_element(const BufferNode& buffer, const std::vector<Expr>& indices);
  void open(OpPtr op, Block* block);
  template <class T>
  T* enclosing() const;
  template <class T>
  T* innermost() const;
  std::vector<Expr> shape(const std::vector<Operand>& extents, int code, const std::string& what);
  Buffer checked_tensor(const std::string& name, DType dtype, const std::vector<Operand>& extents,
                        const std::vector<Operand>& strides);

  // launch.cpp, loops.cpp
  bool check_threads(const std::vector<int64_t>& threads);
  bool check_cluster(const std::vector<Expr>& grid, std::vector<int64_t>& cluster);
  void close_launch(Launch& launch);
  void close_parallel(Parallel& outer);
  void close_pipelined(const For& loop);
  bool need_launch(const char* what);
  bool check_barrier(const char* what);

  // cores.cpp: what differs in a launch of cores. Outside of one every check passes.
  bool on_cores() const;
  const Group* vector_region() const;
  /// Whether what threads share out, or do together, stands in a region.
  bool check_in_region(const char* what);
  /// Whether what the core does as one stands outside of regions.
  bool check_out_of_region(const char* what);
  void check_core_allocation(const std::string& name, MemorySpace space);
  void check_core_copy(const Region& src, const Region& dst);
  void check_core_fill(const Buffer& buffer);
  void check_core_store(const Operand& value, const BufferNode& buffer);
  /// Whole buffers of unequal shapes and as many elements: names one of them in the shape of the other.
  void reshape_whole(TileOperand& src, TileOperand& dst);
  void used_behind_region(const Scope::Missing& missing, const Loc& region);

  // alloc.cpp
  void check_allocation(const std::string& name, DType dtype, const std::vector<Expr>& shape, MemorySpace space);
  void check_known_to_call(const std::string& name, const Expr& e);
  Buffer add_global(std::unique_ptr<Alloc> op);

  // tile operations
  /// Whether a tile operation may stand here.
  bool check_tile_op(const char* what);
  /// Says that a reduction cannot be over the tile's memory.
  void wrong_scope(const std::string& what, const TileOperand& tile, bool& good);
  bool check_region(const char* what, const Region& region);
  /// Converts `value` for elements of `buffer`, with the warning of stores. Throws CompileError.
  Expr converted(const Operand& value, const BufferNode& buffer);
  void copy_element(const TileOperand& src, const TileOperand& dst);
  const BufferNode* storage(const Buffer& buffer) const;

  std::unique_ptr<Function> function_;
  Diagnostics diagnostics_;
  Loc here_;
  Scope scope_;
  std::vector<Frame> frames_;
  /// Thread indices of the open launch; part of it once they were asked for, and stay so if they are used.
  std::vector<Var> lanes_;
  /// Where a buffer was allocated. The group may be gone: it is only compared.
  struct RegionOf {
    const Group* group;
    Loc loc;
  };
  /// By name: of buffers that were allocated in a region.
  std::unordered_map<std::string, RegionOf> of_region_;
  /// The buffer whose memory a view names, for views only.
  std::unordered_map<const BufferNode*, Buffer> view_of_;
};

template <class F>
bool Builder::attempt(F&& f) {
  try {
    f();
    return true;
  } catch (const CompileError& e) {
    record(e);
    return false;
  }
}

template <class T>
T* Builder::enclosing() const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->op == nullptr) continue;
    if (T* op = frame->op->template as<T>()) return op;
  }
  return nullptr;
}

template <class T>
T* Builder::innermost() const {
  return frames_.back().op != nullptr ? frames_.back().op->template as<T>() : nullptr;
}

}  // namespace tl
