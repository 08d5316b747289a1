#pragma once

#include <functional>
#include <memory>

#include "ir/function.h"

namespace tl {

/// A smaller function that still `fails`: ops are left out, nests replaced by their bodies, operands by 0 or by one of
/// their own operands, and unused parameters and symbols removed, as long as the result verifies and still fails.
/// Greedy, until nothing more can go. Precondition: `fails(function)`.
std::unique_ptr<Function> shrink(const Function& function, const std::function<bool(const Function&)>& fails);

}  // namespace tl
