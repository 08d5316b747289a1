#pragma once

// Ops of lowered code for machines whose cores have no threads at their top: engines that run at once and meet through
// flags.

#include "ir/op.h"

namespace tl {

/// The engines of an AI core. Each runs its statements in order; different ones run at the same time.
enum class Engine : uint8_t {
  kScalar,   // control, and single elements
  kVector,   // functions of threads
  kCube,     // products of tiles in L0
  kMte1,     // L1 -> L0A, L0B
  kMte2,     // global memory -> UB, L1
  kMte3,     // UB -> global memory, L1
  kFixpipe,  // L0C -> global memory, UB
};

/// Runs `body` once on each of `grid` AI cores, concurrently. Its statements start in program order, each on the engine
/// that the memories it touches say (`engine_of`): the statements of one engine run in order, those of different ones
/// wherever no flag orders them. A launch inside is a function of threads on the vector engine.
struct CoreLaunch : OpOf<OpKind::kCoreLaunch> {
  static constexpr std::string_view kName = "core.launch";
  std::vector<Var> blocks;
  std::vector<Expr> grid;
  /// Source text put before the kernel.
  std::string prelude;
  Attrs hints;
  Block body;
  static constexpr auto fields() {
    return std::tuple{defines("blocks", &CoreLaunch::blocks), index_operand("grid", &CoreLaunch::grid),
                      attr("prelude", &CoreLaunch::prelude), attr("hints", &CoreLaunch::hints),
                      block("body", &CoreLaunch::body)};
  }
};

/// Once engine `from` is done with what stands before, flag `id` of the pair is set. It must not be set already.
struct CoreSet : OpOf<OpKind::kCoreSet> {
  static constexpr std::string_view kName = "core.set";
  Engine from = Engine::kScalar, to = Engine::kScalar;
  Expr id;
  static constexpr auto fields() {
    return std::tuple{attr("from", &CoreSet::from, FieldStyle::kPositional),
                      attr("to", &CoreSet::to, FieldStyle::kPositional), index_operand("id", &CoreSet::id)};
  }
};

/// Engine `to` goes on when flag `id` of the pair is set, and clears it.
struct CoreWait : OpOf<OpKind::kCoreWait> {
  static constexpr std::string_view kName = "core.wait";
  Engine from = Engine::kScalar, to = Engine::kScalar;
  Expr id;
  static constexpr auto fields() {
    return std::tuple{attr("from", &CoreWait::from, FieldStyle::kPositional),
                      attr("to", &CoreWait::to, FieldStyle::kPositional), index_operand("id", &CoreWait::id)};
  }
};

/// The engine starts nothing that stands behind before it is done with all that stands before. The scalar unit, which
/// issues the statements of all engines, waits for all of them.
struct CoreBarrier : OpOf<OpKind::kCoreBarrier> {
  static constexpr std::string_view kName = "core.barrier";
  Engine engine = Engine::kScalar;
  static constexpr auto fields() { return std::tuple{attr("engine", &CoreBarrier::engine, FieldStyle::kPositional)}; }
};

/// Rows of a fractal, the unit of tiles in L1, L0A, L0B and L0C.
inline constexpr int64_t kFractalRows = 16;
/// Its columns: 32 bytes of operands, 16 sums of an accumulator. Requires: elements of whole bytes.
int64_t fractal_columns(const BufferNode& tile);
/// Rows and columns of the square block that a load to L0 transposes at once: one or two fractals of its source.
int64_t transposed_block(DType element);
/// The rows of a tile of fractals, whole fractals: where its columns of fractals begin.
Expr fractal_height(const BufferNode& tile);

/// The engine that moves data between two memories; nothing where no engine does.
std::optional<Engine> engine_between(MemorySpace from, MemorySpace to);
/// The engine of a statement of a core; nothing where engines differ below it (loops, branches), or none runs it.
std::optional<Engine> engine_of(const Op& op);

}  // namespace tl
