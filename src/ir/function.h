#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/ops.h"

namespace tl {

/// A parameter: a tensor, or a scalar passed by value.
using Param = std::variant<Buffer, Var>;

/// One user function: parameters, and a body whose outermost statements run on the host and launch tile programs.
struct Function {
  std::string name;
  /// Run-time dimensions and strides, bound from the arguments' shapes.
  std::vector<Var> symbols;
  std::vector<Param> params;
  /// Indices of the parameters that the callee allocates and returns.
  std::vector<int64_t> outputs;
  Attrs attrs;
  Block body;
  Loc loc;
};

std::unique_ptr<Function> clone(const Function& function);

}  // namespace tl
