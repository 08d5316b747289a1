#pragma once

#include <string>

#include "backend/cfamily/device_expr.h"

namespace tl {

/// Expressions of CUDA C++.
class CudaExpr : public DeviceExpr {
 public:
  CudaExpr(CNames& names, DType index_type, const Function& function);

 protected:
  /// A function of the user's text, or of CUDA, by its name.
  std::string foreign_call(const CallNode& call) override;
};

}  // namespace tl
