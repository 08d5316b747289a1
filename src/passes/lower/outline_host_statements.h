#pragma once

#include "passes/pass.h"

namespace tl {

/// Leaves on the host only what the runtime can do there: launches, assertions, and loops, branches and names over
/// integers that no memory decides. Runs of other statements outside a launch become launches of one tile program (the
/// host target runs them like any other); on-chip buffers allocated outside move into the launches that use them.
/// Errors: TL090 where a value that only memory knows decides about a launch or is used by one.
void outline_host_statements(Function& function, PassContext& context);

}  // namespace tl
