namespace tlp {

namespace core {

extern "C" __global__ __cube__ void main_kernel(__gm__ f16* A, __gm__ f16* B, __gm__ f16* C) {
  asc_init();
  const i64 bx = block_idx;
  __ca__ half* const a_l0 = (__ca__ half*)0;
  __cb__ half* const b_l0 = (__cb__ half*)0;
  __cbuf__ half* const a = (__cbuf__ half*)0;
  __cbuf__ half* const b = (__cbuf__ half*)16384;
  __cc__ float* const c = (__cc__ float*)0;
  // gemm.py:18  m, n = bx // columns * block_M, bx % columns * block_N
  const int m = int(bx) / 2 * 128;
  const int n = int(bx) % 2 * 256;
  // gemm.py:20  T.copy(A[m : m + block_M, k * block_K : (k + 1) * block_K], a)
  const i64 count = min(130 - i64(m), i64(128));
  if (int(count) < 128) {
    asc_fill_l1((__cbuf__ uint16_t*)(a + (0 + count * 16)), 0, {.repeat = 4, .blk_num = static_cast<uint64_t>(128 - count), .dst_gap = static_cast<uint64_t>(128 - (128 - count))});
  }
  asc_set_gm2l1_nz_para(1, 1, 128, 0);
  asc_copy_gm2l1_nd2nz(a, (__gm__ half*)(A + (i64(m) * 64)), 128, static_cast<asc_load_l2_cache_mode>(0), count, 64, 0, false);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(0));
  // gemm.py:21  T.copy(B[n : n + block_N, k * block_K : (k + 1) * block_K], b)
  const i64 count_1 = min(260 - i64(n), i64(256));
  if (int(count_1) < 256) {
    asc_fill_l1((__cbuf__ uint16_t*)(b + (0 + count_1 * 16)), 0, {.repeat = 4, .blk_num = static_cast<uint64_t>(256 - count_1), .dst_gap = static_cast<uint64_t>(256 - (256 - count_1))});
  }
  asc_set_gm2l1_nz_para(1, 1, 256, 0);
  asc_copy_gm2l1_nd2nz(b, (__gm__ half*)(B + (i64(n) * 64)), 128, static_cast<asc_load_l2_cache_mode>(0), count_1, 64, 0, false);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(1));
  // gemm.py:22  T.gemm(a, b, c, transpose_B=True, clear_accum=(k == 0))
  asc_sync_wait(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(0));
  asc_copy_l12l0a(a_l0, a, 0, 0, 8, 4, 8, 8);
  asc_sync_wait(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(1));
  asc_copy_l12l0b(b_l0, b, 0, 0, 16, 4, 16, 16);
  asc_sync_notify(PIPE_MTE1, PIPE_M, static_cast<event_t>(0));
  asc_sync_wait(PIPE_MTE1, PIPE_M, static_cast<event_t>(0));
  asc_mmad(c, a_l0, b_l0, 128, 64, 256, 0, true, false, true);
  asc_sync_notify(PIPE_M, PIPE_FIX, static_cast<event_t>(0));
  // gemm.py:23  T.copy(c, C[m : m + block_M, n : n + block_N])
  const i64 count_2 = min(130 - i64(m), i64(128));
  const i64 count_3 = min(260 - i64(n), i64(256));
  asc_sync_wait(PIPE_M, PIPE_FIX, static_cast<event_t>(0));
  asc_set_l0c_copy_nz_para(1, 0, 0);
  asc_copy_l0c2gm((__gm__ half*)(C + (i64(m) * 260 + i64(n))), c, count_3, count_2, 260, 128, static_cast<asc_store_l2_cache_mode>(0), static_cast<asc_unit_flag_mode>(0), static_cast<asc_quant_mode>(1), static_cast<asc_relu_pre_mode>(0), false, true, false, false);
}

}  // namespace core

}  // namespace tlp

using namespace tlp;
using namespace tlp::core;
