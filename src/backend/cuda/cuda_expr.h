#pragma once

#include <set>
#include <string>

#include "backend/cfamily/c_expr.h"
#include "backend/cuda/cuda_ranges.h"

namespace tl {

/// Expressions of CUDA C++; collects the prelude headers that what it writes needs. Signed arithmetic of C++ must not
/// overflow there: what `ranges` do not show to stay in its type is computed in unsigned words.
class CudaExpr : public CExpr {
 public:
  CudaExpr(CNames& names, DType index_type, const Function& function) : CExpr(names, index_type), ranges_(function) {}

  std::string type(DType t) override;
  std::string constant(const Scalar& value) override;
  std::string call(const CallNode& call) override;
  using CExpr::function;
  std::string function(std::string_view name, DType operand) override;

  CudaRanges& ranges() { return ranges_; }
  const std::set<std::string>& headers() const { return headers_; }

 protected:
  std::optional<std::string> spelled(const BinaryNode& n, Context context, int strength) override;
  std::optional<std::string> spelled(const UnaryNode& n, int strength) override;
  std::string conversion(DType to, const Expr& a) override;

 private:
  std::string operand(const Expr& e, Context context, int strength);
  std::optional<std::string> division(const BinaryNode& n, Context context, int strength);
  std::optional<std::string> shift(const BinaryNode& n, int strength);
  /// Whether the exact result of an operation on values leaves their type.
  bool may_wrap(const BinaryNode& n) const;
  std::string wrapped(const Expr& e, DType t);
  /// `e` modulo 2^bits, in the unsigned type of its width.
  std::string words(const Expr& e, DType word, int strength);

  CudaRanges ranges_;
  std::set<std::string> headers_ = {"base.h"};
};

/// A literal of C++ for a text.
std::string string_literal(std::string_view text);

}  // namespace tl
