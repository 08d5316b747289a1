#pragma once

#include <unordered_map>

#include "ir/function.h"

namespace tl {

/// Integers from `lo` to `hi`, both included; wide enough that sums and products of 64-bit values do not overflow.
struct Range {
  __extension__ using Wide = __int128;
  Wide lo, hi;

  static Range of(DType t);
  bool contains(Range other) const { return lo <= other.lo && other.hi <= hi; }
};

/// The values that expressions can have, as far as the declarations of their variables say: what a printer needs to
/// choose between C++'s operator and a function. Variables are bound once, so there is nothing to forget.
class ValueRanges {
 public:
  /// Extents of the parameters are not negative.
  explicit ValueRanges(const Function& function);

  void declare(const Launch& launch);
  void declare(const CoreLaunch& launch);
  void declare(const For& loop);
  void declare(const Bind& bind) { add(bind.var, value(bind.value)); }

  /// Of an expression whose arithmetic wraps.
  Range value(const Expr& e) const { return range(e, true); }
  /// Of an expression whose signed arithmetic does not overflow.
  Range index(const Expr& e) const { return range(e, false); }
  /// The exact result of an operation on the values of its operands.
  Range exact(const BinaryNode& n) const { return combine(n, true); }

 private:
  void add(const Var& var, Range range);
  Range range(const Expr& e, bool wraps) const;
  Range combine(const BinaryNode& n, bool wraps) const;

  std::unordered_map<const ExprNode*, Range> vars_;
};

}  // namespace tl
