#pragma once

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

/// An M x N accumulator over all threads, each with a block of rows and columns as square as it divides, so that a
/// product reads few operands for many multiplications.
Fragment accumulator_layout(const std::vector<int64_t>& extents, int64_t threads);

}  // namespace tl
