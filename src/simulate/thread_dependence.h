#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/ops.h"

namespace tl::simulate {

/// What of one launch differs between the threads of a block, found without running it: values that come from a thread
/// index, the per-thread buffers and variables they get into, and the statements that therefore run once a thread. All
/// other statements run once for the whole block.
class ThreadDependence {
 public:
  explicit ThreadDependence(const Launch& launch);

  bool depends(const Expr& e) const;
  /// The memory has contents of its own in each thread.
  bool depends(const Buffer& buffer) const { return buffers_.count(root(buffer.get())) != 0; }
  /// The statement runs once a thread. Blocks inside a statement that does not are looked at one by one.
  bool runs_per_thread(const Op& op) const;
  /// Threads, or groups of them, act on their own somewhere in the launch.
  bool any() const { return any_; }

 private:
  struct Context {
    bool divergent = false;
    /// Buffers allocated in the innermost group that covers a part of the threads; null outside of such groups.
    const std::unordered_set<const BufferNode*>* own_of_group = nullptr;
    const Op* loop = nullptr;
  };
  const BufferNode* root(const BufferNode* buffer) const;
  void visit(const Block& block, const Context& context);
  void visit(const Op& op, const Context& context);
  void visit_loop(const Op& op, const Block& body, const Context& context, bool divergent);
  /// A write of something into `buffer`.
  void write(const Buffer& buffer, bool value_depends, const Context& context);
  bool region_depends(const Region& region) const;
  template <class T>
  void mark(std::unordered_set<const T*>& set, const T* item) {
    changed_ |= set.insert(item).second;
  }

  const Launch& launch_;
  int64_t thread_count_ = 1;
  bool changed_ = false, any_ = false;
  std::unordered_set<const ExprNode*> vars_;
  std::unordered_set<const BufferNode*> buffers_;
  /// Loops that threads enter, or leave, at different times.
  std::unordered_set<const Op*> loops_;
  std::unordered_map<const BufferNode*, const BufferNode*> view_of_;
};

}  // namespace tl::simulate
