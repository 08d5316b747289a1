// Artifacts of a GPU, run on the fake driver.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fake_cuda/fake_cuda.h"
#include "runtime/cuda_driver.h"
#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {

inline const PrintSink kNoPrint = [](std::string_view text) { FAIL() << text; };

/// A fresh fake driver, and an artifact to run on it.
class OnFakeCuda : public ::testing::Test {
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
  std::unique_ptr<Executor> executor() { return make_cuda_executor(artifact_, later_, driver_.get()); }

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
  CompileLater later_;
  uint64_t address_ = 0;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace tl::testing
