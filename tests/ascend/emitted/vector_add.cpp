namespace tlp {

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_0(__ubuf__ float* a, i64 count, int step) {
  const int tx = threadIdx.x;
  // vector_add.py:19  T.copy(A[begin : begin + tile], a)
  for (int p = tx; p < 4096 - int(count); p += 256) {
    a[(step & 1) * 4096 + (int(count) + p)] = 0.0f;
  }
}

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_1(__ubuf__ float* a, int step) {
  const int tx = threadIdx.x;
  // vector_add.py:19  T.copy(A[begin : begin + tile], a)
  #pragma unroll
  for (int r = 0; r < 16; ++r) {
    a[(step & 1) * 4096 + (tx + r * 256)] = 0.0f;
  }
}

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_2(__ubuf__ float* b, i64 count, int step) {
  const int tx = threadIdx.x;
  // vector_add.py:20  T.copy(B[begin : begin + tile], b)
  for (int p = tx; p < 4096 - int(count); p += 256) {
    b[(step & 1) * 4096 + (int(count) + p)] = 0.0f;
  }
}

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_3(__ubuf__ float* b, int step) {
  const int tx = threadIdx.x;
  // vector_add.py:20  T.copy(B[begin : begin + tile], b)
  #pragma unroll
  for (int r = 0; r < 16; ++r) {
    b[(step & 1) * 4096 + (tx + r * 256)] = 0.0f;
  }
}

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_4(__ubuf__ float* a, __ubuf__ float* b, __ubuf__ float* c, int step) {
  const int tx = threadIdx.x;
  // vector_add.py:22  for i in T.Parallel(tile):
  #pragma unroll
  for (int r = 0; r < 16; ++r) {
    // vector_add.py:23  c[i] = a[i] + b[i]
    c[(step & 1) * 4096 + (tx + r * 256)] = a[(step & 1) * 4096 + (tx + r * 256)] + b[(step & 1) * 4096 + (tx + r * 256)];
  }
}

namespace core {

extern "C" __global__ __vector__ void main_kernel(__gm__ float* A, __gm__ float* B, __gm__ float* C) {
  asc_init();
  const i64 bx = block_idx;
  __ubuf__ float* const a = (__ubuf__ float*)0;
  __ubuf__ float* const b = (__ubuf__ float*)32768;
  __ubuf__ float* const c = (__ubuf__ float*)65536;
  // vector_add.py:17  for step in T.Pipelined(T.ceildiv(N, num_blocks * tile), num_stages=num_stages):
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
  for (i64 step = 0; step < 4; ++step) {
    // vector_add.py:18  begin = (step * num_blocks + bx) * tile
    const int begin = (int(step) * 8 + int(bx)) * 4096;
    // vector_add.py:19  T.copy(A[begin : begin + tile], a)
    const i64 count = max(min(100003 - i64(begin), i64(4096)), i64(0));
    asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(step % 2));
    if (int(count) > 0) {
      asc_copy_gm2ub_align((__ubuf__ uint8_t*)(a + (step % 2 * 4096)), (__gm__ uint8_t*)(A + (i64(begin))), 1, count * 4, 0, 0, false, static_cast<asc_load_l2_cache_mode>(0), count * 4, count * 4);
    }
    asc_sync_notify(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2));
    // vector_add.py:20  T.copy(B[begin : begin + tile], b)
    const i64 count_1 = max(min(100003 - i64(begin), i64(4096)), i64(0));
    if (int(count_1) > 0) {
      asc_copy_gm2ub_align((__ubuf__ uint8_t*)(b + (step % 2 * 4096)), (__gm__ uint8_t*)(B + (i64(begin))), 1, count_1 * 4, 0, 0, false, static_cast<asc_load_l2_cache_mode>(0), count_1 * 4, count_1 * 4);
    }
    asc_sync_notify(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2 + 2));
    // vector_add.py:19  T.copy(A[begin : begin + tile], a)
    asc_sync_wait(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2));
    if (int(count) < 4096) {
      if (int(count) > 0) {
        asc_vf_call<main_kernel_simt_0>(cce::dim3(256), a, count, step);
      } else {
        // vector_add.py:19  T.copy(A[begin : begin + tile], a)
        asc_vf_call<main_kernel_simt_1>(cce::dim3(256), a, step);
      }
    }
    // vector_add.py:20  T.copy(B[begin : begin + tile], b)
    asc_sync_wait(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2 + 2));
    if (int(count_1) < 4096) {
      if (int(count_1) > 0) {
        asc_vf_call<main_kernel_simt_2>(cce::dim3(256), b, count_1, step);
      } else {
        // vector_add.py:20  T.copy(B[begin : begin + tile], b)
        asc_vf_call<main_kernel_simt_3>(cce::dim3(256), b, step);
      }
    }
    // vector_add.py:21  with T.SimtVF(threads=threads):
    asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(step % 2));
    asc_vf_call<main_kernel_simt_4>(cce::dim3(256), a, b, c, step);
    asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(step % 2));
    asc_sync_notify(PIPE_V, PIPE_MTE3, static_cast<event_t>(step % 2));
    // vector_add.py:24  T.copy(c, C[begin : begin + tile])
    const i64 count_2 = max(min(100003 - i64(begin), i64(4096)), i64(0));
    asc_sync_wait(PIPE_V, PIPE_MTE3, static_cast<event_t>(step % 2));
    if (int(count_2) > 0) {
      asc_copy_ub2gm_align((__gm__ uint8_t*)(C + (i64(begin))), (__ubuf__ uint8_t*)(c + (step % 2 * 4096)), 1, count_2 * 4, static_cast<asc_store_l2_cache_mode>(4), count_2 * 4, count_2 * 4);
    }
    asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(step % 2));
  }
  // vector_add.py:17  for step in T.Pipelined(T.ceildiv(N, num_blocks * tile), num_stages=num_stages):
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
}

}  // namespace core

}  // namespace tlp

using namespace tlp;
using namespace tlp::core;
