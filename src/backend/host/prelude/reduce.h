// Reductions of contiguous rows and of the rows of a tile.
//
//   reduce_row<Op, Acc>(p, n)                           the reduction of p[0 .. n)
//   reduce_columns<Op, Acc>(out, p, rows, columns, ld)  out[j] = the reduction of p[i * ld + j] over i
//
// | Op                             | result                                            | of no elements              |
// |--------------------------------|---------------------------------------------------|-----------------------------|
// | sum_of, abssum_of              | sum of x, of |x|                                  | 0                           |
// | max_of, min_of                 | IEEE 754-2019 maximum, minimum: NaN wins, -0 < +0 | -inf, +inf; lowest, highest |
// | absmax_of                      | maximum of |x|                                    | 0                           |
// | bitand_of, bitor_of, bitxor_of | integers and bool                                 | all ones (true), 0, 0       |
//
// Acc is the type of the result: float for float, f16 and bf16 elements (16-bit sums accumulate in float), double for
// double, any integer type for integers (wrapping). The order of a floating sum depends on n, the element size and the
// vector width only: 4 vector accumulators, folded in a tree. Column sums add row by row.
#pragma once
#include "minmax.h"
#include "vector.h"

namespace tlp {

template <class T>
constexpr T infinity_or_highest() {
  if constexpr (is_floating<T>) {
    return T(__builtin_inf());
  } else {
    return limits<T>::highest;
  }
}
template <class T>
constexpr T infinity_or_lowest() {
  if constexpr (is_floating<T>) {
    return -T(__builtin_inf());
  } else {
    return limits<T>::lowest;
  }
}

TLP_INLINE vec<u32> vector_bits(vec<float> v) { return __builtin_bit_cast(vec<u32>, v); }
TLP_INLINE vec<u64> vector_bits(vec<double> v) { return __builtin_bit_cast(vec<u64>, v); }

// The vector forms of minmax.h.
template <class V>
TLP_INLINE V vector_max(V a, V b) {
  V larger = a > b ? a : b;
  larger = a == b ? __builtin_bit_cast(V, vector_bits(a) & vector_bits(b)) : larger;
  return a == a ? larger : a;
}
template <class V>
TLP_INLINE V vector_min(V a, V b) {
  V smaller = a < b ? a : b;
  smaller = a == b ? __builtin_bit_cast(V, vector_bits(a) | vector_bits(b)) : smaller;
  return a == a ? smaller : a;
}
TLP_INLINE vec<float> vector_abs(vec<float> v) { return __builtin_bit_cast(vec<float>, vector_bits(v) & 0x7fffffffu); }
TLP_INLINE vec<double> vector_abs(vec<double> v) {
  return __builtin_bit_cast(vec<double>, vector_bits(v) & 0x7fffffffffffffffull);
}
template <class T>
TLP_INLINE T add_wrapping(T a, T b) {
  if constexpr (is_floating<T>) {
    return a + b;
  } else {
    return T(modular<T>(a) + modular<T>(b));
  }
}

// An Op: the identity, what is done to an element first, and the combination; on scalars and on vectors.
#define TLP_REDUCTION(name, IDENTITY, ELEMENT, VECTOR_ELEMENT, COMBINE, VECTOR_COMBINE) \
  struct name {                                                                         \
    template <class T>                                                                  \
    static constexpr T identity = T(IDENTITY);                                          \
    template <class T>                                                                  \
    TLP_INLINE_MEMBER static T element(T x) {                                           \
      return T(ELEMENT);                                                                \
    }                                                                                   \
    template <class T>                                                                  \
    TLP_INLINE_MEMBER static T combine(T a, T b) {                                      \
      return T(COMBINE);                                                                \
    }                                                                                   \
    template <class V>                                                                  \
    TLP_INLINE_MEMBER static V vector_element(V x) {                                    \
      return VECTOR_ELEMENT;                                                            \
    }                                                                                   \
    template <class V>                                                                  \
    TLP_INLINE_MEMBER static V vector_combine(V a, V b) {                               \
      return VECTOR_COMBINE;                                                            \
    }                                                                                   \
  };
TLP_REDUCTION(sum_of, 0, x, x, add_wrapping(a, b), a + b)
TLP_REDUCTION(abssum_of, 0, tlp::abs(x), vector_abs(x), add_wrapping(a, b), a + b)
TLP_REDUCTION(max_of, infinity_or_lowest<T>(), x, x, tlp::max(a, b), vector_max(a, b))
TLP_REDUCTION(min_of, infinity_or_highest<T>(), x, x, tlp::min(a, b), vector_min(a, b))
TLP_REDUCTION(absmax_of, 0, tlp::abs(x), vector_abs(x), tlp::max(a, b), vector_max(a, b))
TLP_REDUCTION(bitand_of, ~u64(0), x, x, (a & b), (a & b))
TLP_REDUCTION(bitor_of, 0, x, x, (a | b), (a | b))
TLP_REDUCTION(bitxor_of, 0, x, x, (a ^ b), (a ^ b))
#undef TLP_REDUCTION

/// lanes<Acc> elements as Acc.
template <class Acc, class T>
TLP_INLINE vec<Acc> load_elements(const T* p) {
  if constexpr (is_same<Acc, T>) {
    return load(p);
  } else {
    static_assert(is_same<Acc, float>, "16-bit floats are reduced in float");
    return load_floats(p);
  }
}

template <class Op, class T>
TLP_INLINE T fold_lanes(vec<T> v) {
  T values[lanes<T>];
  store(values, v);
#pragma GCC unroll 4
  for (int half = lanes<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i) values[i] = Op::combine(values[i], values[i + half]);
  }
  return values[0];
}

template <class Op, class Acc, class T>
TLP_INLINE Acc reduce_row(const T* p, i64 n) {
  Acc result = Op::template identity<Acc>;
  i64 i = 0;
  if constexpr (is_floating<Acc>) {
    constexpr int width = lanes<Acc>;
    if (n >= width) {
      vec<Acc> acc[4];
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) acc[u] = splat(Op::template identity<Acc>);
      for (; i + 4 * width <= n; i += 4 * width) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
          acc[u] = Op::vector_combine(acc[u], Op::vector_element(load_elements<Acc>(p + i + u * width)));
        }
      }
      for (; i + width <= n; i += width) {
        acc[0] = Op::vector_combine(acc[0], Op::vector_element(load_elements<Acc>(p + i)));
      }
      acc[0] = Op::vector_combine(Op::vector_combine(acc[0], acc[1]), Op::vector_combine(acc[2], acc[3]));
      result = fold_lanes<Op, Acc>(acc[0]);
    }
  }
  for (; i < n; ++i) result = Op::combine(result, Op::element(cast<Acc>(p[i])));  // integers vectorise as they are
  return result;
}

template <class Op, class Acc, class T>
TLP_INLINE void reduce_columns(Acc* out, const T* p, i64 rows, i64 columns, i64 ld) {
  i64 j = 0;
  if constexpr (is_floating<Acc>) {
    constexpr int width = lanes<Acc>;
    for (; j + 4 * width <= columns; j += 4 * width) {
      vec<Acc> acc[4];
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) acc[u] = splat(Op::template identity<Acc>);
      for (i64 i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
          acc[u] = Op::vector_combine(acc[u], Op::vector_element(load_elements<Acc>(p + i * ld + j + u * width)));
        }
      }
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) store(out + j + u * width, acc[u]);
    }
  }
  for (i64 c = j; c < columns; ++c) out[c] = Op::template identity<Acc>;
  for (i64 i = 0; i < rows; ++i) {
    for (i64 c = j; c < columns; ++c) out[c] = Op::combine(out[c], Op::element(cast<Acc>(p[i * ld + c])));
  }
}

}  // namespace tlp
