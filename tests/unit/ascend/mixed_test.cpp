// Kernels of one cube core and two vector cores a block, and of blocks that wait for each other.

#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

/// out = 2 * (A B^T), half of the rows on each vector core.
constexpr const char* kText = R"(#include <tilelang_ascend.h>
__simt_vf__ __launch_bounds__(256) inline void twice(__ubuf__ float* x, int32_t n) {
  for (int32_t i = threadIdx.x; i < n; i += 256) x[i] = x[i] * 2.0f;
}
template <bool kArrive, bool kFree> __aicore__ inline void body(__gm__ half* A, __gm__ half* B, __gm__ float* out, int32_t steps) {
  asc_init();
  if ASC_IS_AIC {
    asc_set_gm2l1_nz_para(1, 1, 32, 0);
    asc_copy_gm2l1_nd2nz((__cbuf__ half*)0, A, 32, 0, 32, 16, 0, false);
    asc_copy_gm2l1_nd2nz((__cbuf__ half*)4096, B, 32, 0, 32, 16, 0, false);
    asc_sync_notify(PIPE_MTE2, PIPE_MTE1, 0);
    asc_sync_wait(PIPE_MTE2, PIPE_MTE1, 0);
    asc_copy_l12l0a((__ca__ half*)0, (__cbuf__ half*)0, 0, 0, 2, 1, 2, 2);
    asc_copy_l12l0b((__cb__ half*)0, (__cbuf__ half*)4096, 0, 0, 2, 1, 2, 2);
    asc_sync_notify(PIPE_MTE1, PIPE_M, 0);
    asc_sync_wait(PIPE_MTE1, PIPE_M, 0);
    asc_mmad((__cc__ float*)0, (__ca__ half*)0, (__cb__ half*)0, 32, 16, 32, 0, 1, 0, 1);
    asc_sync_notify(PIPE_M, PIPE_FIX, 0);
    asc_sync_wait(PIPE_M, PIPE_FIX, 0);
    asc_set_l0c_copy_nz_para(1, 0, 0);
    for (int32_t s = 0; s < steps; ++s) {
      if (kFree) {
        asc_sync_intra_wait(PIPE_FIX, 1);
        asc_sync_intra_wait(PIPE_FIX, 17);
      }
      asc_copy_l0c2ub((__ubuf__ float*)0, (__cc__ float*)0, 32, 32, 32, 32, 0, 1, 0, 0, 0, 0, 1, 0, 0);
      if (kArrive) {
        asc_sync_intra_arrive(PIPE_FIX, 0);
        asc_sync_intra_arrive(PIPE_FIX, 16);
      }
    }
    if (kFree) {
      asc_sync_intra_wait(PIPE_FIX, 1);
      asc_sync_intra_wait(PIPE_FIX, 17);
    }
  }
  if ASC_IS_AIV {
    int32_t sid = asc_get_sub_block_id();
    if (kFree) asc_sync_intra_arrive(PIPE_MTE3, 1);
    for (int32_t s = 0; s < steps; ++s) {
      asc_sync_intra_wait(PIPE_V, 0);
      asc_vf_call<twice>(cce::dim3(256), (__ubuf__ float*)0, 512);
      asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
      asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
      asc_copy_ub2gm_align((__gm__ uint8_t*)(out + (((int32_t)block_idx) * steps + s) * 1024 + sid * 512), (__ubuf__ uint8_t*)0, 1, 2048, 0, 2048, 2048);
      if (kFree) asc_sync_intra_arrive(PIPE_MTE3, 1);
    }
  }
}
extern "C" __global__ __mix__(1, 2) void mixed(__gm__ half* A, __gm__ half* B, __gm__ float* out, int32_t steps) { body<true, true>(A, B, out, steps); }
extern "C" __global__ __mix__(1, 2) void never_arrives(__gm__ half* A, __gm__ half* B, __gm__ float* out, int32_t steps) { body<false, true>(A, B, out, steps); }
extern "C" __global__ __mix__(1, 2) void never_free(__gm__ half* A, __gm__ half* B, __gm__ float* out, int32_t steps) { body<true, false>(A, B, out, steps); }
)";

RunReport multiply(const std::string& kernel, std::vector<float>& out, int32_t steps) {
  std::vector<uint16_t> a(32 * 16, 0x3c00), b(32 * 16, 0x4000);
  const int64_t blocks = static_cast<int64_t>(out.size()) / 1024 / steps;
  return run(load(kText), launch(kernel, blocks, {range("A", a), range("B", b), range("out", out)}, {steps}));
}

TEST(AscendMixed, CubeAndVectorCoresPassTiles) {
  std::vector<float> out(1024 * 6);
  const RunReport report = multiply("mixed", out, 3);
  EXPECT_TRUE(report.clean()) << text_of(report);
  for (const float v : out) ASSERT_EQ(v, 64);
}

TEST(AscendMixed, MissingArrivalIsADeadlock) {
  std::vector<float> out(1024);
  const RunReport report = multiply("never_arrives", out, 1);
  ASSERT_TRUE(has_code(report, 127)) << text_of(report);
  EXPECT_NE(text_of(report).find("PIPE_V of vector core 1 of block 0 waits in asc_sync_intra_wait"), std::string::npos)
      << text_of(report);
}

TEST(AscendMixed, TileThatIsNotFreeRaces) {
  std::vector<float> out(2048);
  const RunReport report = multiply("never_free", out, 2);
  EXPECT_TRUE(has_code(report, 125)) << text_of(report);
}

constexpr const char* kBlocks = R"(#include <tilelang_ascend.h>
__simt_vf__ inline void put(__gm__ int32_t* p, int32_t v) { p[threadIdx.x] = v; }
__simt_vf__ inline void pass(__gm__ int32_t* from, __gm__ int32_t* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }
template <bool kMeet> __aicore__ inline void body(__gm__ int32_t* x, __gm__ int32_t* y) {
  asc_vf_call<put>(cce::dim3(32), x + 32 * block_idx, block_idx);
  if (kMeet) {
    asc_sync_inter_arrive(PIPE_V, 0);
    asc_sync_inter_wait(PIPE_V, 0);
  }
  const int32_t other = (block_idx + 1) % gridDim.x;
  asc_vf_call<pass>(cce::dim3(32), x + 32 * other, y + 32 * block_idx);
}
extern "C" __global__ __vector__ void ring(__gm__ int32_t* x, __gm__ int32_t* y) { body<true>(x, y); }
extern "C" __global__ __vector__ void ring_bad(__gm__ int32_t* x, __gm__ int32_t* y) { body<false>(x, y); }
)";

TEST(AscendMixed, BlocksMeet) {
  std::vector<int32_t> x(32 * 5), y(32 * 5);
  const RunReport report = run(load(kBlocks), launch("ring", 5, {range("x", x), range("y", y)}));
  EXPECT_TRUE(report.clean()) << text_of(report);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<int>((i / 32 + 1) % 5 + 1));
  const RunReport bad = run(load(kBlocks), launch("ring_bad", 5, {range("x", x), range("y", y)}));
  EXPECT_TRUE(has_code(bad, 125)) << text_of(bad);
}

}  // namespace
}  // namespace tl::simulate::ascend
