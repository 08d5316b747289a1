#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/accesses.h"
#include "ir/ops.h"

namespace tl {

/// What an engine touches.
struct Touch {
  Engine engine;
  Access access;
};

/// What the statements of a core's program touch, on which engine, and when two of them meet. Of one engine only those
/// pairs meet whose order the engine does not keep by itself.
class CoreTouches {
 public:
  explicit CoreTouches(const CoreLaunch& core);

  /// Of a statement and all that is inside of it; registers and memory of a function of threads aside.
  std::vector<Touch> of(const Op& op, const Facts& facts) const;
  /// Whether two statements that run once may touch the same bytes, one of them writing.
  bool conflict(const Touch& a, const Touch& b, const Facts& facts) const;
  /// How many iterations of the loop later `b` may meet what `a` touched; nothing where it never does.
  std::optional<int64_t> distance(const Touch& a, const Touch& b, const For& loop, const Facts& facts) const;
  /// The number of versions that the loop's iterations use in turn, where both statements use that of their iteration.
  std::optional<int64_t> versions(const Touch& a, const Touch& b, const For& loop) const;

 private:
  void find_engines(const Block& block, std::optional<Engine> around);
  static bool overtakes(const Touch& a, const Touch& b);
  bool share_bytes(const BufferNode& a, const BufferNode& b) const;

  const Aliases aliases_;
  std::unordered_map<const Op*, Engine> engines_;
  std::set<const BufferNode*> inner_;
  std::unordered_map<const BufferNode*, int64_t> versions_;
  /// Places of buffers; -1 where they have none yet.
  std::unordered_map<const BufferNode*, int64_t> offsets_;
};

}  // namespace tl
