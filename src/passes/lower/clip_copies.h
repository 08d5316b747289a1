#pragma once

#include "passes/pass.h"

namespace tl {

/// Makes tile copies and fills stay inside their buffers, those of groups of engine "simt" aside. Requires nothing.
/// Ensures: every region of a tile.copy or tile.fill lies inside its buffer for all values of its variables; the
/// elements of a copy's destination whose source is outside are filled with the copy's pad, or 0.
void clip_copies(Function& function, PassContext& context);

}  // namespace tl
