#pragma once

#include <unordered_map>
#include <vector>

#include "ir/ops.h"

namespace tl {

/// A pipelined loop and the shared tiles that it can load ahead: every iteration loads each of them as a whole by one
/// copy of what no iteration writes, before it reads them, and nothing outside of such loops uses them.
struct PipelinedTiles {
  const For* loop = nullptr;
  /// Statements of the loop's body, in order.
  std::vector<const Copy*> copies;
};

/// The loops of a launch that have any, in program order.
std::vector<PipelinedTiles> pipelined_tiles(const Launch& launch);

/// Bytes of a buffer of constant shape.
int64_t bytes_of(const Buffer& buffer);

}  // namespace tl
