#pragma once

// Sums of products, compared as the user means them: `(i + 1) * 128 - i * 128` is 128. It decides extents and sizes
// while a program is built; the simplifier proper is an analysis.

#include <optional>
#include <vector>

#include "ir/expr.h"

namespace tl {

/// `a - b` where it is one number for all values of the variables; modulo the width of the operands, so it holds with
/// wrap-around too. Operands are integers of one dtype, else there is no answer.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b);

/// A constant where `e` is one number for all values of its variables, else `e` itself.
Expr fold_linear(const Expr& e);

/// Whether two integers are equal for all values of the variables, as far as sums of products show it.
bool provably_equal(const Expr& a, const Expr& b);
/// Whether two integers differ for all values of the variables, as far as sums of products show it.
bool provably_different(const Expr& a, const Expr& b);

/// The product of `extents` and `scale` as a coefficient and a set of factors; what `T.view` compares.
struct Product {
  int64_t coefficient = 1;
  std::vector<Expr> factors;
};
Product product_of(const std::vector<Expr>& extents, int64_t scale);
/// Nothing when it depends on the values of variables.
std::optional<bool> equal(const Product& a, const Product& b);

}  // namespace tl
