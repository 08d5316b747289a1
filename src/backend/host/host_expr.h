#pragma once

#include "backend/cfamily/c_expr.h"

namespace tl {

/// Expressions of the host target.
class HostExpr : public CExpr {
 public:
  explicit HostExpr(CNames& names);
};

}  // namespace tl
