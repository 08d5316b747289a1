#pragma once

// Per-thread buffers that outlive a loop over the threads: one buffer with a leading dimension, one entry a thread.

#include <functional>
#include <unordered_map>

#include "ir/ops.h"

namespace tl {

class ThreadCopies {
 public:
  /// `holds` says whether a per-thread buffer, under any of its names, is one of these.
  ThreadCopies(int64_t threads, std::function<bool(const Buffer&)> holds)
      : threads_(threads), holds_(std::move(holds)) {}

  bool holds(const Buffer& buffer) const { return holds_(buffer); }
  /// The buffer with all threads' entries that stands for `buffer`, in the memory the threads share.
  Buffer all_of(const Buffer& buffer);

  /// Makes every access in the expression, or in the op and below it, one of the entry `thread`.
  Expr at_thread(const Expr& e, const Expr& thread);
  void at_thread(Op& op, const Expr& thread);
  /// The same for what the op itself says, without its nested blocks.
  void own_fields_at_thread(Op& op, const Expr& thread);

 private:
  int64_t threads_;
  std::function<bool(const Buffer&)> holds_;
  std::unordered_map<const BufferNode*, Buffer> all_;
};

}  // namespace tl
