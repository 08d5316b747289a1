#include "passes/thread/vector_access.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/divisibility.h"
#include "analysis/linear.h"
#include "ir/buffer.h"
#include "ir/index.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// An element's offset from the buffer's first one, in elements: a sum, and what is known of the rest of it.
struct Offset {
  LinearForm form;
  Congruence rest = Congruence::constant(0);
};

/// None where the offset along `inner` cannot be said.
std::optional<Offset> offset_of(const Buffer& buffer, const std::vector<Expr>& indices, const Var& inner,
                                const Facts& facts) {
  const std::vector<Expr> strides = strides_of(*buffer);
  Offset out;
  for (size_t d = 0; d < indices.size(); ++d) {
    const Expr index = widen_index(indices[d]);
    if (const auto constant = as_int(strides[d])) {
      out.form.add(ring_form(index), *constant);
    } else if (mentions(index, inner)) {
      return std::nullopt;
    } else {
      out.rest = out.rest + congruence(index, facts) * congruence(widen_index(strides[d]), facts);
    }
  }
  return out.form.valid ? std::optional(out) : std::nullopt;
}

}  // namespace

int64_t widest_access(const Target& target) {
  constexpr int64_t kWidest = 16;
  return std::min(target.access_bytes, kWidest);
}

int64_t vector_elements(const Buffer& buffer, const std::vector<Expr>& indices, const std::vector<Var>& vars,
                        const Facts& facts, const AccessRules& rules) {
  const int64_t bits = buffer->dtype.storage_bits();
  if (bits % 8 != 0 || vars.empty()) return 1;
  const int64_t bytes = bits / 8;
  const auto offset = offset_of(buffer, indices, vars.back(), facts);
  if (!offset) return 1;
  // Everything but the last variable must be a multiple of the group.
  Wide common = (buffer->space == MemorySpace::kGlobal ? rules.tensor_alignment : rules.access_bytes) / bytes;
  if (common == 0) return 1;
  Wide along = 0;
  LinearForm rest = LinearForm::of_constant(offset->form.constant);
  for (const LinearTerm& term : offset->form.terms) {
    if (unwidened(term.atom).get() == vars.back().get()) {
      along += term.coefficient;
    } else {
      rest.add_term(term.atom, term.coefficient);
    }
  }
  if (along != 1) return 1;
  const Congruence at = congruence(rest, facts) + offset->rest;
  common = greatest_common_divisor(common,
                                   at.modulus == 0 ? at.remainder : greatest_common_divisor(at.modulus, at.remainder));
  const Wide most = std::min<Wide>(common, rules.access_bytes / bytes);
  int64_t out = 1;
  while (out * 2 <= most && common % (out * 2) == 0) out *= 2;
  return out;
}

}  // namespace tl
