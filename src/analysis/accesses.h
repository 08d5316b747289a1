#pragma once

// Which elements of which buffers a statement may touch: for dependence analysis, checks and allocation.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"

namespace tl {

/// Buffers that name the same memory by `view`. Two different roots are different memory, except that parameters may be
/// the same tensor passed twice.
class Aliases {
 public:
  explicit Aliases(const Block& block);
  explicit Aliases(const Function& function) : Aliases(function.body) {}
  /// The buffer that was allocated or passed, through any number of views.
  Buffer root(const Buffer& buffer) const;

 private:
  std::unordered_map<const BufferNode*, Buffer> source_;
};

/// All elements of one buffer that one statement, its nested blocks included, may read or write through one field or
/// load.
struct Access {
  /// As the statement names it; `Aliases::root` gives the memory behind it.
  Buffer buffer;
  /// In the buffer's own coordinates and clipped to nothing, over variables from outside the statement. A dimension
  /// whose bounds cannot be said covers the whole extent. An access whose index may lie outside is listed as it stands.
  Region region;
  bool reads = false;
  bool writes = false;
  /// Whether every element of `region` is touched for certain: no loop around that may be empty, no condition, and no
  /// widened index. Only such a write hides what was there before.
  bool exact = false;
  /// The innermost op that does it.
  const Op* op = nullptr;
};

/// Accesses of `op` and everything nested in it, in program order. `facts` hold where `op` stands. Calls with effects
/// (extern) have no listed access: see `has_unknown_effects`.
std::vector<Access> accesses(const Op& op, const Facts& facts = {});

/// Whether something below `op` calls a function that may read or write memory we cannot name.
bool has_unknown_effects(const Op& op);

/// A tensor parameter that some statement reads or writes.
struct TensorUse {
  size_t param;
  Buffer tensor;
  bool written = false;
};

/// In the order of the parameters; all of them, as written, where a call may touch memory that we cannot name.
std::vector<TensorUse> tensor_uses(const Function& function);

/// Whether the regions may share an element, as far as `facts` show; both over one buffer, at one point of time.
bool may_overlap(const Region& a, const Region& b, const Facts& facts);
/// Whether the accesses may touch one element through any names: same root and regions that are not provably apart.
/// Global memory of different parameters is taken to be different.
bool may_overlap(const Access& a, const Access& b, const Aliases& aliases, const Facts& facts);
/// `may_overlap`, and one of them writes.
bool conflict(const Access& a, const Access& b, const Aliases& aliases, const Facts& facts);

/// The smallest region over outer variables that covers `region` for all values of `inner`, a list of variables with
/// their facts in `facts`; dimensions that cannot be said cover the whole extent.
Region widen(const Region& region, const std::vector<Var>& inner, const Facts& facts);

}  // namespace tl
