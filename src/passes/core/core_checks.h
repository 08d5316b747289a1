#pragma once

#include <string>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/pass.h"

namespace tl {

/// Whether an integer is a multiple of a number: a constant where that is known.
Expr is_multiple(const Expr& e, int64_t of, const Facts& facts);

/// Sees to it that a condition of an op holds. Where it is known not to: false, and an error with `message` and `help`
/// at the op. Where only the launch says: an assertion at the end of `before`.
bool ensure(const Expr& condition, const Op& op, std::string message, std::string help, PassContext& context,
            Block& before);

}  // namespace tl
