// What threads of a region can do: built-ins, warps, atomics, arithmetic of narrow types, mathematical functions.

#include <cmath>
#include <regex>

#include "simulate/ascend/element_value.h"
#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

constexpr const char* kText = R"(#include <tilelang_ascend.h>
#include <simt_api/asc_simt.h>
__simt_vf__ inline void ids(__gm__ int32_t* out) {
  const int t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
  out[t] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * blockIdx.x;
}
KERNEL(built_ins, int32_t) { asc_vf_call<ids>(cce::dim3(7, 5, 3), out + block_idx * 105); }

__simt_vf__ inline void lanes(__gm__ int32_t* out, int32_t n) {
  const int32_t t = threadIdx.x;
  if (t >= n) return;
  out[t] = asc_reduce_add(t);
  out[128 + t] = asc_reduce_max(t % 7);
  out[256 + t] = asc_shfl_xor(t, 1);
  out[384 + t] = asc_shfl_down(t, 4, 8);
  out[512 + t] = asc_shfl_up(t, 2);
  out[640 + t] = asc_shfl(t, 3, 16);
  out[768 + t] = static_cast<int32_t>(asc_ballot(t & 1));
  if (t % 2 == 0) out[896 + t] = asc_reduce_add(1);
}
KERNEL(warps, int32_t) { asc_vf_call<lanes>(cce::dim3(96), out, 70); }

__simt_vf__ inline void tree(__ubuf__ float* x, __gm__ float* out, int32_t threads) {
  const int32_t t = threadIdx.x;
  x[t] = float(t);
  asc_syncthreads();
  for (int32_t step = 1; step < threads; step *= 2) {
    float other = t % (2 * step) == 0 && t + step < threads ? x[t + step] : 0.0f;
    asc_syncthreads();
    if (t % (2 * step) == 0) x[t] += other;
    asc_syncthreads();
  }
  if (t == 0) out[0] = x[0];
}
KERNEL(barriers, float) { asc_vf_call<tree>(cce::dim3(2048), (__ubuf__ float*)0, out, 2048); }

__simt_vf__ inline void narrow(__gm__ float* out) {
  half h = half(1.0f) + half(0x1p-11f);
  half big = half(2048.0f);
  big += half(1.0f);
  bfloat16_t b = bfloat16_t(1.0f) + bfloat16_t(0x1p-8f);
  bfloat16_t c = bfloat16_t(3.0f) * bfloat16_t(0x1.04p0f);
  float2 pair = make_float2(1.0f, 2.0f) + make_float2(3.0f, 5.0f);
  half2 halves = __float22half2_rn(pair);
  out[0] = float(h); out[1] = float(big); out[2] = float(b); out[3] = float(c);
  out[4] = pair.x; out[5] = float(halves.y); out[6] = expf(1.0f); out[7] = rsqrtf(4.0f);
  out[8] = float(hexp(half(0.0f))); out[9] = max(2, 3.5f); out[10] = min(half(1.0f), half(2.0f));
  out[11] = erff(0.5f); out[12] = powf(2.0f, 10.0f); out[13] = max(out[4], out[5]);
}
KERNEL(arithmetic, float) { asc_vf_call<narrow>(cce::dim3(1), out); }

__simt_vf__ inline void histogram(__ubuf__ int32_t* bins, __gm__ int32_t* out) {
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  asc_syncthreads();
  asc_atomic_add(bins + threadIdx.x % 16, 1);
  asc_atomic_max(&bins[threadIdx.x % 16], 0);
  asc_syncthreads();
  if (threadIdx.x < 16) asc_atomic_add(out + threadIdx.x, bins[threadIdx.x]);
}
__simt_vf__ inline void eight(__gm__ float* out) {
  for (int i = threadIdx.x; i < 256; i += 32) {
    const uint16_t pair = uint16_t(i | i << 8);
    out[i] = __e4m3x22float2(pair).y;
    out[256 + i] = __e5m2x22float2(pair).x;
    out[512 + i] = float(__asc_cvt_float2_to_fp8x2(make_float2(out[i], out[256 + i]), __ASC_SATFINITE, __ASC_E4M3) & 255);
    out[768 + i] = float(__asc_cvt_float2_to_fp8x2(make_float2(out[i], out[256 + i]), __ASC_SATFINITE, __ASC_E5M2) >> 8);
  }
}
KERNEL(float8, float) { asc_vf_call<eight>(cce::dim3(32), out); }
KERNEL(atomics, int32_t) { asc_vf_call<histogram>(cce::dim3(256), (__ubuf__ int32_t*)0, out); }

template <class T> __simt_callee__ inline void put(__ubuf__ T* p, T v) { *p = v; }
__simt_vf__ inline void pointers(__ubuf__ uint8_t* bytes, __gm__ float* out) {
  __ubuf__ float* x = reinterpret_cast<__ubuf__ float*>(bytes + 64);
  put(x, 1.5f);
  put<half>((__ubuf__ half*)(x + 1), half(2.0f));
  ((__ubuf__ half*)bytes)[35] = half(3.0f);
  __ubuf__ half2* two = (__ubuf__ half2*)(x + 1);
  half2 v = *two;
  const __ubuf__ float* y = x;
  out[0] = y[0]; out[1] = float(v.x); out[2] = float(v.y);
  x += 2; x[-1] = 4.0f; x--; 
  out[3] = *x++;
  out[4] = int(x - (__ubuf__ float*)bytes);
  *(__ubuf__ float2*)(bytes + 8) = make_float2(6.0f, 7.0f);
  out[5] = ((__ubuf__ float*)bytes)[3];
}
KERNEL(casts, float) { asc_vf_call<pointers>(cce::dim3(1), (__ubuf__ uint8_t*)0, out); }

KERNEL(padded, float) {
  float zero = -1.0f;
  asc_set_copy_pad_val(*reinterpret_cast<uint32_t*>(&zero));
  asc_copy_gm2ub_align((__ubuf__ uint32_t*)0, (__gm__ uint32_t*)out, 2, 12, 1, 4, true, 0, 20, 32);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_MTE3, 0);
  asc_copy_ub2gm_align((__gm__ uint8_t*)(out + 64), (__ubuf__ uint8_t*)0, 1, 64, 0, 64, 64);
}
namespace inner {
namespace deep {
template <class T> __simt_callee__ inline T same(T a, T b) { static_assert(sizeof(T) == 4); return a == b ? a : b; }
__simt_vf__ __launch_bounds__(2) inline void say(__ubuf__ float* x, __gm__ float* out) {
  float local[4] = {1, 2, 3, 4};
  const int at[2] = {0, 1};
  x[threadIdx.x] = local[at[threadIdx.x]];
  x[threadIdx.x]++;
  ++x[threadIdx.x];
  out[threadIdx.x] = same(x[threadIdx.x], local[2 + threadIdx.x]);
  if (threadIdx.x == 1) debug_print_buffer_value("seen", "x", 1, x[1]);
}
extern "C" __global__ __vector__ void prints(__gm__ float* out) {
  asc_vf_call<say>(cce::dim3(2), (__ubuf__ float*)0, out);
  debug_print_var("block", block_idx);
  debug_print_msg("end");
}
}
}
KERNEL(scalars, float) {
  float total = 0;
  for (int i = 0; i < 4; ++i) total += out[i];
  out[4] = total;
  asc_set_atomic_add_float();
  asc_set_atomic_none();
}
)";

const Program& simt_kernels() {
  static const std::string text = std::regex_replace(kText, std::regex(R"(KERNEL\((\w+), (\w+)\))"),
                                                     "extern \"C\" __global__ __vector__ void $1(__gm__ $2* out)");
  return load(text);
}

template <class T>
std::vector<T> outputs(const std::string& kernel, int64_t blocks = 1, std::vector<T> start = std::vector<T>(1024)) {
  const RunReport report = run(simt_kernels(), launch(kernel, blocks, {range("out", start)}));
  EXPECT_TRUE(report.clean()) << text_of(report);
  return start;
}

TEST(AscendSimt, BuiltIns) {
  const auto out = outputs<int32_t>("built_ins", 2);
  for (int t = 0; t < 210; ++t) {
    EXPECT_EQ(out[static_cast<size_t>(t)], t % 7 + t / 7 % 5 * 100 + t % 105 / 35 * 10000 + t / 105 * 1000000);
  }
}

TEST(AscendSimt, LanesOfAWarpThatIsNotFull) {
  const auto out = outputs<int32_t>("warps");
  for (int t = 0; t < 70; ++t) {
    const int base = t / 32 * 32, end = std::min(base + 32, 70);
    const auto at = [&](int column) { return out[static_cast<size_t>(column * 128 + t)]; };
    int sum = 0, ballot = 0;
    for (int i = base; i < end; ++i) {
      sum += i;
      ballot |= (i & 1) << (i - base);
    }
    EXPECT_EQ(at(0), sum);
    EXPECT_EQ(at(1), 6);
    EXPECT_EQ(at(2), t ^ 1);
    EXPECT_EQ(at(3), t % 8 < 4 && t + 4 < 70 ? t + 4 : t);
    EXPECT_EQ(at(4), t - base >= 2 ? t - 2 : t);
    EXPECT_EQ(at(5), t / 16 * 16 + 3);
    EXPECT_EQ(at(6), ballot);
    EXPECT_EQ(at(7), t % 2 == 0 ? (end - base + 1) / 2 : 0);
  }
}

TEST(AscendSimt, TwoThousandThreadsMeetOften) { EXPECT_EQ(outputs<float>("barriers")[0], 2048.0f * 2047 / 2); }

TEST(AscendSimt, Arithmetic) {
  const auto out = outputs<float>("arithmetic");
  const float expected[] = {1, 2048, 1, 3.046875f, 4, 7, std::exp(1.0f), 0.5f, 1, 3.5f, 1, std::erf(0.5f), 1024, 7};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(AscendSimt, EightBitFloats) {
  const auto out = outputs<float>("float8");
  for (size_t i = 0; i < 256; ++i) {
    const auto bits = static_cast<uint8_t>(i);
    const float e4m3 = element_value(&bits, tl_ascend::kF8e4m3), e5m2 = element_value(&bits, tl_ascend::kF8e5m2);
    if (!std::isnan(e4m3)) {
      EXPECT_EQ(out[i], e4m3) << i;
      EXPECT_EQ(out[512 + i], static_cast<float>(i));
    }
    if (std::isfinite(e5m2)) {
      EXPECT_EQ(out[256 + i], e5m2) << i;
      EXPECT_EQ(out[768 + i], static_cast<float>(i));
    }
  }
}

TEST(AscendSimt, Atomics) {
  const auto out = outputs<int32_t>("atomics", 3);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], 48);
}

TEST(AscendSimt, PointersAndCasts) {
  const auto out = outputs<float>("casts");
  const float expected[] = {1.5f, 2, 3, 4, 18, 7};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(AscendSimt, PrintsAndNamespaces) {
  std::vector<float> start(8);
  std::vector<std::string> lines;
  RunOptions options;
  options.print = [&](std::string_view line) { lines.emplace_back(line); };
  const RunReport report = run(simt_kernels(), launch("prints", 1, {range("out", start)}), options);
  EXPECT_TRUE(report.clean()) << text_of(report);
  EXPECT_EQ(start[0], 3);
  EXPECT_EQ(start[1], 4);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "msg='seen' BlockIdx=0 ThreadIdx=(1, 0, 0) buffer=x index=1: dtype=float32 value=4",
                       "msg='block' BlockIdx=0: dtype=int32 value=0", "msg='end' BlockIdx=0"}));
}

TEST(AscendCopies, Pads) {
  std::vector<float> start(1024);
  for (size_t i = 0; i < 10; ++i) start[i] = static_cast<float>(i + 1);
  const auto out = outputs<float>("padded", 1, start);
  const float expected[] = {-1, 1, 2, 3, -1, -1, -1, -1, -1, 6, 7, 8, -1, -1, -1, -1};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(out[64 + i], expected[i]) << i;
}

TEST(AscendCopies, ScalarUnit) { EXPECT_EQ(outputs<float>("scalars", 1, {1, 2, 3, 4, 0})[4], 10); }

}  // namespace
}  // namespace tl::simulate::ascend
