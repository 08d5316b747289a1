#pragma once

namespace tl::simulate::ascend {

/// C = A B^T for float16 A[M, K], B[N, K] and C[M, N] float32 in tiles of 128 x 256 x 64 (extents that the tiles
/// divide): L1 and L0 double-buffered, one block a tile of C.
inline constexpr const char* kGemm = R"(#include <tilelang_ascend.h>
extern "C" __global__ __cube__ void gemm(__gm__ half* A, __gm__ half* B, __gm__ float* C, int32_t M, int32_t N, int32_t K) {
  asc_init();
  const int32_t tiles_n = N / 256, tiles = M / 128 * tiles_n;
  __cbuf__ half* a_l1 = (__cbuf__ half*)0;
  __cbuf__ half* b_l1 = (__cbuf__ half*)32768;
  __ca__ half* a_l0 = (__ca__ half*)0;
  __cb__ half* b_l0 = (__cb__ half*)0;
  __cc__ float* c_l0 = (__cc__ float*)0;
  asc_sync_notify(PIPE_MTE1, PIPE_MTE2, 0);
  asc_sync_notify(PIPE_MTE1, PIPE_MTE2, 1);
  asc_sync_notify(PIPE_M, PIPE_MTE1, 0);
  asc_sync_notify(PIPE_M, PIPE_MTE1, 1);
  asc_sync_notify(PIPE_FIX, PIPE_M, 0);
  int32_t step = 0, half_step = 0;
  for (int32_t tile = ((int32_t)block_idx); tile < tiles; tile += gridDim.x) {
    const int32_t row = tile / tiles_n * 128, column = tile % tiles_n * 256;
    asc_sync_wait(PIPE_FIX, PIPE_M, 0);
    for (int32_t k = 0; k < K; k += 64, ++step) {
      const int32_t s = step & 1;
      asc_sync_wait(PIPE_MTE1, PIPE_MTE2, s);
      asc_set_gm2l1_nz_para(1, 1, static_cast<uint16_t>(128), 0);
      asc_copy_gm2l1_nd2nz(a_l1 + s * 8192, A + row * K + k, K * 2, static_cast<asc_load_l2_cache_mode>(0), 128, 64, 0, false);
      asc_set_gm2l1_nz_para(1, 1, static_cast<uint16_t>(256), 0);
      asc_copy_gm2l1_nd2nz(b_l1 + s * 16384, B + column * K + k, K * 2, static_cast<asc_load_l2_cache_mode>(0), 256, 64, 0, false);
      asc_sync_notify(PIPE_MTE2, PIPE_MTE1, s);
      asc_sync_wait(PIPE_MTE2, PIPE_MTE1, s);
      for (int32_t part = 0; part < 2; ++part, ++half_step) {
        const int32_t z = half_step & 1;
        asc_sync_wait(PIPE_M, PIPE_MTE1, z);
        asc_copy_l12l0a(a_l0 + z * 4096, a_l1 + s * 8192, 0, part * 2, 8, 2, 8, 8);
        asc_copy_l12l0b(b_l0 + z * 8192, b_l1 + s * 16384, 0, part * 2, 16, 2, 16, 16);
        asc_sync_notify(PIPE_MTE1, PIPE_M, z);
        asc_sync_wait(PIPE_MTE1, PIPE_M, z);
        asc_mmad(c_l0, a_l0 + z * 4096, b_l0 + z * 8192, 128, 32, 256, 0, 1, 0, (bool)(k == 0 && part == 0));
        asc_sync_notify(PIPE_M, PIPE_MTE1, z);
      }
      asc_sync_notify(PIPE_MTE1, PIPE_MTE2, s);
    }
    asc_sync_notify(PIPE_M, PIPE_FIX, 0);
    asc_sync_wait(PIPE_M, PIPE_FIX, 0);
    asc_set_l0c_copy_nz_para(1, 0, 0);
    asc_copy_l0c2gm(C + row * N + column, c_l0, 256, 128, N, 128, static_cast<asc_store_l2_cache_mode>(0), static_cast<asc_unit_flag_mode>(0), static_cast<asc_quant_mode>(0), static_cast<asc_relu_pre_mode>(0), 0, 1, 0, 0);
    asc_sync_notify(PIPE_FIX, PIPE_M, 0);
  }
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, 0);
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, 1);
  asc_sync_wait(PIPE_M, PIPE_MTE1, 0);
  asc_sync_wait(PIPE_M, PIPE_MTE1, 1);
  asc_sync_wait(PIPE_FIX, PIPE_M, 0);
}
)";

}  // namespace tl::simulate::ascend
