#include "passes/core/core_programs.h"

#include <utility>
#include <vector>

#include "analysis/scope.h"
#include "ir/walk.h"

namespace tl {

void for_each_core_program(Function& function, const std::function<void(Launch&, Facts&)>& f) {
  std::vector<std::pair<Launch*, Facts>> launches;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    const auto* launch = op.as<Launch>();
    if (launch != nullptr && runs_on_cores(*launch)) launches.emplace_back(const_cast<Launch*>(launch), facts);
  });
  for (auto& [launch, facts] : launches) {
    enter_block(facts, *launch, "body");
    f(*launch, facts);
  }
}

}  // namespace tl
