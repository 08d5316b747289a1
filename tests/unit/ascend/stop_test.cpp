// Kernels that are stopped: by who called them, by what their prints meet, and by assertions.

#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

constexpr const char* kText = R"(#include <tilelang_ascend.h>
__simt_vf__ inline void set(__ubuf__ float* out) { out[threadIdx.x] = 1.0f; }
__simt_vf__ inline void spin(__ubuf__ float* out, int32_t step) {
  out[threadIdx.x] = 1.0f;
  if (threadIdx.x == 40) {
    for (int32_t i = 0; i < 2; i += step);
  }
  asc_syncthreads();
}
__simt_vf__ inline void fail(__ubuf__ float* out) {
  if (threadIdx.x < 40) asc_syncthreads();
  if (threadIdx.x == 50) debug_print_msg("thread 50");
  device_assert(threadIdx.x != 50);
  asc_syncthreads();
  out[100000] = 1.0f;
}
extern "C" __global__ __vector__ void scalar_for(__gm__ float* B) { for (int32_t i = 0; i < 2; i *= 2) block_idx + i; }
extern "C" __global__ __vector__ void scalar_bare(__gm__ float* B) { for (;;); }
extern "C" __global__ __vector__ void scalar_while(__gm__ float* B) { while (true) {} }
extern "C" __global__ __vector__ void scalar_do(__gm__ float* B) { do { continue; } while (1); }
extern "C" __global__ __vector__ void elements(__gm__ float* B) { while (B[0] == B[0]) B[1] = B[0]; }
extern "C" __global__ __vector__ void regions(__gm__ float* B) {
  for (int32_t i = 0; i < 2; i *= 2) asc_vf_call<set>(cce::dim3(2048), (__ubuf__ float*)0);
}
extern "C" __global__ __vector__ void one_thread(__gm__ float* B) { asc_vf_call<spin>(cce::dim3(64), (__ubuf__ float*)0, 0); }
extern "C" __global__ __vector__ void copies(__gm__ float* B) {
  while (true) asc_copy_gm2ub_align((__ubuf__ float*)0, B, 1, 32, 0, 0, false, 0, 32, 32), asc_sync_pipe(PIPE_MTE2);
}
extern "C" __global__ __mix__(1, 2) void one_core(__gm__ float* B) {
  if ASC_IS_AIC { asc_sync_intra_wait(PIPE_S, 1); }
  if ASC_IS_AIV {
    asc_vf_call<spin>(cce::dim3(64), (__ubuf__ float*)0, asc_get_sub_block_id() == 0 ? 2 : 0);
    asc_sync_intra_arrive(PIPE_S, 1);
  }
}
extern "C" __global__ __vector__ void fine(__gm__ float* B) {
  asc_vf_call<spin>(cce::dim3(64), (__ubuf__ float*)0, 2);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  asc_copy_ub2gm_align(B, (__ubuf__ float*)0, 1, 256, 0, 256, 256);
}
extern "C" __global__ __vector__ void says(__gm__ float* B) { debug_print_msg("here"); B[0] = 7; }
extern "C" __global__ __vector__ void core_fails(__gm__ float* B) {
  device_assert(block_idx == 0);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
  device_assert(block_idx == 7);
  asc_copy_ub2gm_align(B, (__ubuf__ float*)0, 1, 256, 0, 256, 256);
}
extern "C" __global__ __vector__ void thread_fails(__gm__ float* B) { asc_vf_call<fail>(cce::dim3(64), (__ubuf__ float*)0); }
extern "C" __global__ __mix__(1, 2) void one_core_fails(__gm__ float* B) {
  if ASC_IS_AIC { asc_sync_intra_wait(PIPE_S, 1); }
  if ASC_IS_AIV {
    if (asc_get_sub_block_id() == 1) asc_vf_call<fail>(cce::dim3(64), (__ubuf__ float*)0);
    asc_sync_intra_wait(PIPE_S, 1);
  }
}
)";

struct Stopped {};

void expect_fine(const char* before) {
  std::vector<float> b(64);
  const RunReport report = run(load(kText), launch("fine", 2, {range("B", b)}));
  // Both blocks write the same bytes, which is all that there is to say.
  EXPECT_TRUE(report.findings.size() == 1 && has_code(report, 125)) << before << ": " << text_of(report);
  for (const float v : b) EXPECT_EQ(v, 1) << before;
}

class AscendEndless : public testing::TestWithParam<const char*> {};

TEST_P(AscendEndless, EndsWhenThePollThrows) {
  std::vector<float> b(64);
  RunOptions options;
  int polls = 0;
  options.poll = [&] {
    if (++polls == 3) throw Stopped();
  };
  EXPECT_THROW(run(load(kText), launch(GetParam(), 1, {range("B", b)}), options), Stopped);
  EXPECT_EQ(polls, 3);
  expect_fine(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, AscendEndless,
                         testing::Values("scalar_for", "scalar_bare", "scalar_while", "scalar_do", "elements",
                                         "regions", "one_thread", "copies", "one_core"),
                         [](const auto& info) { return std::string(info.param); });

TEST(AscendStop, WhatAPrintThrowsEndsTheKernel) {
  std::vector<float> b(64);
  RunOptions options;
  std::string text;
  options.print = [&](std::string_view line) {
    text += line;
    throw Stopped();
  };
  EXPECT_THROW(run(load(kText), launch("says", 1, {range("B", b)}), options), Stopped);
  EXPECT_EQ(b[0], 0);
  EXPECT_THROW(run(load(kText), launch("thread_fails", 1, {range("B", b)}), options), Stopped);
  EXPECT_EQ(text, "msg='here' BlockIdx=0msg='thread 50' BlockIdx=0 ThreadIdx=(50, 0, 0)");
  expect_fine("prints");
}

TEST(AscendStop, AnAssertionEndsTheLaunch) {
  for (const char* kernel : {"core_fails", "thread_fails", "one_core_fails"}) {
    std::vector<float> b(64);
    const RunReport report = run(load(kText), launch(kernel, 3, {range("B", b)}));
    ASSERT_EQ(report.findings.size(), 1U) << kernel << ": " << text_of(report);
    EXPECT_EQ(report.findings[0].diagnostic.code, 110) << text_of(report);
    EXPECT_EQ(report.findings[0].count, 1) << kernel;
    EXPECT_EQ(b[0], 0);
    expect_fine(kernel);
  }
}

}  // namespace
}  // namespace tl::simulate::ascend
