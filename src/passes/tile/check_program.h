#pragma once

#include "passes/pass.h"

namespace tl {

/// Checks of the user's program that need the whole function. Changes nothing.
/// Requires: nothing. Ensures: no barrier or collective operation is reached by some threads only or differs between
/// threads, and no break leaves a parallel loop.
/// Errors, only where the program is certainly wrong whenever the statement runs: TL021 and TL054 (an access outside an
/// on-chip buffer), TL067, TL076, TL078, TL091 (tiles larger than the machine's memory), TL122 (a copy onto part of
/// itself). Warnings: TL121 (a buffer that is read but never written), TL122 (iterations
/// of a parallel loop that write one element).
void check_program(Function& function, PassContext& context);

}  // namespace tl
