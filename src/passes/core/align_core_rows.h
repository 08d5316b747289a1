#pragma once

#include "passes/pass.h"

namespace tl {

/// Rows of tiles in the unified buffer of AI cores become whole blocks of 32 bytes, as engines move them, and planes of
/// tiles of fractals whole fractals. Tiles with views keep their rows: a view has the bytes of its source in their
/// order. Requires: `version-buffers`.
void align_core_rows(Function& function, PassContext& context);

}  // namespace tl
