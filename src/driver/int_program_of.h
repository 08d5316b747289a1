#pragma once

#include <functional>

#include "ir/expr.h"
#include "runtime/int_program.h"

namespace tl {

/// The slot of a variable; negative when it has none.
using SlotOf = std::function<int(const Var&)>;

/// `e` as a program of the runtime. Signed arithmetic does not wrap (it is made in 64 bits, as indices are); unsigned
/// and bool values keep their width. Precondition: `e` is an integer or bool without loads, calls and floats, and every
/// variable has a slot; else InternalError.
IntProgram int_program_of(const Expr& e, const SlotOf& slot_of);

}  // namespace tl
