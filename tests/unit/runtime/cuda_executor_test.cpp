#include <gtest/gtest.h>

#include <thread>

#include "unit/runtime/cuda_fixture.h"

namespace tl::testing {
namespace {

using CudaExecutor = OnFakeCuda;

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

TEST_F(CudaExecutor, StaticSharedMemoryCountsToo) {
  artifact_ = artifact(40 * 1024);
  artifact_->kernels[0].static_shared_bytes = 8 * 1024;
  run(*executor());
  EXPECT_EQ(fake().calls["cuFuncSetAttribute"], 0);
  artifact_->kernels[0].static_shared_bytes = 8 * 1024 + 16;
  run(*executor());
  EXPECT_EQ(fake().calls["cuFuncSetAttribute"], 1);
}

TEST_F(CudaExecutor, LaunchesNothingOnAnEmptyGrid) {
  const auto loaded = executor();
  run(*loaded, 0);
  EXPECT_EQ(fake().calls["cuLaunchKernel"], 0);
}

TEST_F(CudaExecutor, WorkspacesLiveInTheStream) {
  int stream = 0;
  artifact_->variants[0].program.workspaces = {binary(IntOp::kMul, slot(0), number(100)), number(0)};
  launch_step().args = {
      {KernelArg::Kind::kWorkspace, 1}, {KernelArg::Kind::kWorkspace, 0}, {KernelArg::Kind::kSlot, 0}};
  const auto loaded = executor();
  run(*loaded, 5, 0, &stream);
  const auto& made = fake().allocations;
  EXPECT_EQ(fake().launches[0].params, (std::vector<uint64_t>{made.at(1).first, made.at(0).first, 5}));
  EXPECT_EQ(made.at(0).second, 500u);
  EXPECT_TRUE(fake().allocated.empty());
  EXPECT_EQ(fake().released_on, (std::vector<void*>{&stream, &stream}));
  fake().fail_next["cuLaunchKernel"] = 1;
  failure(94, [&] { run(*loaded, 5, 0, &stream); });
  EXPECT_TRUE(fake().allocated.empty());
  fake().fail_next["cuMemAllocAsync"] = 2;
  EXPECT_SAYS(failure(94, [&] { run(*loaded); }), "a workspace of 500 bytes");
}

/// Counts what it gives; nothing where it has none.
class CountingMemory : public CallerMemory {
 public:
  uint64_t allocate(size_t bytes, const std::string&) override {
    asked.push_back(bytes);
    return gives ? 0x1000 * asked.size() : 0;
  }
  std::vector<size_t> asked;
  bool gives = true;
};

TEST_F(CudaExecutor, WorkspacesComeFromTheFrameworkWhereItGivesThem) {
  artifact_->variants[0].program.workspaces = {number(500), number(0)};
  launch_step().args = {
      {KernelArg::Kind::kWorkspace, 1}, {KernelArg::Kind::kWorkspace, 0}, {KernelArg::Kind::kSlot, 0}};
  const auto loaded = executor();
  CountingMemory memory;
  const auto call_with = [&](CallerMemory& from) {
    Array<float> a(DType::f32(), {5});
    const std::vector<Argument> arguments{on_device(a.argument(), 0), integer(-2)};
    BoundCall call = bind_call(*artifact_, arguments);
    call.memory = &from;
    loaded->run(call, kNoPrint);
  };
  call_with(memory);
  EXPECT_EQ(memory.asked, (std::vector<size_t>{500, 1}));
  EXPECT_EQ(fake().launches[0].params, (std::vector<uint64_t>{0x2000, 0x1000, 5}));
  EXPECT_EQ(fake().calls["cuMemAllocAsync"], 0);
  memory.gives = false;
  call_with(memory);
  EXPECT_EQ(fake().calls["cuMemAllocAsync"], 2);
  EXPECT_TRUE(fake().allocated.empty());
}

TEST_F(CudaExecutor, WorkspacesAreOnTheDeviceOfTheCall) {
  fake().devices.resize(2);
  artifact_->variants[0].program.workspaces = {number(500)};
  launch_step().args.back() = {KernelArg::Kind::kWorkspace, 0};
  const auto loaded = executor();
  set_current_(0);
  run(*loaded, 5, 1);
  EXPECT_EQ(fake().allocated_on, (std::vector<int>{1}));
  EXPECT_EQ(current_(), 0);
}

/// The kernel's blocks wait for each other; it takes the word that they count in.
void let_programs_meet(Artifact& artifact, LaunchStep& launch) {
  artifact.kernels[0].programs_meet = true;
  launch.args.back() = {KernelArg::Kind::kGridState, 0};
}

TEST_F(CudaExecutor, ProgramsThatMeetAreLaunchedTogether) {
  let_programs_meet(*artifact_, launch_step());
  artifact_->variants[0].program.steps.push_back(artifact_->variants[0].program.steps[0]);
  const auto loaded = executor();
  int stream = 0;
  run(*loaded, 100, 0, &stream);
  ASSERT_EQ(fake().launches.size(), 2u);
  EXPECT_TRUE(fake().launches[0].together);
  EXPECT_EQ(fake().launches[0].grid, (std::array<unsigned, 3>{100, 2, 1}));
  // One word for the call, cleared in its stream.
  ASSERT_EQ(fake().fills.size(), 1u);
  EXPECT_EQ(fake().fills[0].address, fake().launches[0].params[2]);
  EXPECT_EQ(fake().fills[0].address, fake().launches[1].params[2]);
  EXPECT_EQ(fake().fills[0].word, 0u);
  EXPECT_EQ(fake().fills[0].words, 1u);
  EXPECT_EQ(fake().fills[0].stream, &stream);
  EXPECT_TRUE(fake().allocated.empty());
  run(*loaded, 0);
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(CudaExecutor, ProgramsThatMeetMustFitTheDevice) {
  // 132 multiprocessors hold two blocks each.
  let_programs_meet(*artifact_, launch_step());
  const auto loaded = executor();
  run(*loaded, 132);
  const std::string text = failure(91, [&] { run(*loaded, 133); });
  EXPECT_SAYS(text, "grid of k_kernel is too large for T.sync_grid");
  EXPECT_SAYS(text, "Fake GPU holds 264 of them: (133, 2, 1)");
  EXPECT_SAYS(text, "use at most 264 programs");
  EXPECT_EQ(fake().launches.size(), 1u);
  EXPECT_TRUE(fake().allocated.empty());
  run(*loaded, 132);
  EXPECT_EQ(fake().launches.size(), 2u);
  EXPECT_EQ(fake().calls["cuOccupancyMaxActiveBlocksPerMultiprocessor"], 1);
}

TEST_F(CudaExecutor, CompilesATextThatWasLeftForLaterWhenACallNeedsIt) {
  // The first variant wants m = 8; the general one has a text of its own, without a binary.
  Variant wanted = artifact_->variants[0];
  wanted.predicate = binary(IntOp::kEq, slot(0), number(8));
  artifact_->variants.insert(artifact_->variants.begin(), wanted);
  std::get<LaunchStep>(artifact_->variants[1].program.steps[0]).kernel = 1;
  artifact_->kernels.push_back({"general_kernel", {64, 2, 1}, 0});
  artifact_->kernels.back().code = 1;
  artifact_->later.push_back({"// text", ""});
  int compiled = 0;
  bool fails = true;
  later_ = [&](int code) -> std::string {
    EXPECT_EQ(code, 1);
    if (fails) throw std::runtime_error("the compiler fails");
    ++compiled;
    return "general_kernel 3\n";
  };
  const auto loaded = executor();
  run(*loaded, 8);
  EXPECT_EQ(fake().calls["cuModuleLoadData"], 1);
  EXPECT_THROW(run(*loaded, 5), std::runtime_error);
  fails = false;
  int stream = 0;
  fake().capturing = {&stream};
  failure(94, [&] { run(*loaded, 5, 0, &stream); });
  EXPECT_EQ(compiled, 0);
  fake().capturing.clear();
  for (int i = 0; i < 3; ++i) run(*loaded, 5);
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(fake().calls["cuModuleLoadData"], 2);
  EXPECT_EQ(fake().launches.front().symbol, "k_kernel");
  EXPECT_EQ(fake().launches.back().symbol, "general_kernel");
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

TEST_F(CudaExecutor, DevicesAreDescribed) {
  fake().devices = {FakeDevice{"One", 8, 6, 99 * 1024}, FakeDevice()};
  EXPECT_EQ(driver_->device_count(), 2);
  const CudaDevice one = driver_->device(0);
  EXPECT_EQ(one.name, "One");
  EXPECT_EQ(one.major * 10 + one.minor, 86);
  EXPECT_EQ(one.multiprocessors, 132);
  EXPECT_EQ(one.memory_bytes, int64_t{1} << 37);
  const std::string text = failure(93, [&] { driver_->device(2); });
  EXPECT_SAYS(text, "there is no CUDA device 2");
  EXPECT_SAYS(text, "the driver shows 2 of them");
}

}  // namespace
}  // namespace tl::testing
