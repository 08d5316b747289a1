#pragma once

#include "passes/pass.h"

namespace tl {

/// Gives element accesses that may leave their buffer a condition: such a load becomes `select(inside, load, 0)`, such
/// a store stands in an `if`. Requires nothing; tile operations are not looked at. Ensures: every load and store of an
/// element is inside its buffer whenever it is evaluated. Does nothing under "tl.disable_safe_memory_legalize".
void guard_accesses(Function& function, PassContext& context);

}  // namespace tl
