#pragma once

#include "backend/cfamily/emitted_source.h"
#include "ir/line_table.h"

namespace tl {

/// Writes the launches of `function` as one C++ program for the host; the interface of a kernel is
/// runtime/kernel_abi.h's. Requires the stage Stage::kHost with every element access inside its buffer. Throws
/// CompileError TL090 for a type or call that the host does not have.
EmittedSource emit_host(const Function& function, const LineTable& lines);

}  // namespace tl
