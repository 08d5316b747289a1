#include "runtime/cuda_toolchain.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "runtime/find_program.h"
#include "support/diagnostic.h"
#include "unit/runtime/scratch.h"

namespace tl::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(extern "C" __global__ void __launch_bounds__(128) k_kernel(float* a, int n) {
  __shared__ float s[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) a[i] = s[127 - threadIdx.x] * 2;
}
)";

CudaCompilation job(std::string source = kSource) {
  CudaCompilation out;
  out.kernel = "k";
  out.source = std::move(source);
  out.arch = "sm_90a";
  out.flags = {"-std=c++17"};
  return out;
}

/// The compiler of this kind on this system; null when there is none.
const CudaToolchain* compiler(const char* kind) {
  const Variable chosen("TILELANG_CUDA_COMPILER", kind);
  try {
    return &find_cuda_toolchain({TL_SITE_PACKAGES});
  } catch (const CompileError&) {
    return nullptr;
  }
}

/// The tests of a compiler run for both.
class CudaCompiler : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    toolchain_ = compiler(GetParam());
    if (toolchain_ == nullptr) GTEST_SKIP() << "this system has no " << GetParam();
  }
  std::string failure(const CudaCompilation& compilation) {
    try {
      compile_cuda(*toolchain_, compilation);
    } catch (const CompileError& error) {
      EXPECT_EQ(error.diagnostics()[0].code, 92);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  const CudaToolchain* toolchain_ = nullptr;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_P(CudaCompiler, MakesACubinAndReportsUsage) {
  const CudaBinary binary = compile_cuda(*toolchain_, job());
  EXPECT_EQ(binary.bytes.substr(0, 4),
            "\x7f"
            "ELF");
  std::vector<KernelInfo> kernels{{"other", {1, 1, 1}, 0}, {"k_kernel", {128, 1, 1}, 0}};
  read_usage(binary.report, kernels);
  EXPECT_GT(kernels[1].registers, 4);
  EXPECT_LT(kernels[1].registers, 40);
  EXPECT_EQ(kernels[1].static_shared_bytes, 512);
  EXPECT_EQ(kernels[1].spill_bytes, 0);
  EXPECT_EQ(kernels[0].registers, 0);
}

TEST_P(CudaCompiler, MakesPtx) {
  CudaCompilation ptx = job();
  ptx.output = CudaCompilation::Output::kPtx;
  const std::string text = compile_cuda(*toolchain_, ptx).bytes;
  EXPECT_SAYS(text, ".target sm_90a");
  EXPECT_SAYS(text, ".entry k_kernel");
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

TEST_P(CudaCompiler, KeepsTheSourceOfAFailure) {
  const Folder folder;
  const Variable temporary("TMPDIR", folder.path().string());
  const std::string text = failure(job("extern \"C\" __global__ void k_kernel(float* a) {\n  a[0] = missing;\n}\n"));
  EXPECT_SAYS(text, "failed on kernel k for sm_90a");
  EXPECT_SAYS(text, ">    2 |   a[0] = missing;");
  EXPECT_SAYS(text, "\"missing\" is undefined");
  EXPECT_SAYS(text, "note: the compiler is " + toolchain_->path);
  const std::string marker = "the source is kept in ";
  EXPECT_TRUE(fs::exists(text.substr(text.find(marker) + marker.size(),
                                     text.find(".cu", text.find(marker)) + 3 - text.find(marker) - marker.size())));
}

TEST_P(CudaCompiler, RefusesUnknownFlagsAndMachines) {
  CudaCompilation wrong = job();
  wrong.flags.emplace_back("--no-such-flag");
  EXPECT_SAYS(failure(wrong), "--no-such-flag");
  wrong = job();
  wrong.arch = "sm_10";
  EXPECT_SAYS(failure(wrong), "arch");
}

TEST_P(CudaCompiler, LeavesNothingBehind) {
  const Folder folder;
  const Variable temporary("TMPDIR", folder.path().string());
  compile_cuda(*toolchain_, job());
  EXPECT_TRUE(fs::is_empty(folder.path()));
  CudaCompilation kept = job();
  kept.keep_files = true;
  compile_cuda(*toolchain_, kept);
  EXPECT_FALSE(fs::is_empty(folder.path()));
}

TEST_P(CudaCompiler, CompilesInSeveralThreads) {
  std::vector<std::string> binaries(4);
  std::vector<std::thread> threads;
  for (std::string& binary : binaries) {
    threads.emplace_back([&binary, this] { binary = compile_cuda(*toolchain_, job()).bytes; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& binary : binaries) EXPECT_EQ(binary.size(), binaries[0].size());
}

INSTANTIATE_TEST_SUITE_P(Compilers, CudaCompiler, ::testing::Values("nvrtc", "nvcc"));

/// A library by its name alone: finding it does not load it.
void touch(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << path;
}

TEST(FindCudaToolchain, LooksBelowPythonPackagesAndToolkits) {
  const Folder folder;
  touch(folder / "site/nvidia/cu13/lib/libnvrtc.so.13");
  touch(folder / "site/nvidia/cu13/lib/libnvrtc-builtins.so.13.5");
  touch(folder / "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  touch(folder / "toolkit/lib64/libnvrtc.so.12.9.86");
  const Variable choice("TILELANG_CUDA_COMPILER", "nvrtc"), path("CUDA_PATH", ""), unset("CUDA_HOME", "");
  const std::vector<std::string> sites{(folder / "site").string()};
  const CudaToolchain package = find_cuda_toolchain(sites);
  EXPECT_EQ(package.path, (folder / "site/nvidia/cu13/lib/libnvrtc.so.13").string());
  EXPECT_EQ(package.version, "13.5");
  const Variable home("CUDA_HOME", (folder / "toolkit").string());
  const CudaToolchain toolkit = find_cuda_toolchain(sites);
  EXPECT_EQ(toolkit.path, (folder / "toolkit/lib64/libnvrtc.so.12.9.86").string());
  EXPECT_EQ(toolkit.version, "12.9.86");
  EXPECT_NE(package.stamp, toolkit.stamp);
}

TEST(FindCudaToolchain, TakesTheOneThatIsNamed) {
  const Folder folder;
  touch(folder / "libnvrtc.so.12");
  write_script(folder / "my-nvcc", "exit 3\n");
  const auto found = [&](const char* name) {
    const Variable choice("TILELANG_CUDA_COMPILER", (folder / name).string());
    return find_cuda_toolchain({});
  };
  EXPECT_EQ(found("libnvrtc.so.12").kind, CudaToolchain::Kind::kNvrtc);
  EXPECT_EQ(found("my-nvcc").kind, CudaToolchain::Kind::kNvcc);
  try {
    found("nothing");
    ADD_FAILURE() << "no error";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, 92);
    EXPECT_SAYS(std::string(error.what()), "nothing`, which is none");
    EXPECT_SAYS(std::string(error.what()), "pip install nvidia-cuda-nvrtc");
  }
}

TEST(Nvrtc, ALibraryThatIsNone) {
  const Folder folder;
  touch(folder / "libnvrtc.so.12");
  CudaToolchain broken;
  broken.path = (folder / "libnvrtc.so.12").string();
  try {
    compile_cuda(broken, job());
    ADD_FAILURE() << "no error";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, 92);
    EXPECT_SAYS(std::string(error.what()), "NVRTC cannot be used");
    EXPECT_SAYS(std::string(error.what()), broken.path);
  }
}

TEST(Nvcc, RunsOutOfTime) {
  const Folder folder;
  const Variable temporary("TMPDIR", folder.path().string());
  write_script(folder / "slow", "sleep 20\n");
  CudaCompilation slow = job();
  slow.timeout_seconds = 0.2;
  CudaToolchain nvcc{CudaToolchain::Kind::kNvcc, (folder / "slow").string(), "1", ""};
  try {
    compile_cuda(nvcc, slow);
    ADD_FAILURE() << "no error";
  } catch (const CompileError& error) {
    EXPECT_SAYS(std::string(error.what()), "NVCC compilation timed out after 0.2 seconds");
  }
}

}  // namespace
}  // namespace tl::testing
