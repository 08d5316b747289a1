#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/function.h"

namespace tl::testing {

/// Counts what programs contain, by name: "op tile.copy", "dtype int8", "tail one short", "gemm float16 TN", ...
class Coverage {
 public:
  void note(const std::string& what) { ++counts_[what]; }
  /// Everything that can be read off the function.
  void add(const Function& function);
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  int64_t of(const std::string& what) const;
  std::string text() const;

  /// What programs of these types must contain: every op and its variants, operator, function, type and tail.
  static std::vector<std::string> goals(const std::vector<DType>& dtypes);

 private:
  void add(const Op& op);
  void add(const Expr& e);
  std::map<std::string, int64_t> counts_;
};

}  // namespace tl::testing
