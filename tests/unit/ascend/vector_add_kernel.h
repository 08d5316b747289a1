#pragma once

namespace tl::simulate::ascend {

/// c = a + b for any n: double-buffered tiles of 4096, each block a stretch of tiles, the last tile a short one.
inline constexpr const char* kVectorAdd = R"(#include <tilelang_ascend.h>
__simt_vf__ __launch_bounds__(256) inline void add_tile(__ubuf__ float* a, __ubuf__ float* b, __ubuf__ float* c, int32_t n) {
  for (int i = threadIdx.x; i < n; i += 256) {
    c[i] = a[i] + b[i];
  }
}
extern "C" __global__ __vector__ void vector_add(__gm__ float* A, __gm__ float* B, __gm__ float* C, int32_t n) {
  asc_init();
  __ubuf__ uint8_t *ub = (__ubuf__ uint8_t *)0;
  const int32_t tiles = (n + 4095) / 4096;
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
  int32_t step = 0;
  for (int32_t tile = ((int32_t)block_idx); tile < tiles; tile += gridDim.x, ++step) {
    const int32_t slot = step & 1;
    const int32_t count = min(4096, n - tile * 4096);
    __ubuf__ float* a = (__ubuf__ float*)(ub + slot * 49152);
    __ubuf__ float* b = (__ubuf__ float*)(ub + slot * 49152 + 16384);
    __ubuf__ float* c = (__ubuf__ float*)(ub + slot * 49152 + 32768);
    asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(slot));
    asc_copy_gm2ub_align((__ubuf__ uint8_t*)a, (__gm__ uint8_t*)(A + tile * 4096), 1, count * 4, 0, 0, false, static_cast<asc_load_l2_cache_mode>(0), count * 4, count * 4);
    asc_copy_gm2ub_align((__ubuf__ uint8_t*)b, (__gm__ uint8_t*)(B + tile * 4096), 1, count * 4, 0, 0, false, static_cast<asc_load_l2_cache_mode>(0), count * 4, count * 4);
    asc_sync_notify(PIPE_MTE2, PIPE_V, static_cast<event_t>(slot));
    asc_sync_wait(PIPE_MTE2, PIPE_V, static_cast<event_t>(slot));
    asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(slot));
    asc_vf_call<add_tile>(cce::dim3(256), a, b, c, count);
    asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(slot));
    asc_sync_notify(PIPE_V, PIPE_MTE3, static_cast<event_t>(slot));
    asc_sync_wait(PIPE_V, PIPE_MTE3, static_cast<event_t>(slot));
    asc_copy_ub2gm_align((__gm__ uint8_t*)(C + tile * 4096), (__ubuf__ uint8_t*)c, 1, count * 4, static_cast<asc_store_l2_cache_mode>(4), count * 4, count * 4);
    asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(slot));
  }
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
}
)";

}  // namespace tl::simulate::ascend
