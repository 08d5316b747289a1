#pragma once

// Which parts of a tile program depend on the thread that runs them. A statement of a launch body that depends on no
// thread may run once for all; the others run once per thread.

#include <unordered_set>
#include <vector>

#include "ir/ops.h"

namespace tl {

/// The parts of one launch whose value or execution differs from thread to thread.
///
/// Differing values come from the lanes (thread indices with more than one value) and flow through binds, loop bounds,
/// and the elements of per-thread buffers (`local`, `var`): such a buffer differs where something differing is stored
/// to it, at a differing place or under differing control. Memory that threads share (global, shared, fragment) has one
/// content; a load from it differs only by its indices. Inside `parallel` the point of the loop counts as differing
/// too.
class Uniformity {
 public:
  explicit Uniformity(const Launch& launch);

  /// Whether `e` has one value for all threads that evaluate it, at any one point of the program.
  bool is_uniform(const Expr& e) const;
  /// Whether all threads' copies of a per-thread buffer have the same contents; true for other buffers.
  bool is_uniform(const Buffer& buffer) const { return differing_buffers_.count(buffer.get()) == 0; }
  /// Whether the statement, its nested blocks included, does the same for every thread, so that it may run once.
  /// `parallel` and tile operations are collective: they count as uniform unless they use differing values of the
  /// threads around them.
  bool is_uniform(const Op& op) const { return differing_ops_.count(&op) == 0; }
  /// Whether some threads may reach the statement while others do not (an `if`, `while` or `for` on differing values,
  /// or a `break` under one): no place for a barrier.
  bool in_differing_control(const Op& op) const { return partly_reached_.count(&op) != 0; }

 private:
  friend class UniformityBuilder;
  std::unordered_set<const ExprNode*> differing_vars_;
  std::unordered_set<const BufferNode*> differing_buffers_;
  std::unordered_set<const Op*> differing_ops_;
  std::unordered_set<const Op*> partly_reached_;
  /// Keyed by address, so the nodes stay alive here.
  std::vector<Expr> kept_vars_;
  std::vector<Buffer> kept_buffers_;
};

}  // namespace tl
