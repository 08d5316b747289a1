#include "passes/thread/thread_digits.h"

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Row-major strides of the box; its first dimension is as long as needed.
std::vector<int64_t> box_strides(const Fragment& fragment) {
  std::vector<int64_t> out(fragment.box().size(), 1);
  for (size_t d = out.size(); d-- > 1;) out[d - 1] = out[d] * fragment.box()[d];
  return out;
}

/// Appends the leaves of one layout as digits; false where a leaf crosses dimensions unevenly.
bool split_leaves(const Layout& layout, const std::vector<int64_t>& strides, std::vector<LayoutDigit>& out) {
  int64_t unit = 1;
  for (LayoutMode leaf : layout.leaves()) {
    if (leaf.stride == 0) {
      if (leaf.extent > 1) out.push_back({leaf.extent, unit, 0, 0});
      unit *= leaf.extent;
      continue;
    }
    while (leaf.extent > 1) {
      size_t d = 0;
      while (d + 1 < strides.size() && leaf.stride < strides[d]) ++d;
      if (leaf.stride < 0 || leaf.stride % strides[d] != 0) return false;
      int64_t extent = leaf.extent;
      if (d > 0 && leaf.stride * leaf.extent > strides[d - 1]) {
        if (strides[d - 1] % leaf.stride != 0) return false;
        extent = strides[d - 1] / leaf.stride;
        if (extent == 0 || leaf.extent % extent != 0) return false;
      }
      out.push_back({extent, unit, d, leaf.stride / strides[d]});
      unit *= extent;
      leaf = {leaf.extent / extent, leaf.stride * extent};
    }
  }
  return true;
}

std::vector<int64_t> largest(const Fragment& fragment, const ThreadDigits& digits) {
  std::vector<int64_t> out(fragment.extents().size(), 0);
  for (const auto* list : {&digits.threads, &digits.registers}) {
    for (const LayoutDigit& d : *list) out[d.dim] += (d.extent - 1) * d.step;
  }
  return out;
}

/// Whether sums of digits stay within the box's inner dimensions, so that nothing carries.
bool carries_nothing(const Fragment& fragment, const ThreadDigits& digits) {
  const std::vector<int64_t> top = largest(fragment, digits);
  for (size_t d = 1; d < top.size(); ++d) {
    if (top[d] >= fragment.box()[d]) return false;
  }
  return true;
}

void whole_leaves(const Layout& layout, std::vector<LayoutDigit>& out) {
  int64_t unit = 1;
  for (const LayoutMode& leaf : layout.leaves()) {
    if (leaf.extent > 1) out.push_back({leaf.extent, unit, 0, leaf.stride});
    unit *= leaf.extent;
  }
}

Expr scaled(const Expr& e, int64_t by) { return by == 1 ? e : e * make_int(e.dtype(), by); }

Expr sum(const Expr& a, const Expr& b) {
  if (is_const_int(a, 0)) return b;
  return is_const_int(b, 0) ? a : a + b;
}

/// A long digit as two, of which the first is as long as a vector of bytes: what is done group by group, vectors and
/// guards, needs no more neighbours.
void split_long(std::vector<LayoutDigit>& digits) {
  constexpr int64_t kLong = 64, kGroup = 16;
  if (digits.empty() || digits[0].extent <= kLong || digits[0].extent % kGroup != 0) return;
  LayoutDigit rest = digits[0];
  rest.extent /= kGroup;
  rest.unit *= kGroup;
  rest.step *= kGroup;
  digits[0].extent = kGroup;
  digits.insert(digits.begin() + 1, rest);
}

}  // namespace

ThreadDigits ThreadDigits::of(const Fragment& fragment) {
  TL_CHECK(fragment.is_affine(), "a layout of a loop is affine");
  const std::vector<int64_t> strides = box_strides(fragment);
  ThreadDigits out;
  if (split_leaves(fragment.thread_layout(), strides, out.threads) &&
      split_leaves(fragment.register_layout(), strides, out.registers) && carries_nothing(fragment, out)) {
    split_long(out.registers);
    return out;
  }
  out = {};
  out.split = false;
  whole_leaves(fragment.thread_layout(), out.threads);
  whole_leaves(fragment.register_layout(), out.registers);
  return out;
}

Expr thread_digit(const Expr& thread, const LayoutDigit& d, int64_t threads) {
  const Expr quotient = d.unit == 1 ? thread : floordiv(thread, make_int(thread.dtype(), d.unit));
  return d.unit * d.extent >= threads ? quotient : floormod(quotient, make_int(thread.dtype(), d.extent));
}

std::vector<Expr> coordinates(const Fragment& fragment, const ThreadDigits& digits, const Expr& thread,
                              const std::vector<Expr>& registers) {
  std::vector<Expr> out(fragment.extents().size(), Expr(0));
  for (const LayoutDigit& d : digits.threads) {
    if (d.step != 0) out[d.dim] = sum(out[d.dim], scaled(thread_digit(thread, d, fragment.threads()), d.step));
  }
  for (size_t k = 0; k < digits.registers.size(); ++k) {
    const LayoutDigit& d = digits.registers[k];
    if (d.step != 0) out[d.dim] = sum(out[d.dim], scaled(registers[k], d.step));
  }
  if (digits.split || out.size() == 1) return out;
  const Expr index = out[0];
  const std::vector<int64_t> strides = box_strides(fragment);
  for (size_t d = 0; d < out.size(); ++d) {
    const Expr quotient = strides[d] == 1 ? index : floordiv(index, make_int(index.dtype(), strides[d]));
    out[d] = d == 0 ? quotient : floormod(quotient, make_int(index.dtype(), fragment.box()[d]));
  }
  return out;
}

std::vector<size_t> padded_dims(const Fragment& fragment, const ThreadDigits& digits) {
  std::vector<size_t> out;
  const std::vector<int64_t> top = largest(fragment, digits);
  const std::vector<int64_t> strides = box_strides(fragment);
  for (size_t d = 0; d < fragment.extents().size(); ++d) {
    const int64_t most = digits.split ? top[d] : d == 0 ? top[0] / strides[0] : fragment.box()[d] - 1;
    if (most >= fragment.extents()[d]) out.push_back(d);
  }
  return out;
}

Expr is_owner(const ThreadDigits& digits, const Expr& thread, int64_t threads) {
  Expr out;
  for (const LayoutDigit& d : digits.threads) {
    if (d.step != 0) continue;
    const Expr first = equal(thread_digit(thread, d, threads), make_int(thread.dtype(), 0));
    out = out ? logical_and(out, first) : first;
  }
  return out;
}

}  // namespace tl
