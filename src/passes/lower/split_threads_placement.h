#pragma once

// Where each statement of a launch runs: once, once with its body split, or once per thread.

#include <unordered_set>

#include "analysis/uniform.h"
#include "passes/lower/split_threads_access.h"
#include "support/diagnostic.h"

namespace tl {

class Placement {
 public:
  /// Requires that collective ops are reached by all threads alike (check_collectives). Reports what cannot be split
  /// (TL090).
  Placement(const Launch& launch, const Uniformity& uniformity, const ThreadAccesses& accesses, const Aliases& aliases,
            Diagnostics& diagnostics);

  /// The statement, nested blocks included, runs once per thread.
  bool per_thread(const Op& op) const { return per_thread_.count(&op) != 0; }
  /// Control flow that runs once while its body is split.
  bool split(const Op& op) const { return outside_.count(&op) != 0; }
  /// A declaration: it does nothing but bring a buffer into being, so it may stand anywhere before its uses.
  bool floats(const Op& op) const;
  /// Whether a statement that runs per thread stores to the buffer, given by its root.
  bool stored_per_thread(const BufferNode* root) const { return stored_.count(root) != 0; }
  bool same_for_all(const BufferNode* root) const { return uniformity_.is_uniform(Buffer(root)); }

 private:
  bool has_collective(const Op& op) const;
  bool is_uniform_control(const Op& op) const;
  void decide(const Op& op, bool in_outside_loop);
  bool spread(const Block& block);
  bool is_thread_code(const Op& op) const;
  void check_jumps(const Block& block);

  const Uniformity& uniformity_;
  const ThreadAccesses& accesses_;
  const Aliases& aliases_;
  Diagnostics& diagnostics_;
  std::unordered_set<const Op*> outside_, per_thread_;
  std::unordered_set<const BufferNode*> stored_;
};

}  // namespace tl
