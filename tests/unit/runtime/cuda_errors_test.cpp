#include <gtest/gtest.h>

#include "unit/runtime/cuda_fixture.h"

namespace tl::testing {
namespace {

using CudaErrors = OnFakeCuda;

TEST_F(CudaErrors, RefusesMoreSharedMemoryThanTheDeviceHas) {
  fake().devices[0].shared_bytes = 99 * 1024;
  artifact_ = artifact(100 * 1024);
  const auto loaded = executor();
  const std::string text = failure(91, [&] { run(*loaded); });
  EXPECT_SAYS(text, "102400 bytes of shared memory");
  EXPECT_SAYS(text, "Fake GPU has 101376");
}

TEST_F(CudaErrors, RefusesGridsBeyondTheDevice) {
  const auto loaded = executor();
  for (const auto& grid : {std::array<int64_t, 3>{int64_t{1} << 31, 1, 1}, {1, 65536, 1}, {1, 1, 65536}}) {
    for (int i = 0; i < 3; ++i) launch_step().grid[i] = number(grid[i]);
    EXPECT_SAYS(failure(91, [&] { run(*loaded); }), "grid of k_kernel is larger than");
  }
  launch_step().grid = {number((int64_t{1} << 31) - 1), number(65535), number(65535)};
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaErrors, FirstCallInACaptureIsRefused) {
  int stream = 0;
  const auto loaded = executor();
  fake().capturing = {&stream};
  EXPECT_SAYS(failure(94, [&] { run(*loaded, 5, 0, &stream); }), "call the kernel once before the capture");
  fake().capturing.clear();
  run(*loaded, 5, 0, &stream);
  fake().capturing = {&stream};
  run(*loaded, 5, 0, &stream);
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(CudaErrors, GoesOnAfterAFailedLaunch) {
  const auto loaded = executor();
  fake().fail_next["cuLaunchKernel"] = 1;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text, "cannot launch kernel k: CUDA_ERROR_FAKE_1");
  EXPECT_SAYS(text, "grid (5, 2, 1), block (64, 2, 1), 1024 bytes");
  EXPECT_EQ(text.find("the error stays"), std::string::npos) << text;
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaErrors, SaysWhichErrorsStay) {
  const auto loaded = executor();
  run(*loaded);
  fake().fail_next["cuLaunchKernel"] = 700;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text, "the error stays");
  EXPECT_SAYS(text, "an earlier kernel");
  EXPECT_SAYS(failure(94, [&] { run(*loaded); }), "the error stays");
}

TEST_F(CudaErrors, FailedLoadsAreTriedAgain) {
  const auto loaded = executor();
  fake().fail_next["cuModuleLoadData"] = 209;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text,
              "compiled for sm_90a; device 0 is Fake GPU, of compute capability 9.0, with a driver for CUDA 13.0");
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaErrors, TensorsElsewhereAreRefused) {
  Array<float> a(DType::f32(), {3});
  const auto bind = [&](Argument argument) { bind_call(*artifact_, std::vector{argument, integer(1)}); };
  EXPECT_SAYS(failure(106, [&] { bind(a.argument()); }),
              "kernel k input A device_type mismatch, expected cuda; got: cpu");
  artifact_->target = "host";
  EXPECT_SAYS(failure(106, [&] { bind(on_device(a.argument(), 0)); }), "expected cpu; got: cuda");
}

TEST_F(CudaErrors, TensorsOnTwoDevicesAreRefused) {
  artifact_->signature.params.push_back(tensor("B", DType::f32(), {dim(slot(0), "m")}));
  Array<float> a(DType::f32(), {3});
  const std::vector<Argument> arguments{on_device(a.argument(), 1), integer(1), on_device(a.argument(), 0)};
  EXPECT_SAYS(failure(106, [&] { bind_call(*artifact_, arguments); }),
              "input B device_id violates packed ABI constraint; expected: 1, got: 0");
}

TEST_F(CudaErrors, DriversThatCannotBeUsed) {
  EXPECT_SAYS(failure(93, [] { CudaDriver("/no/such/libcuda.so.1"); }), "no CUDA driver was found");
  EXPECT_SAYS(failure(93, [] { CudaDriver("libm.so.6"); }), "it lacks cuInit");
  fake().fail_next["cuInit"] = 100;
  EXPECT_SAYS(failure(93, [] { CudaDriver{TL_FAKE_CUDA}; }), "does not start");
}

}  // namespace
}  // namespace tl::testing
