#pragma once

#include <cstdint>

#include "ir/ops.h"

namespace tl {

/// Roughly how many instructions the statements become, with the loops in them that `is_unrolled` unrolled.
int64_t instructions(const Block& body);

/// Whether a loop of points is written out for each of its iterations. One over registers is, for a register has no
/// address, unless they are more than a thread can hold, or the code would take seconds to compile.
bool is_unrolled(const For& loop);

}  // namespace tl
