#pragma once

namespace tl::simulate::ascend {

/// Kernels of a vector core that break one rule each, beside ones that keep it. All take A and B of 4096 floats.
/// `KERNEL(name)` stands for the head of a kernel.
inline constexpr const char* kRuleKernels = R"(#include <tilelang_ascend.h>
#define LOAD(ub, gm, bytes) asc_copy_gm2ub_align((__ubuf__ uint8_t*)(ub), (__gm__ uint8_t*)(gm), 1, bytes, 0, 0, false, 0, bytes, bytes)
#define STORE(gm, ub, bytes) asc_copy_ub2gm_align((__gm__ uint8_t*)(gm), (__ubuf__ uint8_t*)(ub), 1, bytes, 0, bytes, bytes)
#define PASS(from, to, id) asc_sync_notify(from, to, id), asc_sync_wait(from, to, id)
#define UB(offset) ((__ubuf__ float*)offset)
__simt_vf__ __launch_bounds__(64) inline void twice(__ubuf__ float* in, __ubuf__ float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 2.0f;
}
__simt_vf__ __launch_bounds__(64) inline void set(__ubuf__ float* out) { out[threadIdx.x] = float(threadIdx.x); }

KERNEL(raw_bad) { LOAD(UB(0), A, 256); asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024)); }
KERNEL(raw_good) { LOAD(UB(0), A, 256); PASS(PIPE_MTE2, PIPE_V, 0); asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024)); }
KERNEL(raw_late_bad) {
  PASS(PIPE_MTE2, PIPE_V, 0);
  LOAD(UB(0), A, 256);
  asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024));
}
KERNEL(war_bad) {
  LOAD(UB(0), A, 256); PASS(PIPE_MTE2, PIPE_V, 0);
  asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024));
  LOAD(UB(0), A, 256);
}
KERNEL(war_good) {
  LOAD(UB(0), A, 256); PASS(PIPE_MTE2, PIPE_V, 0);
  asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024));
  PASS(PIPE_V, PIPE_MTE2, 0); LOAD(UB(0), A, 256);
}
KERNEL(waw_bad) { LOAD(UB(0), A, 256); LOAD(UB(128), A, 256); }
KERNEL(waw_good) { LOAD(UB(0), A, 256); asc_sync_pipe(PIPE_MTE2); LOAD(UB(128), A, 256); }
KERNEL(waw_apart_good) { LOAD(UB(0), A, 224); LOAD(UB(224), A, 256); }
KERNEL(waw_all_good) { LOAD(UB(0), A, 256); asc_sync(); LOAD(UB(128), A, 256); }
KERNEL(chain_good) {
  LOAD(UB(0), A, 256); PASS(PIPE_MTE2, PIPE_V, 0);
  asc_vf_call<set>(cce::dim3(64), UB(1024)); PASS(PIPE_V, PIPE_MTE3, 0);
  STORE(B, UB(0), 256);
}
KERNEL(vector_order_good) { asc_vf_call<set>(cce::dim3(64), UB(0)); asc_vf_call<twice>(cce::dim3(64), UB(0), UB(0)); }
KERNEL(scalar_bad) { LOAD(UB(0), A, 32); float x = UB(0)[3]; B[0] = x; }
KERNEL(scalar_good) { LOAD(UB(0), A, 32); PASS(PIPE_MTE2, PIPE_S, 0); float x = UB(0)[3]; B[0] = x; }
KERNEL(scalar_store_bad) { UB(0)[0] = 1.0f; asc_vf_call<twice>(cce::dim3(1), UB(0), UB(1024)); }
KERNEL(scalar_store_good) {
  UB(0)[0] = 1.0f; PASS(PIPE_S, PIPE_V, 0);
  asc_vf_call<twice>(cce::dim3(1), UB(0), UB(1024));
}
KERNEL(store_overlap_bad) {
  asc_vf_call<set>(cce::dim3(64), UB(0)); PASS(PIPE_V, PIPE_MTE3, 0);
  STORE(B, UB(0), 256); STORE(B + 8, UB(0), 256);
}
KERNEL(store_overlap_good) {
  asc_vf_call<set>(cce::dim3(64), UB(0)); PASS(PIPE_V, PIPE_MTE3, 0);
  STORE(B, UB(0), 256); asc_sync_pipe(PIPE_MTE3); STORE(B + 8, UB(0), 256);
}
KERNEL(blocks_bad) {
  asc_vf_call<set>(cce::dim3(64), UB(0)); PASS(PIPE_V, PIPE_MTE3, 0);
  STORE(B + 60 * block_idx, UB(0), 256);
}
KERNEL(blocks_good) {
  asc_vf_call<set>(cce::dim3(64), UB(0)); PASS(PIPE_V, PIPE_MTE3, 0);
  STORE(B + 64 * block_idx, UB(0), 256);
}
KERNEL(blocks_atomic_good) {
  asc_vf_call<set>(cce::dim3(64), UB(0)); PASS(PIPE_V, PIPE_MTE3, 0);
  asc_set_atomic_add_float(); STORE(B, UB(0), 256); asc_set_atomic_none();
}

KERNEL(set_twice_bad) {
  asc_sync_notify(PIPE_V, PIPE_MTE2, 0); asc_sync_notify(PIPE_V, PIPE_MTE2, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);
}
KERNEL(set_early_bad) { PASS(PIPE_V, PIPE_MTE2, 0); PASS(PIPE_V, PIPE_MTE2, 0); }
KERNEL(set_early_good) { PASS(PIPE_V, PIPE_MTE2, 0); PASS(PIPE_MTE2, PIPE_V, 0); PASS(PIPE_V, PIPE_MTE2, 0); }
KERNEL(left_set_bad) { asc_sync_notify(PIPE_V, PIPE_MTE2, 5); }
KERNEL(never_set_bad) { asc_sync_wait(PIPE_V, PIPE_MTE2, 0); LOAD(UB(0), A, 32); }
KERNEL(scalar_never_set_bad) { asc_sync_wait(PIPE_V, PIPE_S, 0); LOAD(UB(0), A, 32); }
KERNEL(circle_bad) {
  asc_sync_wait(PIPE_V, PIPE_MTE2, 0); asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0); asc_sync_notify(PIPE_V, PIPE_MTE2, 0);
}
KERNEL(set_later_good) {
  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  STORE(B, UB(0), 256);
  asc_vf_call<set>(cce::dim3(64), UB(0));
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
}
KERNEL(no_such_flag_bad) { PASS(PIPE_V, PIPE_MTE2, 8); }
KERNEL(no_such_pipe_bad) { PASS(PIPE_M, PIPE_MTE2, 0); }
KERNEL(mutex_bad) {
  asc_lock(PIPE_MTE2, 3, ASC_LOCK_BLOCK); LOAD(UB(0), A, 256); asc_unlock(PIPE_MTE2, 3, ASC_LOCK_BLOCK);
  asc_lock(PIPE_V, 4, ASC_LOCK_BLOCK);
  asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024)); asc_unlock(PIPE_V, 4, ASC_LOCK_BLOCK);
}
KERNEL(mutex_good) {
  asc_lock(PIPE_MTE2, 3, ASC_LOCK_BLOCK); LOAD(UB(0), A, 256); asc_unlock(PIPE_MTE2, 3, ASC_LOCK_BLOCK);
  asc_lock(PIPE_V, 3, ASC_LOCK_BLOCK);
  asc_vf_call<twice>(cce::dim3(64), UB(0), UB(1024)); asc_unlock(PIPE_V, 3, ASC_LOCK_BLOCK);
}
KERNEL(mutex_held_bad) { asc_lock(PIPE_MTE2, 3, ASC_LOCK_BLOCK); }
KERNEL(mutex_nested_bad) {
  asc_lock(PIPE_MTE2, 3, ASC_LOCK_BLOCK); asc_lock(PIPE_V, 3, ASC_LOCK_BLOCK); asc_unlock(PIPE_MTE2, 3, ASC_LOCK_BLOCK);
}

KERNEL(ub_end_bad) { LOAD(UB(253888), A, 128); }
KERNEL(ub_end_good) { LOAD(UB(253888), A, 64); }
KERNEL(gm_end_bad) { LOAD(UB(0), A + 4090, 32); }
KERNEL(gm_end_good) { LOAD(UB(0), A + 4090, 24); }
KERNEL(ub_aligned_bad) { LOAD(UB(16), A, 32); }
KERNEL(bursts_bad) { asc_copy_gm2ub_align(UB(0), A, 5000, 0, 0, 0, false, 0, 0, 32); }
KERNEL(bursts_good) { asc_copy_gm2ub_align(UB(0), A, 0, 32, 0, 0, false, 0, 0, 32); }
KERNEL(stride_bad) { asc_copy_gm2ub_align(UB(0), A, 4, 32, 0, 0, false, 0, 64, 40); }
KERNEL(stride_good) { asc_copy_gm2ub_align(UB(0), A, 4, 32, 0, 0, false, 0, 64, 64); }
KERNEL(store_poison_bad) { STORE(B, UB(0), 32); }
KERNEL(read_poison_bad) {
  LOAD(UB(0), A, 32); PASS(PIPE_MTE2, PIPE_V, 0); asc_vf_call<twice>(cce::dim3(9), UB(0), UB(1024));
}
KERNEL(read_poison_good) {
  LOAD(UB(0), A, 32); PASS(PIPE_MTE2, PIPE_V, 0); asc_vf_call<twice>(cce::dim3(8), UB(0), UB(1024));
}
KERNEL(too_many_threads_bad) { asc_vf_call<set>(cce::dim3(65), UB(0)); }
KERNEL(assert_bad) { device_assert(block_idx == 1); }
KERNEL(assert_good) { device_assert(block_idx == 0); }

__simt_vf__ __launch_bounds__(256) inline void neighbours(__ubuf__ float* x, bool apart) {
  const int t = threadIdx.x + threadIdx.y * blockDim.x;
  x[t] = 1.0f;
  if (apart) asc_syncthreads();
  x[256 + t] = x[(t + 1) % 256];
}
KERNEL(threads_bad) { asc_vf_call<neighbours>(cce::dim3(256), UB(0), false); }
KERNEL(threads_good) { asc_vf_call<neighbours>(cce::dim3(16, 16), UB(0), true); }
__simt_vf__ inline void same_place(__ubuf__ float* x) { x[0] = 1.0f; }
KERNEL(same_place_bad) { asc_vf_call<same_place>(cce::dim3(2), UB(0)); }
KERNEL(same_place_good) { asc_vf_call<same_place>(cce::dim3(1), UB(0)); }
__simt_vf__ inline void read_then_write(__gm__ float* x, bool apart) {
  float v = x[threadIdx.x ^ 1];
  if (apart) asc_syncthreads();
  x[threadIdx.x] = v;
}
KERNEL(gm_threads_bad) { asc_vf_call<read_then_write>(cce::dim3(64), A, false); }
KERNEL(gm_threads_good) { asc_vf_call<read_then_write>(cce::dim3(64), A, true); }
__simt_vf__ inline void halves_meet(__ubuf__ float* x, int first) {
  if (threadIdx.x < first) asc_syncthreads();
  x[threadIdx.x] = 0.0f;
}
KERNEL(divergent_bad) { asc_vf_call<halves_meet>(cce::dim3(64), UB(0), 32); }
KERNEL(divergent_good) { asc_vf_call<halves_meet>(cce::dim3(64), UB(0), 64); }
__simt_vf__ inline void count(__ubuf__ int32_t* n, bool atomic) {
  if (threadIdx.x == 0) n[0] = 0;
  asc_syncthreads();
  if (atomic) asc_atomic_add(n, 1);
  else n[0] += 1;
}
KERNEL(count_bad) { asc_vf_call<count>(cce::dim3(64), (__ubuf__ int32_t*)0, false); }
KERNEL(count_good) { asc_vf_call<count>(cce::dim3(64), (__ubuf__ int32_t*)0, true); }
__simt_vf__ inline void element(__ubuf__ float* x, int i) { x[i] = 0.0f; }
KERNEL(element_end_bad) { asc_vf_call<element>(cce::dim3(1), UB(0), 63488); }
KERNEL(element_end_good) { asc_vf_call<element>(cce::dim3(1), UB(0), 63487); }
KERNEL(element_below_bad) { asc_vf_call<element>(cce::dim3(1), UB(0), -1); }
KERNEL(element_aligned_bad) { asc_vf_call<element>(cce::dim3(1), UB(2), 0); }
__simt_vf__ inline void gm_element(__gm__ float* x, int i) { x[i] = 0.0f; }
KERNEL(gm_element_bad) { asc_vf_call<gm_element>(cce::dim3(1), B, 4096); }
KERNEL(gm_element_good) { asc_vf_call<gm_element>(cce::dim3(1), B, 4095); }
)";

}  // namespace tl::simulate::ascend
