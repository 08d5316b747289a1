#pragma once

#include <span>

#include "simulate/compile.h"

namespace tl::simulate {

/// Puts the arguments into the program's parameters: memory, shapes and strides of tensors, values of scalars and of
/// the symbols. Throws CompileError with everything that does not fit (codes: see `interpret`).
void bind_args(const Function& function, std::span<const Arg> args, Program& program, Machine& machine);

/// An integer expression as `factor * unknown + rest` for numbers; the known variables have values. Nothing where it is
/// no such sum, or holds another unknown.
struct Linear {
  int64_t factor = 0, rest = 0;
};

/// Values of integer variables while arguments are matched.
class Symbols {
 public:
  void set(const Expr& var, int64_t value) { values_[var.get()] = value; }
  std::optional<int64_t> value(const Expr& e) const;
  /// The only variable of `e` without a value; null where there is none or more than one.
  Expr unknown(const Expr& e) const;
  /// `e` seen as a sum in `unknown`.
  std::optional<Linear> linear(const Expr& e, const Expr& unknown) const;

 private:
  std::unordered_map<const ExprNode*, int64_t> values_;
};

}  // namespace tl::simulate
