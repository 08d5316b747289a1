#include "passes/tile/check_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/linear.h"
#include "analysis/scope.h"
#include "ir/index.h"

namespace tl {
namespace {

/// `a - b` where it is the same for all values of the variables in them.
std::optional<Wide> distance(const Expr& a, const Expr& b, const Facts& facts) {
  LinearForm form = exact_form(widen_index(a), facts);
  form.add(exact_form(widen_index(b), facts), -1);
  if (!form.is_constant()) return std::nullopt;
  return form.constant;
}

/// How far the two parts lie from each other in each dimension; empty where that varies or they share no element.
std::vector<Wide> shift(const Region& src, const Region& dst, const Facts& facts) {
  std::vector<Wide> out;
  for (size_t d = 0; d < src.offsets.size(); ++d) {
    const auto by = distance(dst.offsets[d], src.offsets[d], facts);
    const auto ns = as_int(src.extents[d]), nd = as_int(dst.extents[d]);
    if (!by || !ns || !nd || *by >= *ns || -*by >= *nd) return {};
    out.push_back(*by);
  }
  return out;
}

}  // namespace

void check_copies(const Function& function, Diagnostics& diagnostics) {
  visit_ops(function, [&](const Op& op, const Facts& facts) {
    const auto* copy = op.as<Copy>();
    if (copy == nullptr || copy->src.buffer != copy->dst.buffer) return;
    const std::vector<Wide> by = shift(copy->src, copy->dst, facts);
    if (std::all_of(by.begin(), by.end(), [](Wide n) { return n == 0; })) return;
    Diagnostic& d = diagnostics.error(
        122, op.loc,
        fmt::format("T.copy reads and writes overlapping parts of `{}`: its elements move in no order",
                    copy->src.buffer->name));
    if (copy->src.buffer->loc) d.notes.push_back({"the buffer is declared here", copy->src.buffer->loc});
    d.help = "copy through a second tile, or in a T.serial loop where one order is right";
  });
}

}  // namespace tl
