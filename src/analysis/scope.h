#pragma once

// Facts along the op tree: what holds inside a nested block, and behind a statement.

#include <functional>
#include <string_view>

#include "analysis/facts.h"
#include "ir/ops.h"

namespace tl {

/// Adds what holds at the start of the block `block` (its field name: "body", "then", "else") of `op`.
void enter_block(Facts& facts, const Op& op, std::string_view block);
/// Adds what holds behind `op` for the rest of its block: binds, assumptions, and the condition of an `if` that would
/// have left the block by `break` or `continue`.
void add_after(Facts& facts, const Op& op);
/// Whether control never reaches the end of `block`: it ends with a `break` or `continue`, on all its ways.
bool always_leaves(const Block& block);

/// Calls `f` on every op below `block`, outer before inner, in program order, with what holds where it stands.
void visit_ops(const Block& block, Facts& facts, const std::function<void(const Op&, const Facts&)>& f);
/// The same for a whole function.
void visit_ops(const Function& function, const std::function<void(const Op&, const Facts&)>& f);

/// Replaces each op of `block` by the ops `f` returns for it (`f` takes ownership), innermost first, with what holds
/// where it stands. An op's nested blocks are already rewritten when `f` sees it; what holds behind it is taken from
/// the op as it was before.
void rewrite_ops(Block& block, Facts& facts, const std::function<Block(OpPtr, Facts&)>& f);

}  // namespace tl
