#include "passes/thread/call_assumptions.h"

#include <algorithm>

#include "analysis/accesses.h"
#include "analysis/bounds.h"
#include "analysis/divisibility.h"
#include "analysis/simplify.h"
#include "ir/index.h"
#include "passes/thread/vector_access.h"

namespace tl {
namespace {

/// The most that sizes of narrow code may be: indices of tiles at an edge go beyond by less than the rest.
constexpr int64_t kMostElements = (int64_t{1} << 31) - (int64_t{1} << 16);

/// Collects conditions, each said once and only where it does not follow from what is known.
class Conditions {
 public:
  explicit Conditions(const Function& function) : facts_(function) {}

  const Facts& facts() const { return facts_; }
  void add(const Expr& condition) {
    facts_.add(condition);
    out_.push_back(condition);
  }
  void at_most(const Expr& size) {
    const Expr condition = size <= make_int(DType::i64(), kMostElements);
    if (!holds(condition, facts_)) add(condition);
  }
  void not_negative(const Expr& size) {
    if (bounds(size, facts_).lo < 0) add(make_zero(DType::i64()) <= size);
  }
  std::vector<Expr> take() { return std::move(out_); }

 private:
  Facts facts_;
  std::vector<Expr> out_;
};

/// A size without its widening where it is a variable: it reads better.
Expr plain(const Expr& size) {
  const Expr wide = simplify(widen_index(size)), inner = unwidened(wide);
  return inner.kind() == ExprKind::kVar ? inner : wide;
}

Expr is_multiple(const Expr& size, int64_t of) {
  return equal(floormod(size, make_int(size.dtype(), of)), make_zero(size.dtype()));
}

/// Whether rows of the buffer can begin at multiples of `group` elements in some call.
bool rows_may_align(const BufferNode& buffer, const std::vector<Expr>& strides, int64_t group) {
  if (const auto last = as_int(strides.back()); last && *last != 1) return false;
  for (size_t d = 0; d + 1 < strides.size(); ++d) {
    const auto stride = as_int(strides[d]);
    if (stride && *stride % group != 0 && as_int(buffer.shape[d]) != 1) return false;
  }
  return true;
}

void align_rows(const BufferNode& buffer, const Target& target, Conditions& conditions) {
  const int64_t bytes = buffer.dtype.storage_bits() / 8, widest = widest_access(target);
  if (buffer.rank() == 0 || buffer.dtype.storage_bits() % 8 != 0 || widest % bytes != 0 || widest == bytes) return;
  const int64_t group = widest / bytes;
  const std::vector<Expr> strides = strides_of(buffer);
  if (!rows_may_align(buffer, strides, group)) return;
  if (!as_int(strides.back())) {
    const Expr last = plain(strides.back());
    conditions.add(equal(last, make_int(last.dtype(), 1)));
  }
  // Innermost first: what is said of an extent often decides about the products with it.
  for (size_t d = buffer.rank() - 1; d-- > 0;) {
    if (as_int(buffer.shape[d]) == 1 || is_multiple_of(widen_index(strides[d]), group, conditions.facts())) continue;
    conditions.add(is_multiple(plain(strides[d]), group));
  }
}

void bound_sizes(const BufferNode& buffer, Conditions& conditions) {
  for (const Expr& extent : buffer.shape) conditions.at_most(widen_index(extent));
  for (const Expr& stride : buffer.strides) {
    conditions.not_negative(widen_index(stride));
    conditions.at_most(widen_index(stride));
  }
  // Each product is one of a factor and of what is bounded before it, so its 64 bits suffice.
  for (const Expr& span : spans_of(buffer)) conditions.at_most(span);
}

}  // namespace

std::vector<Expr> CallAssumptions::all() const {
  std::vector<Expr> out = rows;
  out.insert(out.end(), sizes.begin(), sizes.end());
  return out;
}

CallAssumptions usual_calls(const Function& function, const Target& target) {
  CallAssumptions out;
  Conditions rows(function), sizes(function);
  for (const TensorUse& use : tensor_uses(function)) {
    align_rows(*use.tensor, target, rows);
    bound_sizes(*use.tensor, sizes);
  }
  out.rows = rows.take();
  out.sizes = sizes.take();
  return out;
}

std::vector<Expr> spans_of(const BufferNode& buffer) {
  std::vector<Expr> out;
  Expr span = make_int(DType::i64(), buffer.is_contiguous() ? 1 : 0);
  for (size_t d = buffer.rank(); d-- > 0;) {
    const Expr extent = widen_index(buffer.shape[d]);
    if (buffer.is_contiguous()) {
      span = simplify(extent * span);
    } else {
      out.push_back(simplify(extent * widen_index(buffer.strides[d])));
      span = simplify(span + out.back());
    }
    out.push_back(span);
  }
  return out;
}

}  // namespace tl
