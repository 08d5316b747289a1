#include "passes/core/core_checks.h"

#include "analysis/divisibility.h"
#include "analysis/simplify.h"
#include "ir/index.h"

namespace tl {

Expr is_multiple(const Expr& e, int64_t of, const Facts& facts) {
  if (is_multiple_of(e, of, facts)) return make_bool(true);
  const DType wide = DType::i64();
  return simplify(equal(floormod(widen_index(e), make_int(wide, of)), make_zero(wide)), facts);
}

bool ensure(const Expr& condition, const Op& op, std::string message, std::string help, PassContext& context,
            Block& before) {
  if (is_const_int(condition, 1)) return true;
  if (is_const_int(condition, 0)) {
    context.diagnostics.error(90, op.loc, std::move(message)).help = std::move(help);
    return false;
  }
  auto check = make_op<Assert>(op.loc);
  check->condition = condition;
  check->message = std::move(message);
  before.push_back(std::move(check));
  return true;
}

}  // namespace tl
