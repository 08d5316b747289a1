#pragma once

namespace tl::simulate::ascend {

/// Kernels of a cube core: one tile C[m, n] = A op B each, every step behind the one before by a flag unless the
/// kernel is about what happens without. `CUBE(name, types)` stands for the head of a kernel.
inline constexpr const char* kCubeKernels = R"(#include <tilelang_ascend.h>
#define PASS(from, to, id) asc_sync_notify(from, to, id), asc_sync_wait(from, to, id)
#define UP(a, b) (((a) + (b) - 1) / (b) * (b))
template <class T> __aicore__ inline void load_nd(uint64_t l1, __gm__ T* p, int rows, int columns, int pitch) {
  asc_set_gm2l1_nz_para(1, 1, UP(rows, 16), 0);
  asc_copy_gm2l1_nd2nz((__cbuf__ T*)l1, p, pitch * sizeof(T), 0, rows, columns, 0, false);
}
template <class C, class T> __aicore__ inline void product(uint64_t a_l1, uint64_t b_l1, int m, int n, int k, bool init) {
  constexpr int c0 = 32 / sizeof(T);
  asc_copy_l12l0a((__ca__ T*)0, (__cbuf__ T*)a_l1, 0, 0, UP(m, 16) / 16, UP(k, c0) / c0, UP(m, 16) / 16, UP(m, 16) / 16);
  asc_copy_l12l0b((__cb__ T*)0, (__cbuf__ T*)b_l1, 0, 0, UP(n, 16) / 16, UP(k, c0) / c0, UP(n, 16) / 16, UP(n, 16) / 16);
  PASS(PIPE_MTE1, PIPE_M, 0);
  asc_mmad((__cc__ C*)0, (__ca__ T*)0, (__cb__ T*)0, m, k, n, 0, 1, 0, init);
}
template <class C, class O> __aicore__ inline void store(__gm__ O* p, int m, int n, int pitch, int quant) {
  PASS(PIPE_M, PIPE_FIX, 0);
  asc_set_l0c_copy_nz_para(1, 0, 0);
  asc_copy_l0c2gm(p, (__cc__ C*)0, n, m, pitch, UP(m, 16), 0, 0, quant, 0, 0, 1, 0, 0);
}
template <class T, class C, class O>
__aicore__ inline void whole(__gm__ T* A, __gm__ T* B, __gm__ O* C_, int m, int n, int k, int quant) {
  asc_init();
  load_nd(0, A, m, k, k);
  load_nd(131072, B, n, k, k);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  product<C, T>(0, 131072, m, n, k, true);
  store<C>(C_, m, n, n, quant);
}
CUBE(gemm_half, half, float) { whole<half, float>(A, B, C, m, n, k, 0); }
CUBE(gemm_half_out, half, half) { whole<half, float>(A, B, C, m, n, k, 1); }
CUBE(gemm_bf16, bfloat16_t, bfloat16_t) { whole<bfloat16_t, float>(A, B, C, m, n, k, 16); }
CUBE(gemm_float, float, float) { whole<float, float>(A, B, C, m, n, k, 0); }
CUBE(gemm_int8, int8_t, int32_t) { whole<int8_t, int32_t>(A, B, C, m, n, k, 0); }
CUBE(quant_bad, half, half) { whole<half, float>(A, B, C, m, n, k, 0); }

// A [k, m] and B [k, n], transposed on the way to L0.
template <class T> __aicore__ inline void transposed(__gm__ T* A, __gm__ T* B, __gm__ float* C, int m, int n, int k) {
  constexpr int c0 = 32 / sizeof(T);
  asc_init();
  load_nd(0, A, k, m, m);
  load_nd(131072, B, k, n, n);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  asc_copy_l12l0a_transpose((__ca__ T*)0, (__cbuf__ T*)0, 0, 0, k / 16, m / c0, k / 16, m / 16);
  asc_copy_l12l0b_transpose((__cb__ T*)0, (__cbuf__ T*)131072, 0, 0, k / 16, n / c0, k / 16, n / 16);
  PASS(PIPE_MTE1, PIPE_M, 0);
  asc_mmad((__cc__ float*)0, (__ca__ T*)0, (__cb__ T*)0, m, k, n, 0, 1, 0, 1);
  store<float>(C, m, n, n, 0);
}
CUBE(gemm_tn, half, float) { transposed(A, B, C, m, n, k); }
CUBE(gemm_tn_float, float, float) { transposed(A, B, C, m, n, k); }
// B [k, n], transposed on the way to L1.
CUBE(gemm_dn2nz, half, float) {
  asc_init();
  load_nd(0, A, m, k, k);
  asc_set_gm2l1_nz_para(1, 1, UP(n, 16), 0);
  asc_copy_gm2l1_dn2nz((__cbuf__ half*)131072, B, n * 2, 0, n, k, 0, false);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  product<float, half>(0, 131072, m, n, k, true);
  store<float>(C, m, n, n, 0);
}
// K in two parts that add into one small tile.
template <bool kApart> __aicore__ inline void in_parts(__gm__ half* A, __gm__ half* B, __gm__ float* C, int m, int n, int k) {
  asc_init();
  load_nd(0, A, m, k, k);
  load_nd(131072, B, n, k, k);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  const int r = UP(m, 16) / 16, q = UP(n, 16) / 16;
  asc_copy_l12l0a((__ca__ half*)0, (__cbuf__ half*)0, 0, 0, r, k / 16, r, r);
  asc_copy_l12l0b((__cb__ half*)0, (__cbuf__ half*)131072, 0, 0, q, k / 16, q, q);
  PASS(PIPE_MTE1, PIPE_M, 0);
  for (int p = 0; p < 2; ++p) {
    if (p == 1 && kApart) asc_sync_pipe(PIPE_M);
    asc_mmad((__cc__ float*)0, (__ca__ half*)0 + p * (k / 32) * r * 256, (__cb__ half*)0 + p * (k / 32) * q * 256, m, k / 2, n, 0, 1, 0, p == 0);
  }
  store<float>(C, m, n, n, 0);
}
CUBE(small_parts_bad, half, float) { in_parts<false>(A, B, C, m, n, k); }
CUBE(small_parts_good, half, float) { in_parts<true>(A, B, C, m, n, k); }
CUBE(large_parts_good, half, float) { in_parts<false>(A, B, C, m, n, k); }
// The unit flag stands for the flag from M to FIX.
template <int kDrain> __aicore__ inline void by_unit_flag(__gm__ half* A, __gm__ half* B, __gm__ float* C, int m, int n, int k) {
  asc_init();
  load_nd(0, A, m, k, k);
  load_nd(131072, B, n, k, k);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  const int r = UP(m, 16) / 16, q = UP(n, 16) / 16;
  asc_copy_l12l0a((__ca__ half*)0, (__cbuf__ half*)0, 0, 0, r, k / 16, r, r);
  asc_copy_l12l0b((__cb__ half*)0, (__cbuf__ half*)131072, 0, 0, q, k / 16, q, q);
  PASS(PIPE_MTE1, PIPE_M, 0);
  asc_mmad((__cc__ float*)0, (__ca__ half*)0, (__cb__ half*)0, m, k, n, 3, 1, 0, 1);
  asc_set_l0c_copy_nz_para(1, 0, 0);
  asc_copy_l0c2gm(C, (__cc__ float*)0, n, m, n, UP(m, 16), 0, kDrain, 0, 0, 0, 1, 0, 0);
}
CUBE(unit_flag_good, half, float) { by_unit_flag<3>(A, B, C, m, n, k); }
CUBE(unit_flag_bad, half, float) { by_unit_flag<0>(A, B, C, m, n, k); }
// Rows of A beyond m are read where nothing was written, unless they are filled.
template <bool kFill> __aicore__ inline void row_tail(__gm__ half* A, __gm__ half* B, __gm__ float* C, int m, int n, int k) {
  asc_init();
  const int rows = m - 3;
  asc_set_gm2l1_nz_para(1, 1, 16, 0);
  if (kFill) asc_fill_l1((__cbuf__ uint16_t*)0 + rows * 16, 0, {.repeat = static_cast<uint64_t>(k / 16), .blk_num = static_cast<uint64_t>(16 - rows), .dst_gap = static_cast<uint64_t>(rows)});
  asc_copy_gm2l1_nd2nz((__cbuf__ half*)0, A, k * 2, 0, rows, k, 0, false);
  load_nd(131072, B, n, k, k);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  product<float, half>(0, 131072, m, n, k, true);
  store<float>(C, m, n, n, 0);
}
CUBE(row_tail_bad, half, float) { row_tail<false>(A, B, C, m, n, k); }
CUBE(row_tail_good, half, float) { row_tail<true>(A, B, C, m, n, k); }
CUBE(l0c_align_bad, half, float) {
  asc_init();
  asc_mmad((__cc__ float*)512, (__ca__ half*)0, (__cb__ half*)0, m, k, n, 0, 1, 0, 1);
}
CUBE(types_bad, half, float) {
  asc_init();
  asc_mmad((__cc__ float*)0, (__ca__ half*)0, (__cb__ bfloat16_t*)0, m, k, n, 0, 1, 0, 1);
}
CUBE(l0_end_bad, half, float) {
  asc_init();
  load_nd(0, A, m, k, k);
  PASS(PIPE_MTE2, PIPE_MTE1, 0);
  asc_copy_l12l0a((__ca__ half*)65536, (__cbuf__ half*)0, 0, 0, 1, 1, 1, 1);
}
CUBE(nothing_good, half, float) {
  asc_init();
  asc_mmad((__cc__ float*)0, (__ca__ half*)0, (__cb__ half*)0, 0, k, n, 0, 1, 0, 1);
  asc_copy_l12l0a((__ca__ half*)0, (__cbuf__ half*)0, 0, 0, 0, 1, 1, 1);
}
)";

}  // namespace tl::simulate::ascend
