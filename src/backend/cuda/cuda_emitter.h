#pragma once

#include "backend/cfamily/emitted_source.h"
#include "ir/line_table.h"
#include "target/target.h"

namespace tl {

/// Writes the launches of `function` as one CUDA C++ program for `target`, complete for NVRTC and nvcc: it includes no
/// header. A kernel takes its arguments in the order of `EmittedKernel::args`: tensors as pointers, variables by value
/// in their own type. Requires the stage Stage::kThread. Throws CompileError TL090 for a type or call that the target
/// does not have. Follows the hints "shared_bytes", "index_bits" and "resident_blocks" (which bounds registers) of
/// launches, and "unroll" (how many copies of its body) of loops. Tensors may be the same memory: no pointer is
/// `__restrict__`.
EmittedSource emit_cuda(const Function& function, const LineTable& lines, const Target& target);

}  // namespace tl
