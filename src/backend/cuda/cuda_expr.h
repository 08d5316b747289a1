#pragma once

#include <string>

#include "backend/cfamily/c_expr.h"
#include "backend/cuda/cuda_ranges.h"

namespace tl {

/// Expressions of CUDA C++. Signed arithmetic must not overflow there: what `ranges` do not show to stay in its type is
/// computed in unsigned words.
class CudaExpr : public CExpr {
 public:
  CudaExpr(CNames& names, DType index_type, const Function& function);

  CudaRanges& ranges() { return ranges_; }

 protected:
  std::optional<std::string> spelled(const BinaryNode& n, Context context, int strength) override;
  std::optional<std::string> spelled(const UnaryNode& n, int strength) override;
  std::string conversion(DType to, const Expr& a) override;
  /// A function of the user's text, or of CUDA, by its name.
  std::string foreign_call(const CallNode& call) override;

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
};

/// A literal of C++ for a text.
std::string string_literal(std::string_view text);

}  // namespace tl
