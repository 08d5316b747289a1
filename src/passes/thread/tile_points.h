#pragma once

#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/thread/point_code.h"
#include "passes/thread/vector_access.h"

namespace tl {

/// A parallel loop with its layout, to be lowered; or another statement of the thread.
struct LaidOut {
  OpPtr op;
  std::optional<Fragment> layout;
  /// Points follow each other in the thread and may update one element.
  bool sequential = false;
};

/// The layout in which the results of a reduction come out of registers laid out as `source`; none where it cannot be
/// told which threads hold parts of one result.
std::optional<Fragment> result_layout(const Fragment& source, size_t dim, bool keeps_dim);
/// The same for a source in memory that all threads read.
Fragment result_layout(const std::vector<int64_t>& extents, const std::vector<int64_t>& results, size_t dim,
                       int64_t threads);

/// A reduction as loops: partial results of each thread, their combination over threads, and the result's stores. New
/// tiles join `tiles`.
std::vector<LaidOut> reduce_points(const Reduce& reduce, ThreadTiles& tiles);

/// A reduction as one loop over its results, each made by whoever runs the point. The source is no fragment.
std::unique_ptr<Parallel> reduce_loop(const Reduce& reduce);

/// A product as loops on scalar units: an accumulator in registers, to which the products are added (see
/// `gemm_loop`).
std::vector<LaidOut> gemm_points(const Gemm& gemm, ThreadTiles& tiles, const Facts& facts, const AccessRules& rules);

}  // namespace tl
