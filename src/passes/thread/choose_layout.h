#pragma once

#include "ir/ops.h"
#include "layout/fragment.h"
#include "passes/pass.h"
#include "passes/thread/vector_access.h"

namespace tl {

/// What accesses may rest on for the context's target and assumptions.
AccessRules rules_of(const PassContext& context);

/// A tile over all threads, each taking `vector` neighbours along the last dimension (fewer where that leaves threads
/// without work or does not divide the row). With `rows`, a row belongs to consecutive threads of its own, so that a
/// reduction along it stays among them.
Fragment spread_layout(const std::vector<int64_t>& extents, int64_t threads, int64_t vector, bool rows);

/// The accumulator of a product over all threads, each with a block of rows and columns as square as it divides, so
/// that few operands are read for many multiplications. Along a dimension where neighbours of an operand are neighbours
/// in memory, a thread takes four of them; else neighbouring threads take neighbours.
Fragment accumulator_layout(const Gemm& gemm, const std::vector<int64_t>& extents, int64_t threads);

}  // namespace tl
