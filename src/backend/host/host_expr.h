#pragma once

#include <set>
#include <string>

#include "backend/cfamily/c_expr.h"

namespace tl {

/// Expressions of the host target; collects the prelude headers that what it writes needs.
class HostExpr : public CExpr {
 public:
  explicit HostExpr(CNames& names) : CExpr(names) {}

  std::string type(DType t) override;
  std::string constant(const Scalar& value) override;
  std::string call(const CallNode& call) override;
  using CExpr::function;
  std::string function(std::string_view name, DType operand) override;

  const std::set<std::string>& headers() const { return headers_; }

 private:
  std::set<std::string> headers_ = {"base.h", "context.h"};
};

}  // namespace tl
