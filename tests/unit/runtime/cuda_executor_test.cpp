#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

#include "fake_cuda/fake_cuda.h"
#include "runtime/cuda_driver.h"
#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {
namespace {

const PrintSink kNoPrint = [](std::string_view text) { FAIL() << text; };

class CudaExecutor : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = dlopen(TL_FAKE_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto find = [&]<class F>(F*& f, const char* name) { f = reinterpret_cast<F*>(dlsym(library, name)); };
    find(state_, "tl_fake_cuda");
    find(reset_, "tl_fake_cuda_reset");
    find(current_, "tl_fake_cuda_current");
    find(set_current_, "tl_fake_cuda_set_current");
    reset_();
    driver_ = std::make_unique<CudaDriver>(TL_FAKE_CUDA);
  }

  FakeCuda& fake() { return *state_(); }
  std::unique_ptr<Executor> executor() { return make_cuda_executor(artifact_, driver_.get()); }

  /// k(A: float32[m], s: int16) launches k_kernel(A, s, m) on (m, 2, 1) blocks of 128 threads.
  static std::shared_ptr<Artifact> artifact(int64_t shared_bytes = 1024) {
    auto a = std::make_shared<Artifact>(empty_artifact());
    a->target = "sm_90a";
    a->binary = "k_kernel 3\n";
    a->signature.slot_names = {"m"};
    a->signature.params = {tensor("A", DType::f32(), {dim(slot(0), "m")}), scalar("s", DType::i16())};
    a->signature.bindings = {bind_extent(0, 0, 0)};
    a->kernels = {{"k_kernel", {64, 2, 1}, shared_bytes}};
    LaunchStep launch;
    launch.grid = {slot(0), number(2), number(1)};
    launch.args = {{KernelArg::Kind::kParam, 0}, {KernelArg::Kind::kParam, 1}, {KernelArg::Kind::kSlot, 0}};
    a->variants[0].program.steps = {launch};
    return a;
  }

  LaunchStep& launch_step() { return std::get<LaunchStep>(artifact_->variants[0].program.steps[0]); }

  static Argument on_device(Argument argument, int index) {
    argument.tensor.device = {Device::kCuda, index};
    return argument;
  }

  void run(Executor& executor, int64_t m = 5, int device = 0, void* stream = nullptr) {
    Array<float> a(DType::f32(), {m});
    const std::vector<Argument> arguments{on_device(a.argument(), device), integer(-2)};
    BoundCall call = bind_call(*artifact_, arguments);
    call.stream = stream;
    address_ = reinterpret_cast<uint64_t>(a.data.data());
    executor.run(call, kNoPrint);
  }

  /// The report of a call that fails with `code`.
  std::string failure(int code, const std::function<void()>& call) {
    try {
      call();
    } catch (const CompileError& e) {
      EXPECT_EQ(e.diagnostics().at(0).code, code) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  FakeCuda* (*state_)() = nullptr;
  void (*reset_)() = nullptr;
  int (*current_)() = nullptr;
  void (*set_current_)(int) = nullptr;
  std::unique_ptr<CudaDriver> driver_;
  std::shared_ptr<Artifact> artifact_ = artifact();
  uint64_t address_ = 0;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(CudaExecutor, LaunchesWithGridBlockStreamAndParameters) {
  int stream = 0;
  run(*executor(), 5, 0, &stream);
  ASSERT_EQ(fake().launches.size(), 1u);
  const FakeLaunch& launch = fake().launches[0];
  EXPECT_EQ(launch.symbol, "k_kernel");
  EXPECT_EQ(launch.stream, &stream);
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{5, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{64, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024u);
  EXPECT_EQ(launch.params, (std::vector<uint64_t>{address_, static_cast<uint64_t>(int64_t{-2}), 5}));
}

TEST_F(CudaExecutor, NeedsNoDriverBeforeTheFirstCall) {
  const auto before = fake().calls;
  const auto loaded = executor();
  EXPECT_EQ(fake().calls, before);
}

TEST_F(CudaExecutor, LaterCallsAskNothingButTheContext) {
  const auto loaded = executor();
  set_current_(0);
  run(*loaded);
  fake().calls.clear();
  for (int i = 0; i < 3; ++i) run(*loaded);
  EXPECT_EQ(fake().calls, (std::map<std::string, int>{{"cuCtxGetCurrent", 3}, {"cuLaunchKernel", 3}}));
}

TEST_F(CudaExecutor, LoadsOncePerDevice) {
  fake().devices.resize(3);
  const auto loaded = executor();
  for (const int device : {2, 0, 2, 0}) run(*loaded, 5, device);
  EXPECT_EQ(fake().calls["cuModuleLoadData"], 2);
  std::vector<int> devices;
  for (const FakeLaunch& launch : fake().launches) devices.push_back(launch.device);
  EXPECT_EQ(devices, (std::vector<int>{2, 0, 2, 0}));
}

TEST_F(CudaExecutor, LeavesTheCurrentDeviceAsItWas) {
  fake().devices.resize(2);
  const auto loaded = executor();
  for (const int before : {-1, 0, 1}) {
    set_current_(before);
    run(*loaded, 5, 1);
    EXPECT_EQ(current_(), before);
  }
}

TEST_F(CudaExecutor, CallsWithoutTensorsRunOnTheCurrentDevice) {
  fake().devices.resize(2);
  artifact_->signature.params.erase(artifact_->signature.params.begin());
  artifact_->signature.bindings.clear();
  artifact_->signature.slot_names.clear();
  artifact_->binary = "k_kernel 1\n";
  launch_step().grid[0] = number(1);
  launch_step().args = {{KernelArg::Kind::kParam, 0}};
  const auto loaded = executor();
  for (const int current : {-1, 1}) {
    set_current_(current);
    loaded->run(bind_call(*artifact_, std::vector{integer(7)}), kNoPrint);
    EXPECT_EQ(fake().launches.back().device, std::max(current, 0));
  }
}

TEST_F(CudaExecutor, AsksOnceForMuchSharedMemory) {
  artifact_ = artifact(100 * 1024);
  const auto loaded = executor();
  for (int i = 0; i < 3; ++i) run(*loaded);
  EXPECT_EQ(fake().calls["cuFuncSetAttribute"], 1);
  EXPECT_EQ(fake().launches.size(), 3u);
}

TEST_F(CudaExecutor, RefusesMoreSharedMemoryThanTheDeviceHas) {
  fake().devices[0].shared_bytes = 99 * 1024;
  artifact_ = artifact(100 * 1024);
  const auto loaded = executor();
  const std::string text = failure(91, [&] { run(*loaded); });
  EXPECT_SAYS(text, "102400 bytes of shared memory");
  EXPECT_SAYS(text, "Fake GPU has 101376");
}

TEST_F(CudaExecutor, LaunchesNothingOnAnEmptyGrid) {
  const auto loaded = executor();
  run(*loaded, 0);
  EXPECT_EQ(fake().calls["cuLaunchKernel"], 0);
}

TEST_F(CudaExecutor, RefusesGridsBeyondTheDevice) {
  const auto loaded = executor();
  for (const auto& grid : {std::array<int64_t, 3>{int64_t{1} << 31, 1, 1}, {1, 65536, 1}, {1, 1, 65536}}) {
    for (int i = 0; i < 3; ++i) launch_step().grid[i] = number(grid[i]);
    EXPECT_SAYS(failure(71, [&] { run(*loaded); }), "grid of k_kernel is larger than");
  }
  launch_step().grid = {number((int64_t{1} << 31) - 1), number(65535), number(65535)};
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaExecutor, FirstCallInACaptureIsRefused) {
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

TEST_F(CudaExecutor, GoesOnAfterAFailedLaunch) {
  const auto loaded = executor();
  fake().fail_next["cuLaunchKernel"] = 1;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text, "cannot launch kernel k: CUDA_ERROR_FAKE_1");
  EXPECT_SAYS(text, "grid (5, 2, 1), block (64, 2, 1), 1024 bytes");
  EXPECT_EQ(text.find("the error stays"), std::string::npos) << text;
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaExecutor, SaysWhichErrorsStay) {
  const auto loaded = executor();
  run(*loaded);
  fake().fail_next["cuLaunchKernel"] = 700;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text, "the error stays");
  EXPECT_SAYS(text, "an earlier kernel");
  EXPECT_SAYS(failure(94, [&] { run(*loaded); }), "the error stays");
}

TEST_F(CudaExecutor, FailedLoadsAreTriedAgain) {
  const auto loaded = executor();
  fake().fail_next["cuModuleLoadData"] = 209;
  const std::string text = failure(94, [&] { run(*loaded); });
  EXPECT_SAYS(text,
              "compiled for sm_90a; device 0 is Fake GPU, of compute capability 9.0, with a driver for CUDA 13.0");
  run(*loaded);
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(CudaExecutor, WorkspacesLiveInTheStream) {
  int stream = 0;
  artifact_->variants[0].program.workspaces = {binary(IntOp::kMul, slot(0), number(100)), number(0)};
  launch_step().args = {
      {KernelArg::Kind::kWorkspace, 1}, {KernelArg::Kind::kWorkspace, 0}, {KernelArg::Kind::kSlot, 0}};
  const auto loaded = executor();
  run(*loaded, 5, 0, &stream);
  EXPECT_EQ(fake().launches[0].params[0] - fake().launches[0].params[1], 512u);
  EXPECT_TRUE(fake().allocated.empty());
  EXPECT_EQ(fake().released_on, (std::vector<void*>{&stream, &stream}));
  fake().fail_next["cuLaunchKernel"] = 1;
  failure(94, [&] { run(*loaded, 5, 0, &stream); });
  EXPECT_TRUE(fake().allocated.empty());
  fake().fail_next["cuMemAllocAsync"] = 2;
  EXPECT_SAYS(failure(94, [&] { run(*loaded); }), "a workspace of 500 bytes");
}

TEST_F(CudaExecutor, TakesTheFirstVariantThatHolds) {
  // Slot 1 is the address of A; the first variant wants it aligned to 64 bytes.
  artifact_->signature.slot_names = {"m", "&A"};
  SlotBinding address;
  address.slot = 1;
  address.sources.push_back({{ArgumentField::Kind::kAddress, 0, 0}, number(1), number(0)});
  artifact_->signature.bindings.push_back(address);
  artifact_->binary = "k_kernel 3\naligned_kernel 3\n";
  artifact_->kernels.push_back({"aligned_kernel", {32, 1, 1}, 0});
  Variant aligned = artifact_->variants[0];
  aligned.name = "aligned";
  aligned.predicate = binary(IntOp::kEq, binary(IntOp::kFloorMod, slot(1), number(64)), number(0));
  std::get<LaunchStep>(aligned.program.steps[0]).kernel = 1;
  artifact_->variants.insert(artifact_->variants.begin(), aligned);
  const auto loaded = executor();
  alignas(64) float data[64];
  const int64_t extent = 8;
  for (const int offset : {0, 1, 16}) {
    Argument a;
    a.kind = Argument::Kind::kTensor;
    a.tensor = {data + offset, 0, DType::f32(), {}, 1, &extent, nullptr, {Device::kCuda, 0}, false};
    loaded->run(bind_call(*artifact_, std::vector{a, integer(1)}), kNoPrint);
    EXPECT_EQ(fake().launches.back().symbol, offset % 16 == 0 ? "aligned_kernel" : "k_kernel");
  }
}

TEST_F(CudaExecutor, CallsFromSeveralThreads) {
  fake().devices.resize(2);
  const auto loaded = executor();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Array<float> a(DType::f32(), {3});
      const std::vector<Argument> arguments{on_device(a.argument(), t % 2), integer(1)};
      for (int i = 0; i < 200; ++i) loaded->run(bind_call(*artifact_, arguments), kNoPrint);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake().launches.size(), 800u);
  EXPECT_EQ(fake().calls["cuModuleLoadData"], 2);
}

TEST_F(CudaExecutor, TensorsElsewhereAreRefused) {
  Array<float> a(DType::f32(), {3});
  const auto bind = [&](Argument argument) { bind_call(*artifact_, std::vector{argument, integer(1)}); };
  EXPECT_SAYS(failure(106, [&] { bind(a.argument()); }),
              "kernel k input A device_type mismatch, expected cuda; got: cpu");
  artifact_->target = "host";
  EXPECT_SAYS(failure(106, [&] { bind(on_device(a.argument(), 0)); }), "expected cpu; got: cuda");
}

TEST_F(CudaExecutor, TensorsOnTwoDevicesAreRefused) {
  artifact_->signature.params.push_back(tensor("B", DType::f32(), {dim(slot(0), "m")}));
  Array<float> a(DType::f32(), {3});
  const std::vector<Argument> arguments{on_device(a.argument(), 1), integer(1), on_device(a.argument(), 0)};
  EXPECT_SAYS(failure(106, [&] { bind_call(*artifact_, arguments); }),
              "input B device_id violates packed ABI constraint; expected: 1, got: 0");
}

TEST_F(CudaExecutor, DevicesAreDescribed) {
  fake().devices = {FakeDevice{"One", 8, 6, 99 * 1024}, FakeDevice()};
  EXPECT_EQ(driver_->device_count(), 2);
  const CudaDevice one = driver_->device(0);
  EXPECT_EQ(one.name, "One");
  EXPECT_EQ(one.major * 10 + one.minor, 86);
  EXPECT_EQ(one.multiprocessors, 132);
  EXPECT_EQ(one.memory_bytes, int64_t{1} << 37);
  EXPECT_SAYS(failure(93, [&] { driver_->device(2); }), "there is no CUDA device 2");
}

TEST_F(CudaExecutor, DriversThatCannotBeUsed) {
  EXPECT_SAYS(failure(93, [] { CudaDriver("/no/such/libcuda.so.1"); }), "no CUDA driver was found");
  EXPECT_SAYS(failure(93, [] { CudaDriver("libm.so.6"); }), "it lacks cuInit");
  fake().fail_next["cuInit"] = 100;
  EXPECT_SAYS(failure(93, [] { CudaDriver{TL_FAKE_CUDA}; }), "does not start");
}

}  // namespace
}  // namespace tl::testing
