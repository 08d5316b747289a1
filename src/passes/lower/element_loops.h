#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/function.h"

namespace tl {

/// A nest of loops over the box `extents`, made by a pass; `body` fills the innermost one from the loop variables
/// (int64). With `independent`, the innermost loop carries that hint.
Block make_loops(const std::vector<Expr>& extents, bool independent, const Loc& loc,
                 const std::function<Block(const std::vector<Var>&)>& body);

/// A parallel loop over the box `extents`, made by a pass; `body` fills it from the loop variables (int32). An empty
/// box is one point, which belongs to one thread.
std::unique_ptr<Parallel> make_points(const std::vector<Expr>& extents, const Loc& loc,
                                      const std::function<Block(const std::vector<Var>&)>& body);
/// `offset + by` for an int32 `by`, exact whatever the offset's dtype.
Expr offset_by(const Expr& offset, const Expr& by);

OpPtr make_store(Buffer buffer, std::vector<Expr> indices, Expr value, const Loc& loc);

/// `body` for every value of the int32 `var` below `extent`.
std::unique_ptr<For> counted_loop(const Var& var, int64_t extent, LoopKind kind, Block body, const Loc& loc);

/// The same over registers of a thread, by unrolled iterations that do not depend on each other.
Block register_loop(const Var& var, int64_t extent, Block body, const Loc& loc);

/// Adds an array of `size` elements of one thread to `out`.
Buffer add_array(const std::string& name, DType dtype, int64_t size, const Loc& loc, Block& out);

/// Bytes of such an array.
int64_t array_bytes(const Buffer& array);

/// A block of one op.
Block one_op(OpPtr op);

}  // namespace tl
