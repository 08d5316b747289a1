#pragma once

#include "passes/pass.h"

namespace tl {

/// Runs the threads of a tile program on one core: statements that depend on thread indices become loops over the
/// threads, cut where threads wait for each other. The method is known as work-group loops (POCL) or loop fission at
/// barriers (MCUDA).
/// Requires: no asynchrony (serialize-pipelines), groups that do not wait for each other (serialize-groups).
/// Ensures: nothing uses a launch's lanes; no barrier and no group is left; every buffer is one per tile program.
/// Errors: TL076 and TL078 of check_collectives; TL090 for a program that is right but cannot be cut.
void split_threads(Function& function, PassContext& context);

}  // namespace tl
