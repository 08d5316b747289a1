#pragma once

#include <string>

#include "backend/cfamily/c_expr.h"
#include "backend/cfamily/value_ranges.h"

namespace tl {

/// Expressions of C++ for devices. Signed arithmetic must not overflow there: what `ranges` do not show to stay in its
/// type is computed in unsigned words.
class DeviceExpr : public CExpr {
 public:
  DeviceExpr(CNames& names, const CDialect& dialect, std::set<std::string> headers, DType index_type,
             const Function& function)
      : CExpr(names, dialect, std::move(headers), index_type), ranges_(function) {}

  ValueRanges& ranges() { return ranges_; }

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

  ValueRanges ranges_;
};

}  // namespace tl
