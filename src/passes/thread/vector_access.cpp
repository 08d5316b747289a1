#include "passes/thread/vector_access.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/divisibility.h"
#include "analysis/linear.h"
#include "ir/buffer.h"
#include "ir/index.h"

namespace tl {
namespace {

/// The element's offset from the buffer's first one, in elements; none where a stride is not a constant.
std::optional<LinearForm> offset_form(const Buffer& buffer, const std::vector<Expr>& indices) {
  const std::vector<Expr> strides = strides_of(*buffer);
  LinearForm out;
  for (size_t d = 0; d < indices.size(); ++d) {
    const LinearForm index = ring_form(widen_index(indices[d]));
    const auto stride = as_int(strides[d]);
    if (!stride) {
      // Only a place at the first row needs no pitch.
      if (!index.is_constant() || index.constant != 0) return std::nullopt;
      continue;
    }
    out.add(index, *stride);
  }
  return out.valid ? std::optional(out) : std::nullopt;
}

}  // namespace

int64_t vector_elements(const Buffer& buffer, const std::vector<Expr>& indices, const std::vector<Var>& vars,
                        const Facts& facts, const AccessRules& rules) {
  const int64_t bits = buffer->dtype.storage_bits();
  if (bits % 8 != 0 || vars.empty()) return 1;
  const int64_t bytes = bits / 8;
  const auto form = offset_form(buffer, indices);
  if (!form) return 1;
  // Everything but the last variable must be a multiple of the group.
  Wide common = (buffer->space == MemorySpace::kGlobal ? rules.tensor_alignment : rules.access_bytes) / bytes;
  if (common == 0) return 1;
  Wide along = 0;
  LinearForm rest = LinearForm::of_constant(form->constant);
  for (const LinearTerm& term : form->terms) {
    if (unwidened(term.atom).get() == vars.back().get()) {
      along += term.coefficient;
    } else {
      rest.add_term(term.atom, term.coefficient);
    }
  }
  if (along != 1) return 1;
  const Congruence at = congruence(rest, facts);
  common = greatest_common_divisor(common,
                                   at.modulus == 0 ? at.remainder : greatest_common_divisor(at.modulus, at.remainder));
  const Wide most = std::min<Wide>(common, rules.access_bytes / bytes);
  int64_t out = 1;
  while (out * 2 <= most && common % (out * 2) == 0) out *= 2;
  return out;
}

}  // namespace tl
