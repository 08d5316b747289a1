#pragma once

#include "ir/function.h"
#include "runtime/artifact.h"

namespace tl {

/// Gives the messages of an artifact the positions of `function`, whose text without positions is that of the function
/// the artifact was compiled from, but which may stand elsewhere: a stored artifact does not depend on where the user's
/// lines are. Throws InternalError when the texts differ.
void relocate(Artifact& artifact, const Function& function);

}  // namespace tl
