#pragma once

// Names that statements use, nested blocks included unless said otherwise. "Own" buffers are those of single threads
// (local, var), by the root of their views.

#include <functional>
#include <vector>

#include "analysis/accesses.h"

namespace tl {

/// Each once, in order of appearance.
using BufferList = std::vector<const BufferNode*>;

/// Every variable in an expression of `op` or below it.
void for_each_used_var(const Op& op, const std::function<void(const ExprNode*)>& f);
/// Own buffers that `op` reads, writes or declares.
BufferList own_used(const Op& op, const Aliases& aliases);
/// Own buffers in the expressions and fields of `op` itself.
BufferList own_used_here(const Op& op, const Aliases& aliases);
/// Own buffers that `op` writes and that it does not allocate itself. An initial value is a write.
BufferList own_written(const Op& op, const Aliases& aliases);
/// Whether a `break` or `continue` below `op` goes on with a loop around `op`.
bool has_escaping_jump(const Op& op);
/// Whether `which` holds for a `break` or `continue` that goes on with the loop whose body this is.
bool has_jump(const Block& body, const std::function<bool(const Op&)>& which);

}  // namespace tl
