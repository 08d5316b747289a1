#pragma once

#include "passes/pass.h"

namespace tl {

/// Statements of a tile program become statements of one thread: parallel loops run over the registers of a thread,
/// fragments become arrays of it, reductions combine registers over threads, products run on scalar units, and effects
/// of the whole program are made by one thread.
/// Requires: `infer-layouts`. Ensures: no parallel loop, tile operation or fragment is left; a launch names its
/// threads, and its hint "resident_blocks", where it has one, says how many blocks are to share a multiprocessor.
/// Threads are ordered as before only after `insert-barriers`.
void lower_threads(Function& function, PassContext& context);

}  // namespace tl
