#pragma once

#include "passes/pass.h"

namespace tl {

/// Decides how every fragment and every parallel loop of a launch lies over its threads: the hint "layout", a
/// `Fragment` in text form, on their `alloc` and `parallel`. A fragment that some statement needs
/// in threads that do not hold it becomes shared memory.
/// Requires: `tiles-to-loops`, `guard-accesses`. Ensures: in every loop with a layout, a thread that runs a point holds
/// the fragment elements it reads, and every holder of an element runs the point that writes it. Loops without a layout
/// run as a whole in every thread (they are code of single threads), or have run-time extents.
void infer_layouts(Function& function, PassContext& context);

}  // namespace tl
