#pragma once

#include <functional>

#include "analysis/facts.h"
#include "ir/function.h"
#include "ir/ops.h"

namespace tl {

/// Calls `f` for every launch of programs for AI cores, with what is known in its body. `f` may change the launch.
void for_each_core_program(Function& function, const std::function<void(Launch&, Facts&)>& f);

}  // namespace tl
