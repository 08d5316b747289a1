#pragma once

// Walks and rewrites over expressions and ops, derived from the ops' field lists: a new op needs nothing here.

#include <functional>
#include <unordered_map>

#include "ir/function.h"
#include "ir/ops.h"

namespace tl {

/// Calls `f` on every direct operand of `e`, indices and arguments included.
void for_each_operand(const Expr& e, const std::function<void(const Expr&)>& f);
/// Calls `f` on `e` and everything below it, operands first.
void visit_exprs(const Expr& e, const std::function<void(const Expr&)>& f);
/// Whether `e` is `var` or has it somewhere below.
bool mentions(const Expr& e, const Expr& var);
/// Whether an element of `buffer` is loaded somewhere in `e`.
bool reads(const Expr& e, const Buffer& buffer);
/// Whether the lists hold the same expressions in the same order.
bool all_same(const std::vector<Expr>& a, const std::vector<Expr>& b);
/// Adds the conditions that `e` joins by `and` to `out`, in order; those that are true for certain are left out.
void split_conjunction(const Expr& e, std::vector<Expr>& out);
/// Rebuilds `e` with every direct operand replaced by `f(operand)`; returns `e` itself when nothing changed.
Expr map_operands(const Expr& e, const std::function<Expr(const Expr&)>& f);

/// What a rewrite does to the parts of an expression: each entry maps an old variable or buffer to its replacement.
struct Substitution {
  std::unordered_map<const ExprNode*, Expr> vars;
  std::unordered_map<const BufferNode*, Buffer> buffers;
  bool empty() const { return vars.empty() && buffers.empty(); }
};
Expr substitute(const Expr& e, const Substitution& s);

/// One access of an op's own fields to a buffer, as the field list declares it.
struct RegionAccess {
  const Region* region;
  FieldRole role;
  std::string_view field;
};

/// The top-level expressions of one op, those in regions' offsets and extents included, nested blocks excluded.
void for_each_expr(const Op& op, const std::function<void(const Expr&)>& f);
/// Replaces them; definitions are not touched.
void map_exprs(Op& op, const std::function<Expr(const Expr&)>& f);
/// The same by a function that keeps values: indices among them keep theirs, which does not wrap (see map_index).
void map_values(Op& op, const std::function<Expr(const Expr&)>& f);
void for_each_region(const Op& op, const std::function<void(const RegionAccess&)>& f);
/// Nested blocks of one op, with their field names, in declared order.
void for_each_block(Op& op, const std::function<void(std::string_view, Block&)>& f);
void for_each_block(const Op& op, const std::function<void(std::string_view, const Block&)>& f);
/// Variables and buffers that the op brings into being.
void for_each_definition(const Op& op, const std::function<void(const Var&)>& on_var,
                         const std::function<void(const Buffer&)>& on_buffer);

/// Every op below `block`, outer before inner, in program order.
void visit_ops(const Block& block, const std::function<void(const Op&)>& f);
void visit_ops(Block& block, const std::function<void(Op&)>& f);

/// Applies a substitution to every use of variables and buffers (regions and referred buffers included) in place.
void substitute(Op& op, const Substitution& s);
void substitute(Block& block, const Substitution& s);

/// Replaces each op of `block`, innermost blocks first, by the ops `f` returns for it. `f` takes ownership.
void rewrite_ops(Block& block, const std::function<Block(OpPtr)>& f);

/// A deep copy in which everything defined inside has a new identity, so that it can stand beside the original.
Block clone_with_new_definitions(const Block& block, Substitution s = {});

}  // namespace tl
