#pragma once

#include "passes/pass.h"

namespace tl {

/// Simplifies every expression with what is known where it stands (loop ranges, conditions around, assumptions, binds),
/// then the statements that this decides: an `if` on a constant becomes its branch, a loop without iterations goes, a
/// loop of one iteration becomes its body; so do binds of constants and of variables, binds nobody uses, assertions and
/// assumptions that hold anyway, calls without an effect, and what stands behind a `break` or `continue`.
///
/// Requires: nothing. Ensures: the function does what it did, on all arguments, floats bit by bit (a NaN may be another
/// NaN); conditions on memory stay where they stand. Statements with a slot of a schedule keep their structure.
void simplify_function(Function& function, PassContext& context);

}  // namespace tl
