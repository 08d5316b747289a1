#pragma once

#include <map>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/pass.h"

namespace tl {

/// Products of tiles in L1: their operands go through L0A and L0B in parts along K. Each product has two places of its
/// own there, which its parts take in turn; where the memories do not suffice for that, all products of the program
/// take two places in turn.
class L1Products {
 public:
  explicit L1Products(const Launch& launch);

  /// The loads and the product of each part. `loop` is the innermost loop around; where each of its iterations has one
  /// part, they take the places in turn.
  Block lower(const Gemm& gemm, const For* loop, const Facts& facts, PassContext& context);

  /// What the program has to begin with: allocations and views.
  Block take_places() { return std::move(hoisted_); }

 private:
  /// A place of a part of an operand.
  Region place(const Region& tile, int64_t rows, int64_t part, MemorySpace space, const For* loop, const Loc& loc);
  /// One of the two places that all products share, as a tile of some shape.
  Region shared_place(const Region& tile, int64_t rows, int64_t part, MemorySpace space, const Loc& loc);

  /// Bytes of each of two places for all products, in memories that do not suffice for places of their own.
  std::map<MemorySpace, int64_t> shared_bytes_;
  std::map<MemorySpace, std::vector<Buffer>> shared_;
  /// Parts so far.
  int64_t turn_ = 0;
  Block hoisted_;
};

/// A product of parts of tiles in L0, whose extents may be known only at run time: where it has elements.
Block lower_l0_gemm(OpPtr gemm, const Facts& facts, PassContext& context);

}  // namespace tl
