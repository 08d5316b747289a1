#pragma once

// Whether threads meet in memory: which statements may run thread after thread, and which need all threads to be
// through with one before the next.

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/accesses.h"
#include "analysis/interval.h"
#include "analysis/uniform.h"

namespace tl {

/// What the ops of one launch read and write of the memory that its threads share.
class ThreadAccesses {
 public:
  ThreadAccesses(const Function& function, const Launch& launch, const Uniformity& uniformity, const Aliases& aliases);

  /// Whether some thread's `later` may touch an element that another thread's `earlier` touches, one of them writing.
  bool conflict(const Op& earlier, const Op& later) const;
  /// Whether that may happen between two points of time inside `construct`. Two writes to global memory do not count:
  /// the program says nothing of their order.
  bool conflict_inside(const Op& construct) const;

 private:
  struct Term {
    Expr atom;
    Wide coefficient;
    Interval range;
    /// A lane's number, or -1.
    int lane;
  };
  struct Index {
    std::vector<Term> terms;
    Wide constant;
  };
  struct Touch {
    Buffer buffer;
    const BufferNode* root;
    /// Empty where any element may be meant.
    std::vector<Index> indices;
    bool writes;
  };
  using Names = std::unordered_set<const ExprNode*>;

  void add(const Op& op, const Facts& facts, const Buffer& buffer, const std::vector<Expr>& indices, bool writes);
  Index index(const Expr& e, const Facts& facts) const;
  int lane_of(const Expr& e) const;
  std::vector<const Touch*> touches_below(const Op& op) const;
  bool meet(const Touch& a, const Touch& b, const Names& inner) const;
  bool is_fixed(const Expr& atom, const Names& inner) const;
  /// By how much two indices differ apart from their lanes, for any two points of time; nothing that can be used where
  /// the lanes' coefficients are not the same.
  std::optional<Interval> distance(const Index& a, const Index& b, const Names& inner) const;

  const Launch& launch_;
  const Uniformity& uniformity_;
  const Aliases& aliases_;
  std::unordered_map<const Op*, std::vector<Touch>> touches_;
};

/// Number of threads of the launch along dimension `d`, 1 where it has none.
inline int64_t lane_extent(const Launch& launch, size_t d) { return d < launch.threads.size() ? launch.threads[d] : 1; }

}  // namespace tl
