#pragma once

#include <vector>

#include "ir/function.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace tl {

/// One for each launch of `lowered`, which is `function` as code of threads: what its user should know if the machine's
/// compiler reports that registers did not suffice. It names the largest of the user's tiles that threads hold in
/// registers, how many all of them take, and how many there are. Only that compiler knows whether it is so.
std::vector<Diagnostic> register_notes(const Function& function, const Function& lowered, const Target& target);

}  // namespace tl
