namespace tlp {

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_0(__ubuf__ float* x, int step) {
  const int tx = threadIdx.x;
  // softmax.py:18  T.copy(X[row : row + block_M, 0:N], x)
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
    #pragma unroll
    for (int r_1 = 0; r_1 < 2; ++r_1) {
      if (tx + r_1 * 256 < 500) {
        x[(step & 1) * 2016 + r * 504 + tx + r_1 * 256] = 0.0f;
      }
    }
  }
}

__simt_vf__ __launch_bounds__(256) inline void main_kernel_simt_1(__ubuf__ float* x, __ubuf__ float* y, int step, __ubuf__ uint8_t* scratch) {
  const int tx = threadIdx.x;
  float e[8];
  float row_max[1];
  float row_sum[1];
  // softmax.py:23  T.copy(x, e)
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    if (tx % 64 + r * 64 < 500) {
      e[r] = x[(step & 1) * 2016 + tx / 64 * 504 + tx % 64 + r * 64];
    }
  }
  float partial[1];
  // softmax.py:24  T.reduce_max(e, row_max, dim=1)
  partial[0] = -infinity;
  #pragma unroll
  for (int r_1 = 0; r_1 < 8; ++r_1) {
    if (tx % 64 + r_1 * 64 < 500) {
      partial[0] = max(partial[0], e[r_1]);
    }
  }
  __ubuf__ float* const scratch_1 = (__ubuf__ float*)(scratch + 0);
  thread_reduce<max_of, 256, 64, 1, 1>(tx, partial, scratch_1);
  row_max[0] = partial[0];
  // softmax.py:25  for i, j in T.Parallel(block_M, N):
  #pragma unroll
  for (int r_2 = 0; r_2 < 8; ++r_2) {
    if (tx % 64 + r_2 * 64 < 500) {
      // softmax.py:26  e[i, j] = T.exp(e[i, j] - row_max[i])
      e[r_2] = exp(e[r_2] - row_max[0]);
    }
  }
  float partial_1[1];
  // softmax.py:27  T.reduce_sum(e, row_sum, dim=1)
  partial_1[0] = 0.0f;
  #pragma unroll
  for (int r_3 = 0; r_3 < 8; ++r_3) {
    if (tx % 64 + r_3 * 64 < 500) {
      partial_1[0] = partial_1[0] + e[r_3];
    }
  }
  __ubuf__ float* const scratch_2 = (__ubuf__ float*)(scratch + 0);
  asc_syncthreads();
  thread_reduce<sum_of, 256, 64, 1, 1>(tx, partial_1, scratch_2);
  row_sum[0] = partial_1[0];
  // softmax.py:28  for i, j in T.Parallel(block_M, N):
  #pragma unroll
  for (int r_4 = 0; r_4 < 8; ++r_4) {
    if (tx % 64 + r_4 * 64 < 500) {
      // softmax.py:29  y[i, j] = e[i, j] / row_sum[i]
      y[(step & 1) * 2016 + tx / 64 * 504 + tx % 64 + r_4 * 64] = e[r_4] / row_sum[0];
    }
  }
}

namespace core {

extern "C" __global__ __vector__ void main_kernel(__gm__ float* X, __gm__ float* Y) {
  asc_init();
  const i64 bx = block_idx;
  __ubuf__ float* const x = (__ubuf__ float*)0;
  __ubuf__ float* const y = (__ubuf__ float*)16128;
  // softmax.py:16  for step in T.Pipelined(T.ceildiv(M, num_blocks * block_M), num_stages=2):
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
  for (i64 step = 0; step < 32; ++step) {
    // softmax.py:17  row = (step * num_blocks + bx) * block_M
    const int row = (int(step) * 8 + int(bx)) * 4;
    // softmax.py:18  T.copy(X[row : row + block_M, 0:N], x)
    const i64 count = max(min(1000 - i64(row), i64(4)), i64(0));
    asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(step % 2));
    if (int(count) > 0) {
      asc_copy_gm2ub_align((__ubuf__ uint8_t*)(x + (step % 2 * 2016)), (__gm__ uint8_t*)(X + (i64(row) * 500)), count, 2000, 0, 0, false, static_cast<asc_load_l2_cache_mode>(0), 2000, 2016);
    }
    asc_sync_notify(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2));
    asc_sync_wait(PIPE_MTE2, PIPE_V, static_cast<event_t>(step % 2));
    if (int(count) < 4) {
      asc_vf_call<main_kernel_simt_0>(cce::dim3(256), x, step);
    }
    // softmax.py:19  with T.SimtVF(threads=threads):
    asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(step % 2));
    asc_vf_call<main_kernel_simt_1>(cce::dim3(256), x, y, step, (__ubuf__ uint8_t*)32256);
    asc_sync_notify(PIPE_V, PIPE_MTE2, static_cast<event_t>(step % 2));
    asc_sync_notify(PIPE_V, PIPE_MTE3, static_cast<event_t>(step % 2));
    // softmax.py:30  T.copy(y, Y[row : row + block_M, 0:N])
    const i64 count_1 = max(min(1000 - i64(row), i64(4)), i64(0));
    asc_sync_wait(PIPE_V, PIPE_MTE3, static_cast<event_t>(step % 2));
    if (int(count_1) > 0) {
      asc_copy_ub2gm_align((__gm__ uint8_t*)(Y + (i64(row) * 500)), (__ubuf__ uint8_t*)(y + (step % 2 * 2016)), count_1, 2000, static_cast<asc_store_l2_cache_mode>(4), 2000, 2016);
    }
    asc_sync_notify(PIPE_MTE3, PIPE_V, static_cast<event_t>(step % 2));
  }
  // softmax.py:16  for step in T.Pipelined(T.ceildiv(M, num_blocks * block_M), num_stages=2):
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(0));
  asc_sync_wait(PIPE_V, PIPE_MTE2, static_cast<event_t>(1));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(0));
  asc_sync_wait(PIPE_MTE3, PIPE_V, static_cast<event_t>(1));
}

}  // namespace core

}  // namespace tlp

using namespace tlp;
using namespace tlp::core;
