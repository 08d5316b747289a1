#pragma once

#include "backend/cfamily/emitted_source.h"
#include "ir/function.h"
#include "ir/line_table.h"

namespace tl {

/// The text of a function in stage `core`: Ascend C with CANN's C API for arch 3510, one kernel a launch, each behind
/// the functions of threads that it starts. Throws CompileError TL090 for what no call does.
EmittedSource emit_ascend(const Function& function, const LineTable& lines);

}  // namespace tl
