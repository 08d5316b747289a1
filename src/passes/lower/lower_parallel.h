#pragma once

#include "passes/pass.h"

namespace tl {

/// Turns parallel loops into nests of serial loops, the last variable innermost. Requires nothing. Ensures: no
/// `parallel` is left; the innermost loop of each nest carries the hint "independent", which promises that its
/// iterations may run in any order and together.
void lower_parallel(Function& function, PassContext& context);

}  // namespace tl
