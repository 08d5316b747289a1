#pragma once

#include "passes/pass.h"

namespace tl {

/// Puts the bodies of groups that run side by side into one order. A named barrier that joins several groups cuts their
/// bodies into parts, and the parts follow each other as the barriers let them.
/// Requires: no asynchrony (serialize-pipelines). Ensures: no two groups wait for each other. A group stays only where
/// its body has code on thread indices: split-threads runs that code for the group's threads.
/// Errors: TL076 for barriers that are never complete, TL090 for a joining barrier inside a loop or branch.
void serialize_groups(Function& function, PassContext& context);

}  // namespace tl
