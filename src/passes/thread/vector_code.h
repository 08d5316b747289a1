#pragma once

#include "analysis/facts.h"
#include "passes/thread/point_code.h"
#include "passes/thread/tensors_apart.h"
#include "passes/thread/vector_access.h"

namespace tl {

struct VectorPoints {
  Block code;
  /// Whether it is right only where tensors are apart.
  bool relies_on_apart;
};

/// The points of a laid-out parallel loop, statement by statement, with neighbouring elements of memory moved as
/// vectors: first all loads of a batch of registers, then what is computed from them, then the stores. Conditions that
/// keep accesses inside their tensors are asked once for the whole tile where they can be; a tile at an edge asks for
/// each group of neighbours where rows end between two groups, else for each point. None where the body is no list of
/// (guarded) stores or where nothing is gained over `PointCode::scalar`.
std::optional<VectorPoints> vector_points(const PointCode& code, const Facts& facts, const AccessRules& rules,
                                          const SharedMemoryOf& shared);

}  // namespace tl
