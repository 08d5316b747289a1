// Tile matrix multiply: C (+)= op(A) op(B) on row-major tiles with any leading dimensions.
//
//   gemm<TransposeA, TransposeB, M, N, K>(a, lda, b, ldb, c, ldc, accumulate)
//   gemm<TransposeA, TransposeB>(m, n, k, a, lda, b, ldb, c, ldc, accumulate)
//
// | operand | shape, row-major; leading dimensions count elements                                                   |
// |---------|-------------------------------------------------------------------------------------------------------|
// | a       | [m, k], or [k, m] with TransposeA                                                                     |
// | b       | [k, n], or [n, k] with TransposeB                                                                     |
// | c       | [m, n]; accumulate adds to it, else it is overwritten                                                 |
//
// | A, B              | products and sums in | C                                                                    |
// |-------------------|----------------------|----------------------------------------------------------------------|
// | double            | double               | any floating type                                                    |
// | float, f16, bf16  | float                | any floating type; a narrower C is rounded once, after the last k    |
// | i8, u8            | exact, then wrapping | i32 (or any arithmetic type)                                         |
//
// Nothing outside the tiles is read or written; m, n or k may be 0. A must not overlap C, nor B.
//
// A register block of 8 x 2 vectors (6 x 2 where there are only 16 registers) is updated by broadcast and fused
// multiply and add, after K. Goto and R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
// Operands that are already of the computing type and run along n are read in place; others (16 and 8-bit types, a
// transposed B, the last columns) are first copied to the stack, in blocks of at most 128 x 128. Products of 8-bit
// integers are computed in float: sums of 128 of them are below 2^24, hence exact.
#pragma once
#include "vector.h"

namespace tlp {

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kGemmRows = 8;
#else
constexpr int kGemmRows = 6;
#endif
constexpr i64 kGemmBlock = 128;  // largest extent of a block in m, n and k

/// Where element (i, j) is: data[i * row + j * column].
template <class T>
struct strided {
  T* data;
  i64 row, column;
};

/// C[Rows, 2 vectors] (+)= A[Rows, k] B[k, 2 vectors].
template <int Rows, class T>
TLP_NOINLINE void multiply_register_block(i64 k, strided<const T> a, const T* b, i64 ldb, T* c, i64 ldc,
                                          bool accumulate) {
  constexpr int width = lanes<T>;
  vec<T> sum[Rows][2] = {};
  if (accumulate) {
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      sum[i][0] = load(c + i * ldc);
      sum[i][1] = load(c + i * ldc + width);
    }
  }
  for (i64 p = 0; p < k; ++p) {
    vec<T> b0 = load(b), b1 = load(b + width);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      vec<T> x = splat(a.data[i * a.row]);
      sum[i][0] = multiply_add(x, b0, sum[i][0]);
      sum[i][1] = multiply_add(x, b1, sum[i][1]);
    }
    a.data += a.column;
    b += ldb;
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
    store(c + i * ldc, sum[i][0]);
    store(c + i * ldc + width, sum[i][1]);
  }
}

/// All rows of C[m, 2 vectors], M the constant m or 0.
template <int M, class T>
TLP_INLINE void multiply_panel(i64 m, i64 k, strided<const T> a, const T* b, i64 ldb, T* c, i64 ldc, bool accumulate) {
  auto rows = [&](auto count) {
    constexpr int size = sizeof(count);
    multiply_register_block<size>(k, a, b, ldb, c, ldc, accumulate);
    a.data += size * a.row;
    c += size * ldc;
    m -= size;
  };
  struct full {
    char bytes[kGemmRows];
  };
  struct two {
    char bytes[2];
  };
  while (m >= kGemmRows) rows(full());
  if constexpr (M % kGemmRows != 0 || M == 0) {
    while (m >= 2) rows(two());
    if (m > 0) rows(char());
  }
}

template <class T, class S>
TLP_INLINE vec<T> load_converted(const S* p) {
  if constexpr (is_same<T, float>) {
    return load_floats(p);
  } else {
    return load(p);
  }
}

/// to[rows, padded] = from[rows, columns], zero beyond `columns`.
template <class T, class S>
TLP_NOINLINE void pack_rows(T* to, i64 ldt, const S* from, i64 ldf, i64 rows, i64 columns, i64 padded) {
  for (i64 i = 0; i < rows; ++i, to += ldt, from += ldf) {
    i64 j = 0;
    for (; j + lanes<T> <= columns; j += lanes<T>) store(to + j, load_converted<T>(from + j));
    for (; j < columns; ++j) to[j] = cast<T>(from[j]);
    for (; j < padded; ++j) to[j] = T(0);
  }
}

/// to[rows, lanes] = transpose of from[columns, rows], zero beyond `columns`, element by element.
template <class T, class S>
TLP_NOINLINE void transpose_edge(T* to, i64 ldt, const S* from, i64 ldf, i64 rows, i64 columns) {
#pragma GCC unroll 1
  for (i64 j = 0; j < lanes<T>; ++j) {
#pragma GCC unroll 1
    for (i64 i = 0; i < rows; ++i) to[i * ldt + j] = j < columns ? cast<T>(from[j * ldf + i]) : T(0);
  }
}

/// to[rows, padded] = transpose of from[columns, rows], zero beyond `columns`.
template <class T, class S>
TLP_NOINLINE void pack_transposed(T* to, i64 ldt, const S* from, i64 ldf, i64 rows, i64 columns, i64 padded) {
  constexpr int width = lanes<T>;
  for (i64 j = 0; j < padded; j += width) {
    i64 i = 0;
    if (j + width <= columns) {
      for (; i + width <= rows; i += width) {
        vec<T> block[width];
#pragma GCC unroll 16
        for (int r = 0; r < width; ++r) block[r] = load_converted<T>(from + (j + r) * ldf + i);
        transpose<T>(block);
#pragma GCC unroll 16
        for (int r = 0; r < width; ++r) store(to + (i + r) * ldt + j, block[r]);
      }
    }
    if (i < rows) transpose_edge(to + i * ldt + j, ldt, from + j * ldf + i, ldf, rows - i, columns - j);
  }
}

/// One block of B, [k, n], readable in panels of two vectors: in place, or copied to `copy`.
template <bool Transpose, class T, class B>
struct packed_columns {
  static constexpr i64 panel = 2 * lanes<T>;
  static constexpr bool in_place = is_same<T, B> && !Transpose;
  const T* data;
  i64 ld;
  alignas(64) T copy[kGemmBlock * (in_place ? panel : kGemmBlock)];  // in place: the last, partial panel only

  TLP_INLINE_MEMBER void pack(const B* b, i64 ldb, i64 k, i64 n) {
    if constexpr (in_place) {
      data = b;
      ld = ldb;
      i64 whole = n / panel * panel;
      if (whole < n) pack_rows(copy, panel, b + whole, ldb, k, n - whole, panel);
    } else {
      i64 padded = (n + panel - 1) / panel * panel;
      data = copy;
      ld = kGemmBlock;
      if constexpr (Transpose) {
        pack_transposed(copy, kGemmBlock, b, ldb, k, n, padded);
      } else {
        pack_rows(copy, kGemmBlock, b, ldb, k, n, padded);
      }
    }
  }
};

template <class C, class T>
TLP_INLINE C plus_sum(C c, T sum) {
  if constexpr (is_floating<C> || is_half<C>) {
    using Wide = select_type<is_same<C, double>, double, T>;
    return cast<C>(cast<Wide>(c) + Wide(sum));
  } else {
    return C(modular<C>(c) + modular<C>(i32(sum)));
  }
}

/// C[m, n] (+)= sums[m, n].
template <class C, class T>
TLP_NOINLINE void add_sums(C* c, i64 ldc, const T* __restrict sums, i64 lds, i64 m, i64 n, bool accumulate) {
  for (i64 i = 0; i < m; ++i, c += ldc, sums += lds) {
    i64 j = 0;
    if constexpr (is_half<C>) {
      for (; j + lanes<float> <= n; j += lanes<float>) {
        vec<float> sum = load(sums + j);
        store_floats(c + j, accumulate ? sum + load_floats(c + j) : sum);
      }
    }
    if (accumulate) {
      for (; j < n; ++j) c[j] = plus_sum(c[j], sums[j]);
    } else {
      for (; j < n; ++j) c[j] = cast<C>(sums[j]);
    }
  }
}

template <bool TransposeA, bool TransposeB, int M = 0, int N = 0, class A, class B, class C>
TLP_NOINLINE void gemm_blocks(i64 m, i64 n, i64 k, const A* a, i64 lda, const B* b, i64 ldb, C* c, i64 ldc,
                              bool accumulate) {
  using T = select_type<is_same<A, double>, double, float>;
  constexpr bool integral = !is_floating<A> && !is_half<A>;
  constexpr bool direct_c = is_same<C, T> && !integral, direct_a = is_same<A, T>;
  constexpr i64 panel = 2 * lanes<T>;

  packed_columns<TransposeB, T, B> columns;
  alignas(64) T a_copy[direct_a ? 1 : kGemmBlock * kGemmBlock];
  alignas(64) T sums[kGemmBlock * (direct_c ? panel : kGemmBlock)];  // direct: one partial panel of columns

  for (i64 i0 = 0; i0 < m; i0 += kGemmBlock) {
    i64 mb = m - i0 < kGemmBlock ? m - i0 : kGemmBlock;
    for (i64 j0 = 0; j0 < n; j0 += kGemmBlock) {
      i64 nb = n - j0 < kGemmBlock ? n - j0 : kGemmBlock;
      C* c_block = c + i0 * ldc + j0;
      bool add = accumulate;
      for (i64 k0 = 0; k0 < k || k0 == 0; k0 += kGemmBlock) {
        i64 kb = k - k0 < kGemmBlock ? k - k0 : kGemmBlock;
        columns.pack(TransposeB ? b + j0 * ldb + k0 : b + k0 * ldb + j0, ldb, kb, nb);
        const A* a_block = TransposeA ? a + k0 * lda + i0 : a + i0 * lda + k0;
        strided<const T> rows;
        if constexpr (direct_a) {
          rows = {a_block, TransposeA ? 1 : lda, TransposeA ? lda : 1};
        } else {
          pack_rows(a_copy, kGemmBlock, a_block, lda, TransposeA ? kb : mb, TransposeA ? mb : kb, 0);
          rows = {a_copy, TransposeA ? 1 : kGemmBlock, TransposeA ? kGemmBlock : 1};
        }
        for (i64 j = 0; j < nb; j += panel) {
          bool whole = N != 0 && N % panel == 0 ? true : j + panel <= nb;
          const T* b_panel = whole || !columns.in_place ? columns.data + j : columns.copy;
          i64 b_ld = whole || !columns.in_place ? columns.ld : panel;
          if constexpr (direct_c) {
            if (whole) {
              multiply_panel<M>(mb, kb, rows, b_panel, b_ld, c_block + j, ldc, add);
            } else {
              multiply_panel<M>(mb, kb, rows, b_panel, b_ld, sums, panel, false);
              add_sums(c_block + j, ldc, sums, panel, mb, nb - j, add);
            }
          } else {
            multiply_panel<M>(mb, kb, rows, b_panel, b_ld, sums + j, kGemmBlock, !integral && k0 > 0);
          }
        }
        if constexpr (integral) add_sums(c_block, ldc, sums, kGemmBlock, mb, nb, add);
        add = true;
      }
      if constexpr (!direct_c && !integral) add_sums(c_block, ldc, sums, kGemmBlock, mb, nb, accumulate);
    }
  }
}

template <bool TransposeA, bool TransposeB, class A, class B, class C>
TLP_INLINE void gemm(i64 m, i64 n, i64 k, const A* a, i64 lda, const B* b, i64 ldb, C* c, i64 ldc, bool accumulate) {
  gemm_blocks<TransposeA, TransposeB>(m, n, k, a, lda, b, ldb, c, ldc, accumulate);
}
template <bool TransposeA, bool TransposeB, int M, int N, int K, class A, class B, class C>
TLP_INLINE void gemm(const A* a, i64 lda, const B* b, i64 ldb, C* c, i64 ldc, bool accumulate) {
  gemm_blocks<TransposeA, TransposeB, M, N>(M, N, K, a, lda, b, ldb, c, ldc, accumulate);
}

}  // namespace tlp
