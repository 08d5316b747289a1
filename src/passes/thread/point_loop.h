#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ir/ops.h"
#include "layout/fragment.h"

namespace tl {

/// One element access in the body of a parallel loop.
struct PointAccess {
  Buffer buffer;
  const std::vector<Expr>* indices;
  bool writes;
};

/// Every load and store below the loop, in program order; views are not looked through.
std::vector<PointAccess> point_accesses(const Parallel& loop);

/// The loop's extents where all are constants of at least 1.
std::optional<std::vector<int64_t>> static_extents(const Parallel& loop);

/// The value of an integer expression of the loop's variables alone at a point; none where anything else is in it.
std::optional<int64_t> value_at(const Expr& e, const std::vector<Var>& vars, const std::vector<int64_t>& point);

/// Which variable of the loop each index of a tile is, where each is one of them, no two the same one. Dimensions of
/// extent 1 count for nothing and are left out.
std::optional<std::vector<size_t>> plain_dims(const std::vector<int64_t>& tile, const std::vector<Expr>& indices,
                                              const std::vector<Var>& vars);

/// A layout without the dimensions of extent 1 (one stays where all are), and a layout of that kind for a tile that has
/// them: the same threads and registers.
std::optional<Fragment> without_units(const Fragment& layout);
std::optional<Fragment> with_units(const Fragment& layout, const std::vector<int64_t>& tile);

/// For a loop laid out as `points`: the register in which the thread that runs a point finds the element
/// `tile[indices]`, for every register of the loop, -1 where no thread has a point there. None where some thread does
/// not hold an element that it needs, or registers differ between threads. With `all_holders`, a thread that holds an
/// element must run the point too: what a write needs.
std::optional<std::vector<int64_t>> match_registers(const Fragment& points, const std::vector<Var>& vars,
                                                    const Fragment& tile, const std::vector<Expr>& indices,
                                                    bool all_holders);

}  // namespace tl
