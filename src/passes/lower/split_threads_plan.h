#pragma once

// Which statements of a launch run once, which run once per thread, and where the threads' loops begin and end.

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/uniform.h"
#include "passes/lower/split_threads_access.h"
#include "support/diagnostic.h"

namespace tl {

/// The threads that run a block: `first` up to `first + count`.
struct ThreadRange {
  int64_t first = 0, count = 0;
  bool operator==(const ThreadRange&) const = default;
};

/// Statements next to each other that all threads run one thread after the other, in one loop over the threads.
struct ThreadRun {
  std::vector<Op*> ops;
  const Block* block;
  ThreadRange threads;
};

/// An entry of a block that runs once: a statement, or a run.
struct PlanItem {
  Op* op = nullptr;
  int run = -1;
};

/// What becomes of a per-thread buffer that is allocated where all threads are together.
struct Storage {
  enum Kind : uint8_t {
    kOne,        // every thread stores the same, by statements that run once: one buffer for all
    kPrivate,    // used in one run only: allocated inside its loop
    kPerThread,  // lives across runs: a leading dimension with one entry a thread
  };
  Kind kind = kOne;
  int run = -1;
  /// The allocation, and the views of it outside runs, in program order.
  std::vector<Op*> declarations;
};

/// A value that differs between threads, bound in one run and used in another.
struct CrossingBind {
  Var var;
  Expr value;
  Loc loc;
  int run;
  /// Evaluated anew in the other runs; else kept in an array with one entry a thread.
  bool recompute;
};

struct SplitPlan {
  std::vector<ThreadRun> runs;
  /// Entries of every block that runs once and has statements per thread.
  std::unordered_map<const Block*, std::vector<PlanItem>> blocks;
  /// Control flow that runs once while its body is split.
  std::unordered_set<const Op*> split;
  /// By the root of the buffer's views; per-thread buffers that are allocated inside a run are not listed.
  std::unordered_map<const BufferNode*, Storage> storage;
  /// Its keys in program order.
  std::vector<const BufferNode*> stored_buffers;
  std::unordered_map<const ExprNode*, CrossingBind> crossing;
};

/// Requires: groups nest only in control flow that is the same for all threads. What cannot be split is reported
/// (TL090); the plan is then of no use.
SplitPlan plan_split(Launch& launch, const Uniformity& uniformity, const ThreadAccesses& accesses,
                     const Aliases& aliases, Diagnostics& diagnostics);

}  // namespace tl
