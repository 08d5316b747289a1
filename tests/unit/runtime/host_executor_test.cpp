#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "runtime/thread_pool.h"
#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {
namespace {

const PrintSink kNoPrint = [](std::string_view text) { FAIL() << text; };

/// out[p] += x over a grid of (m, 3, 2) programs, with `out` of m * 6 int64s.
std::shared_ptr<Artifact> add_to_all() {
  static const std::string library = compile(R"(
KERNEL(k_kernel) {
  i64* out = (i64*)args[0];
  for (i64 p = first; p < last; ++p) out[p] += (i64)args[1] + 1000 * grid[1] + 10000 * grid[2];
}
)");
  auto artifact = std::make_shared<Artifact>(empty_artifact());
  artifact->binary = library;
  artifact->signature.slot_names = {"m"};
  artifact->signature.params = {tensor("out", DType::i64(), {dim(binary(IntOp::kMul, slot(0), number(6)), "m * 6")}),
                                scalar("x", DType::i32())};
  artifact->signature.bindings = {bind_extent(0, 0, 0)};
  artifact->signature.bindings[0].sources[0].scale = number(6);
  artifact->kernels = {{"k_kernel", {1, 1, 1}, 0}};
  LaunchStep launch;
  launch.grid = {slot(0), number(3), number(2)};
  launch.args = {{KernelArg::Kind::kParam, 0}, {KernelArg::Kind::kParam, 1}};
  artifact->variants[0].program.steps = {launch};
  return artifact;
}

void run_add(Executor& executor, const Artifact& artifact, int64_t m) {
  Array<int64_t> out(DType::i64(), {m * 6}, 5);
  executor.run(bind_call(artifact, std::vector{out.argument(), integer(-2)}), kNoPrint);
  EXPECT_EQ(out.data, std::vector<int64_t>(static_cast<size_t>(m * 6), 5 - 2 + 3000 + 20000));
}

TEST(HostExecutor, RunsEveryProgramOnce) {
  const auto artifact = add_to_all();
  const auto executor = make_host_executor(artifact);
  for (const int64_t m : {0, 1, 2, 7, 1000, 100003}) run_add(*executor, *artifact, m);
}

TEST(HostExecutor, CallsFromSeveralThreads) {
  const auto artifact = add_to_all();
  const auto executor = make_host_executor(artifact);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) run_add(*executor, *artifact, 20000);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostExecutor, RunsInTheChildOfAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer allows no new threads after a fork";
#endif
  const auto artifact = add_to_all();
  const auto executor = make_host_executor(artifact);
  set_thread_count(4);
  run_add(*executor, *artifact, 100000);  // the parent's pool exists
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for the parent's threads would wait for ever
    for (int i = 0; i < 20; ++i) run_add(*executor, *artifact, 100000);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  run_add(*executor, *artifact, 100000);
  set_thread_count(0);
}

TEST(HostExecutor, ManyLibrariesAtOnceKeepTheirOwnCode) {
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::shared_ptr<Artifact>> artifacts;
  for (int i = 0; i < 12; ++i) {
    auto artifact = add_to_all();
    artifact->binary = compile("KERNEL(k_kernel) { *(i64*)args[0] = " + std::to_string(100 + i) + "; }\n");
    artifacts.push_back(artifact);
    executors.push_back(make_host_executor(artifact));
  }
  for (int i = 0; i < 12; ++i) {
    Array<int64_t> out(DType::i64(), {6});
    executors[i]->run(bind_call(*artifacts[i], std::vector{out.argument(), integer(0)}), kNoPrint);
    EXPECT_EQ(out.data[0], 100 + i);
  }
}

TEST(HostExecutor, TakesTheFirstVariantThatApplies) {
  auto artifact = add_to_all();
  artifact->variants.insert(artifact->variants.begin(), {"small", *IntProgram::parse("$0 4 <"), {}});
  const auto executor = make_host_executor(artifact);
  run_add(*executor, *artifact, 4);
  Array<int64_t> out(DType::i64(), {18}, 5);
  executor->run(bind_call(*artifact, std::vector{out.argument(), integer(-2)}), kNoPrint);
  EXPECT_EQ(out.data, std::vector<int64_t>(18, 5));  // its program does nothing
}

TEST(HostExecutor, RunsHostStepsInOrder) {
  auto artifact = std::make_shared<Artifact>(empty_artifact());
  // Appends the value of its second argument; the count is kept in a workspace that the first launch clears.
  artifact->binary = compile(R"(
KERNEL(clear) { *(i64*)args[0] = 0; }
KERNEL(append) { i64* count = (i64*)args[2]; ((i64*)args[0])[(*count)++] = (i64)args[1]; }
)");
  artifact->signature.slot_names = {"n", "i", "twice"};
  artifact->signature.params = {tensor("out", DType::i64(), {dim(slot(0), "n")})};
  artifact->signature.bindings = {bind_extent(0, 0, 0)};
  artifact->kernels = {{"clear", {1, 1, 1}, 0}, {"append", {1, 1, 1}, 0}};
  LaunchStep clear, append;
  clear.args = {{KernelArg::Kind::kWorkspace, 0}};
  append.kernel = 1;
  append.args = {{KernelArg::Kind::kParam, 0}, {KernelArg::Kind::kSlot, 2}, {KernelArg::Kind::kWorkspace, 0}};
  const IfStep if_odd = {binary(IntOp::kFloorMod, slot(1), number(2)), {append}, {}};
  artifact->variants[0].program.workspaces = {number(8)};
  artifact->variants[0].program.steps = {
      clear,
      LoopStep{1, number(7), number(0), number(-2), {LetStep{2, binary(IntOp::kMul, slot(1), number(2))}, if_odd}},
      LoopStep{1, number(0), slot(0), number(0), {append}},  // a step of 0 runs nothing
  };
  Array<int64_t> out(DType::i64(), {5}, -1);
  make_host_executor(artifact)->run(bind_call(*artifact, std::vector{out.argument()}), kNoPrint);
  EXPECT_EQ(out.data, (std::vector<int64_t>{14, 10, 6, 2, -1}));
}

std::shared_ptr<Artifact> speaking(const char* body) {
  auto artifact = std::make_shared<Artifact>(empty_artifact());
  artifact->binary = compile(std::string("KERNEL(k_kernel) { for (i64 p = first; p < last; ++p) {") + body + "} }\n");
  artifact->kernels = {{"k_kernel", {1, 1, 1}, 0}};
  LaunchStep launch;
  launch.grid[0] = number(4000);
  artifact->variants[0].program.steps = {launch};
  artifact->messages = {{Message::Kind::kAssert, "too far", {"p < 3000"}, __FILE__, 1, 1, 9},
                        {Message::Kind::kPrint, "v", {"x", "y"}, "", 0, 0, 0}};
  return artifact;
}

TEST(HostExecutor, AFailedAssertionNamesTheUsersLine) {
  const auto artifact =
      speaking("if (p >= 3000) { Place at = {{(i32)p, 0, 0}, {5, 0, 0}}; ctx->fail(ctx->user, 0, &at); }");
  try {
    make_host_executor(artifact)->run(bind_call(*artifact, {}), kNoPrint);
    ADD_FAILURE() << "no error";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, 110);
    const std::string text = error.what();
    EXPECT_NE(text.find("Device assert failed: too far"), std::string::npos) << text;
    EXPECT_NE(text.find("host_executor_test.cpp:1:1"), std::string::npos) << text;
    EXPECT_NE(text.find("#include <gtest/gtest.h>"), std::string::npos) << text;
    EXPECT_NE(text.find("ThreadIdx=(5, 0, 0)"), std::string::npos) << text;
  }
}

TEST(HostExecutor, AFailedHostAssertionStopsTheCall) {
  auto artifact = speaking("ctx->print(ctx->user, 1, 0, 0, 0);");
  auto& steps = artifact->variants[0].program.steps;
  steps.insert(steps.begin(), AssertStep{number(0), 0});
  EXPECT_THROW(make_host_executor(artifact)->run(bind_call(*artifact, {}), kNoPrint), CompileError);
}

TEST(HostExecutor, PrintsWholeLines) {
  const auto artifact = speaking(
      "if (p % 1000 == 0) { Place at = {{(i32)p, 1, 2}, {3, 4, 5}}; double half = 0.5; u64 bits; "
      "__builtin_memcpy(&bits, &half, 8); Value v[2] = {{(u64)-p, 0, 0}, {bits, 2, 0}}; "
      "ctx->print(ctx->user, 1, &at, 2, v); }");
  std::string text;
  make_host_executor(artifact)->run(bind_call(*artifact, {}), [&](std::string_view part) { text += part; });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_NE(text.find("v: BlockIdx=(2000, 1, 2), ThreadIdx=(3, 4, 5): x=-2000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("v: BlockIdx=(2000, 1, 2), ThreadIdx=(3, 4, 5): y=0.5\n"), std::string::npos) << text;
}

TEST(HostExecutor, WhatThePrintSinkThrowsEndsTheCall) {
  auto artifact = speaking("ctx->print(ctx->user, 1, 0, 0, 0);");
  artifact->messages[1].text = std::string(1000, 'x');  // more than is kept until the end
  const PrintSink broken = [](std::string_view) { throw std::runtime_error("no output"); };
  EXPECT_THROW(make_host_executor(artifact)->run(bind_call(*artifact, {}), broken), std::runtime_error);
}

TEST(HostExecutor, RefusesWhatCannotBeLoaded) {
  auto artifact = add_to_all();
  artifact->binary = artifact->binary.substr(0, 100);
  EXPECT_THROW(make_host_executor(artifact), InternalError);
  artifact = add_to_all();
  artifact->kernels[0].symbol = "absent";
  EXPECT_THROW(make_host_executor(artifact), InternalError);
}

TEST(ParallelFor, CoversTheRangeOnceWhateverThePace) {
  set_thread_count(4);
  for (const float pace : {0.0f, 1e-9f, 1e-6f, 1.0f}) {
    for (const int64_t total : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{1000}, int64_t{65537}}) {
      Pace known{pace};
      std::vector<std::atomic<int>> seen(static_cast<size_t>(total));
      parallel_for(
          total,
          [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
          },
          known);
      for (const std::atomic<int>& count : seen) ASSERT_EQ(count.load(), 1);
    }
  }
  set_thread_count(0);
}

TEST(ParallelFor, UsesSeveralThreadsForLongPrograms) {
  set_thread_count(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  Pace pace{0};
  // Everybody stays until three have come, or long enough to say that they do not.
  const auto body = [&](int64_t, int64_t) {
    for (int i = 0; i < 10000; ++i) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
        if (threads.size() == 3) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  parallel_for(60, body, pace);
  EXPECT_EQ(threads.size(), 3u);
  set_thread_count(0);
}

TEST(ParallelFor, ACallWithinABodyRunsAlone) {
  Pace outer{0}, inner{0};
  std::atomic<int> count{0};
  parallel_for(
      8,
      [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i)
          parallel_for(5, [&](int64_t a, int64_t b) { count += static_cast<int>(b - a); }, inner);
      },
      outer);
  EXPECT_EQ(count.load(), 40);
}

}  // namespace
}  // namespace tl::testing
