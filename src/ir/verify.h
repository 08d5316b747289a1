#pragma once

// The laws every function obeys between passes. A violation is our fault, never the user's: the builder refuses wrong
// programs before they become IR.

#include <string>
#include <vector>

#include "ir/function.h"

namespace tl {

/// Named sets of legal ops: a stage says how far lowering has come.
enum class Stage : uint8_t {
  kTile,    // what the user wrote: everything but tile.relayout
  kHost,    // what the host emitter prints: no parallel loops, groups or asynchrony
  kThread,  // what one thread of a device does: no tile operations, parallel loops, groups or fragments
  kCore,    // what an AI core does: tile operations on its engines, launches of single threads, flags
  kAny,
};

/// Every broken law, in words, with the op's text; empty when the function is sound.
std::vector<std::string> verify(const Function& function, Stage stage = Stage::kAny);

/// Throws InternalError with the list and the function's text when there is one.
void check_sound(const Function& function, Stage stage, const std::string& after);

}  // namespace tl
