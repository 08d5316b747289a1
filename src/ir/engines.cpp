// Which engine of an AI core runs a statement.

#include "ir/index.h"
#include "ir/ops.h"

namespace tl {
namespace {

struct DataPath {
  MemorySpace from, to;
  Engine engine;
};

// `shared` is the unified buffer of a vector core.
constexpr DataPath kPaths[] = {
    {MemorySpace::kGlobal, MemorySpace::kShared, Engine::kMte2},
    {MemorySpace::kGlobal, MemorySpace::kL1, Engine::kMte2},
    {MemorySpace::kL1, MemorySpace::kL0A, Engine::kMte1},
    {MemorySpace::kL1, MemorySpace::kL0B, Engine::kMte1},
    {MemorySpace::kShared, MemorySpace::kGlobal, Engine::kMte3},
    {MemorySpace::kShared, MemorySpace::kL1, Engine::kMte3},
    {MemorySpace::kL0C, MemorySpace::kGlobal, Engine::kFixpipe},
    {MemorySpace::kL0C, MemorySpace::kShared, Engine::kFixpipe},
};

}  // namespace

int64_t fractal_columns(const BufferNode& tile) {
  constexpr int64_t kRowBytes = 32;
  return tile.space == MemorySpace::kL0C ? kFractalRows : kRowBytes / tile.dtype.bytes();
}

int64_t transposed_block(DType element) { return element.bytes() == 1 ? 2 * kFractalRows : kFractalRows; }

Expr fractal_height(const BufferNode& tile) {
  const Expr& rows = tile.shape[tile.rank() - 2];
  const Expr unit = make_int(DType::i64(), kFractalRows);
  const auto count = as_int(rows);
  return count ? make_int(DType::i64(), (*count + kFractalRows - 1) / kFractalRows * kFractalRows)
               : ceildiv(widen_index(rows), unit) * unit;
}

std::optional<Engine> engine_between(MemorySpace from, MemorySpace to) {
  for (const DataPath& path : kPaths) {
    if (path.from == from && path.to == to) return path.engine;
  }
  return std::nullopt;
}

std::optional<Engine> engine_of(const Op& op) {
  switch (op.kind) {
    case OpKind::kCopy: {
      const auto* copy = op.as<Copy>();
      return engine_between(copy->src.buffer->space, copy->dst.buffer->space);
    }
    case OpKind::kFill:
      // L1 is filled by the engine that loads it.
      return op.as<Fill>()->dst.buffer->space == MemorySpace::kL1 ? std::optional(Engine::kMte2) : std::nullopt;
    case OpKind::kGemm:
      return Engine::kCube;
    case OpKind::kLaunch:
      return Engine::kVector;
    case OpKind::kBind:
    case OpKind::kStore:
    case OpKind::kEvaluate:
    case OpKind::kAssert:
    case OpKind::kPrint:
      return Engine::kScalar;
    default:
      return std::nullopt;
  }
}

}  // namespace tl
