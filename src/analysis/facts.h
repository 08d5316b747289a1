#pragma once

// What is known at a place of the program: ranges of variables, values of binds, conditions that hold. See
// analysis/scope.h for the walk that keeps it up to date.

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/divisibility.h"
#include "analysis/interval.h"
#include "analysis/linear.h"
#include "ir/function.h"

namespace tl {

/// Facts only grow; `mark` and `rewind` drop what was added in between. Memory changes, so nothing is kept about the
/// value of a load, only about variables, which are bound once. Copyable; not safe to share between threads.
class Facts {
 public:
  Facts() = default;
  /// What holds everywhere in a function: extents of the parameters are not negative.
  explicit Facts(const Function& function);

  /// `var` counts from `begin` towards `end` (excluded) by `step`, as a `for` does.
  void add_loop(const Var& var, const Expr& begin, const Expr& end, const Expr& step = 1);
  /// `var` is in [0, extent).
  void add_index(const Var& var, const Expr& extent) { add_loop(var, make_zero(var.dtype()), extent); }
  /// `var` is in `range`.
  void add_range(const Expr& var, Interval range);
  /// `var` is the value of `value`, evaluated here.
  void add_bind(const Var& var, const Expr& value);
  /// `condition` is true. Parts that depend on memory are ignored.
  void add(const Expr& condition);
  /// `condition` is false.
  void add_negation(const Expr& condition);

  /// A state to come back to.
  struct Mark {
    size_t undo, nonnegative, truths;
  };
  Mark mark() const { return {undo_.size(), nonnegative_.size(), truths_.size()}; }
  void rewind(Mark mark);

  /// What was said of one variable, or of an expression that a condition named.
  struct Entry {
    Interval range = Interval::everything();
    Congruence congruence;
    /// Null unless it is a bind of a value without loads.
    Expr value;
  };
  const Entry* find(const Expr& e) const;
  /// Sums of variables and expressions known to be >= 0.
  const std::vector<LinearForm>& nonnegative() const { return nonnegative_; }
  /// Conditions known to be true, as they were written.
  const std::vector<Expr>& truths() const { return truths_; }

  /// Bounds already worked out under the present facts; kept here because they are asked for again and again.
  using BoundsCache = std::unordered_map<Expr, Interval, ExprHash, ExprSame>;
  BoundsCache& bounds_cache() const { return bounds_cache_; }

 private:
  Entry& change(const Expr& e);
  void narrow(const Expr& e, Interval range);
  void narrow_to(const Expr& e, Congruence congruence);
  void add_nonnegative(const LinearForm& form);
  void add_comparison(const BinaryNode& comparison);
  void add_equality(const Expr& a, const Expr& b);

  struct Undo {
    Expr key;
    std::optional<Entry> before;
  };
  std::unordered_map<Expr, Entry, ExprHash, ExprSame> entries_;
  std::vector<LinearForm> nonnegative_;
  std::vector<Expr> truths_;
  std::vector<Undo> undo_;
  mutable BoundsCache bounds_cache_;
};

/// Drops, when it goes out of scope, what was added to the facts since.
class FactsScope {
 public:
  explicit FactsScope(Facts& facts) : facts_(facts), mark_(facts.mark()) {}
  ~FactsScope() { facts_.rewind(mark_); }
  FactsScope(const FactsScope&) = delete;
  FactsScope& operator=(const FactsScope&) = delete;

 private:
  Facts& facts_;
  Facts::Mark mark_;
};

/// Whether the value of `e` follows from its variables alone: no load, no call with an effect.
bool is_memory_free(const Expr& e);
/// Whether evaluating `e` has no effect (loads are allowed).
bool is_pure(const Expr& e);

}  // namespace tl
