#pragma once

// Arithmetic on many lanes at once. Every function gives exactly what `apply`, `apply_math` and `cast` of
// types/scalar.h give for each lane; frequent dtypes have loops of their own.

#include <bit>

#include "simulate/lanes.h"
#include "types/scalar.h"

namespace tl::simulate {

inline Raw raw_of(Scalar s) { return s.dtype().is_floating() ? std::bit_cast<Raw>(s.as_float()) : s.as_uint(); }
inline Scalar scalar_of(DType t, Raw raw) {
  return t.is_floating() ? Scalar::of_float(t, std::bit_cast<double>(raw)) : Scalar::of_uint(t, raw);
}
inline double as_double(Raw raw) { return std::bit_cast<double>(raw); }
inline Raw from_double(double value) { return std::bit_cast<Raw>(value); }
/// Whether a value of this dtype is not zero.
inline bool truthy(DType t, Raw raw) { return t.is_floating() ? as_double(raw) != 0 : raw != 0; }

/// Lanes `begin` to `end` of a computation. Lanes that are not active may hold anything and are computed too.
struct Span {
  int begin, end;
};
using BinaryKernel = void (*)(DType t, Values a, Values b, Raw* out, Span span);
using UnaryKernel = void (*)(DType t, Values a, Raw* out, Span span);
using CastKernel = void (*)(DType from, DType to, Values a, Raw* out, Span span);

BinaryKernel binary_kernel(BinaryOp op, DType operand);
/// Never null; `t` is the operand's dtype.
UnaryKernel unary_kernel(UnaryOp op, DType operand);
CastKernel cast_kernel(DType from, DType to);

/// `value` of `from` as `to`.
inline Raw cast_raw(DType from, DType to, Raw value) {
  if (from == to) return value;
  Raw out;
  cast_kernel(from, to)(from, to, {&value, 0}, &out, {0, 1});
  return out;
}

}  // namespace tl::simulate
