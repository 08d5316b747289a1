#pragma once

#include "ir/op.h"

namespace tl {

/// Order in which the tile programs of a grid are visited: panels of `panel_size` rows or columns. It changes locality
/// only; every program still runs once.
enum class Rasterization : uint8_t { kNone, kRow, kColumn, kMlx };

/// Runs `body` once for every point of `grid`, in any order and concurrently. `blocks` are the program's coordinates,
/// `lanes` the thread indices x, y, z inside `threads`; a name no statement uses costs nothing.
struct Launch : OpOf<OpKind::kLaunch> {
  static constexpr std::string_view kName = "launch";
  std::vector<Var> blocks;
  std::vector<Expr> grid;
  std::vector<Var> lanes;
  std::vector<int64_t> threads;
  std::vector<int64_t> cluster;
  Rasterization rasterization = Rasterization::kNone;
  int64_t panel_size = 0;
  /// Source text put before the kernel.
  std::string prelude;
  Attrs hints;
  Block body;
  static constexpr auto fields() {
    return std::tuple{defines("blocks", &Launch::blocks),
                      index_operand("grid", &Launch::grid),
                      defines("lanes", &Launch::lanes, FieldStyle::kKeyword),
                      attr("threads", &Launch::threads),
                      attr("cluster", &Launch::cluster),
                      attr("rasterization", &Launch::rasterization),
                      attr("panel_size", &Launch::panel_size),
                      attr("prelude", &Launch::prelude),
                      attr("hints", &Launch::hints),
                      block("body", &Launch::body)};
  }
};

/// The hint of a launch whose tile programs run on one AI core each: copies, gemms and scalar code run in order on the
/// core as a whole, and only regions (groups of the engine "simt") have threads. `threads` is the largest number that
/// any region has.
inline constexpr const char* kCoresHint = "cores";

inline bool runs_on_cores(const Launch& launch) { return hint(launch.hints, kCoresHint, false); }

/// Runs `body` on a part of the tile program: threads `first` up to `first + count`, or the engine `engine`. Fragments
/// of the body are laid out over the group; synchronisation inside names its participants. The engine "simt" runs
/// threads 0 up to `count` of an AI core: they start after all that stands before the group, and what stands behind it
/// starts when all of them are done.
struct Group : OpOf<OpKind::kGroup> {
  static constexpr std::string_view kName = "group";
  std::string engine = "threads";
  int64_t first = 0;
  int64_t count = 0;
  Attrs hints;
  Block body;
  static constexpr auto fields() {
    return std::tuple{attr("engine", &Group::engine), attr("first", &Group::first), attr("count", &Group::count),
                      attr("hints", &Group::hints), block("body", &Group::body)};
  }
};

/// The engine of a region of an AI core's vector threads.
inline constexpr const char* kSimtEngine = "simt";

inline bool is_simt_region(const Group& group) { return group.engine == kSimtEngine; }

/// `kSerial` runs in order; `kUnrolled` is serial with the body repeated; `kVectorized` runs its iterations as lanes,
/// with the result of the serial loop; `kPipelined` may overlap iterations, with the result of the serial loop.
enum class LoopKind : uint8_t { kSerial, kUnrolled, kVectorized, kPipelined };

/// Counts `var` from `begin` towards `end` (excluded) by `step`, as Python's range does: no iteration where the range
/// is empty. A step of zero is an error.
struct For : OpOf<OpKind::kFor> {
  static constexpr std::string_view kName = "for";
  Var var;
  Expr begin, end;
  Expr step = 1;
  LoopKind loop = LoopKind::kSerial;
  /// Buffers a pipelined loop keeps in flight; 0 = no overlap.
  int64_t stages = 0;
  /// Manual schedule of a pipelined loop, one entry a statement; empty = the compiler's.
  std::vector<int64_t> order, stage;
  Attrs hints;
  Block body;
  static constexpr auto fields() {
    return std::tuple{defines("var", &For::var),       index_operand("begin", &For::begin),
                      index_operand("end", &For::end), index_operand("step", &For::step, FieldStyle::kKeyword),
                      attr("loop", &For::loop),        attr("stages", &For::stages),
                      attr("order", &For::order),      attr("stage", &For::stage),
                      attr("hints", &For::hints),      block("body", &For::body)};
  }
};

/// Runs `body` for every point of the box `extents`, in any order and concurrently. Two points must not write one
/// element, nor one read what another writes.
struct Parallel : OpOf<OpKind::kParallel> {
  static constexpr std::string_view kName = "parallel";
  std::vector<Var> vars;
  std::vector<Expr> extents;
  Attrs hints;
  Block body;
  static constexpr auto fields() {
    return std::tuple{defines("vars", &Parallel::vars), index_operand("extents", &Parallel::extents),
                      attr("hints", &Parallel::hints), block("body", &Parallel::body)};
  }
};

/// Runs one of two blocks.
struct If : OpOf<OpKind::kIf> {
  static constexpr std::string_view kName = "if";
  Expr condition;
  Block then_body, else_body;
  static constexpr auto fields() {
    return std::tuple{operand("condition", &If::condition), block("then", &If::then_body),
                      block("else", &If::else_body)};
  }
};

/// Evaluates `condition` before every iteration and runs `body` while it holds.
struct While : OpOf<OpKind::kWhile> {
  static constexpr std::string_view kName = "while";
  Expr condition;
  Block body;
  static constexpr auto fields() {
    return std::tuple{operand("condition", &While::condition), block("body", &While::body)};
  }
};

/// Leaves the innermost `for` or `while`.
struct Break : OpOf<OpKind::kBreak> {
  static constexpr std::string_view kName = "break";
  static constexpr auto fields() { return std::tuple{}; }
};

/// Starts the next iteration of the innermost `for` or `while`; in a `parallel` ends this point.
struct Continue : OpOf<OpKind::kContinue> {
  static constexpr std::string_view kName = "continue";
  static constexpr auto fields() { return std::tuple{}; }
};

}  // namespace tl
