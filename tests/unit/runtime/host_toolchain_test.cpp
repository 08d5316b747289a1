#include "runtime/host_toolchain.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "runtime/child_process.h"
#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"
#include "unit/runtime/scratch.h"

namespace tl::testing {
namespace {

namespace fs = std::filesystem;

std::string error_of(const HostCompilation& job) {
  try {
    compile_shared_object(find_host_toolchain({}), job);
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, 92);
    return error.what();
  }
  ADD_FAILURE() << "compiled";
  return {};
}

/// The path after "the source is kept in ", removed with its folder.
bool kept_and_removed(const std::string& text) {
  const std::string mark = "the source is kept in ";
  const size_t at = text.find(mark);
  if (at == std::string::npos) return false;
  const fs::path path = text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
  const bool kept = fs::exists(path);
  fs::remove_all(path.parent_path());
  return kept;
}

TEST(HostToolchain, FailureShowsTheSourceAndTheCompilersWords) {
  const std::string text = error_of({"gemm", "int a;\nint b = nonsense;\nint c;\n", {"-O0"}, 60, false});
  EXPECT_NE(text.find("failed on kernel gemm"), std::string::npos) << text;
  EXPECT_NE(text.find(">    2 | int b = nonsense;"), std::string::npos) << text;
  EXPECT_NE(text.find("error: "), std::string::npos) << text;
  EXPECT_TRUE(kept_and_removed(text)) << text;
}

TEST(HostToolchain, EndsACompilerThatTakesTooLong) {
  const Folder folder;
  write_script(folder / "slow", "case \"$*\" in *-shared*) sleep 60;; esac; echo slow 1\n");
  const Variable cxx("CXX", folder / "slow");
  const auto start = std::chrono::steady_clock::now();
  const std::string text = error_of({"k", "", {}, 0.2, false});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_NE(text.find("timed out after 0.2 s"), std::string::npos) << text;
  EXPECT_TRUE(kept_and_removed(text)) << text;
}

TEST(HostToolchain, AnInternalErrorOfTheVectoriserIsNotTheLastWord) {
  const Folder folder;
  const std::string compiler = find_host_toolchain({}).command[0];
  write_script(folder / "stumble", "case \"$*\" in *-shared*-fno-tree-vectorize*) exec " + compiler +
                                       " \"$@\";; *-shared*) echo internal compiler error; exit 1;; esac; exec " +
                                       compiler + " \"$@\"\n");
  const Variable cxx("CXX", folder / "stumble");
  EXPECT_NE(compile("KERNEL(k) {}\n"), "");
}

TEST(HostToolchain, IsAskedOnceAndAgainWhenItsFileChanges) {
  const Folder folder, cache;
  const fs::path program = folder / "c++";
  // Another PATH each time stands for another process: the toolchain found in this one is kept by CXX and PATH.
  int process = 0;
  const auto version = [&] {
    const Variable path(
        "PATH", std::string(std::getenv("PATH")) + ":" + (folder / "empty").string() + std::to_string(process++));
    const Variable cxx("CXX", program);
    return find_host_toolchain(cache.path());
  };
  const std::string answer = "echo asked >>" + (folder / "log").string() + "; echo 'compiler 1'\n";
  write_script(program, answer);
  EXPECT_EQ(version().version, "compiler 1");
  const auto size = fs::file_size(folder / "log");
  EXPECT_EQ(version().version, "compiler 1");
  EXPECT_EQ(fs::file_size(folder / "log"), size);
  const std::string stamp = version().stamp;

  write_script(program, answer + "# another file\n");
  EXPECT_NE(version().stamp, stamp);
  EXPECT_GT(fs::file_size(folder / "log"), size);

  std::ofstream(cache / "host_toolchain.txt") << "damaged";
  EXPECT_EQ(version().version, "compiler 1");
}

TEST(HostToolchain, AFolderThatCannotBeWrittenToDoesNotMatter) {
  const Variable path("PATH", std::string(std::getenv("PATH")) + ":/absent");
  EXPECT_NE(find_host_toolchain("/proc/no/such/folder").version, "");
}

std::string search_failure() {
  try {
    return "found " + find_host_toolchain({}).command[0];
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, 92);
    return error.what();
  }
}

TEST(HostToolchain, WithoutACompilerSaysWhatToInstall) {
  const Folder folder;
  const Variable path("PATH", folder.path()), cxx("CXX", "");
  const std::string text = search_failure();
  EXPECT_NE(text.find("apt-get install g++"), std::string::npos) << text;
}

TEST(HostToolchain, NothingStandsInForWhatCxxNames) {
  for (const char* absent : {"absent-compiler", "/bin/absent-compiler", " absent-compiler -O2"}) {
    const Variable cxx("CXX", absent);
    const std::string text = search_failure();
    EXPECT_NE(text.find("CXX names `"), std::string::npos) << text;
    EXPECT_NE(text.find("absent-compiler`, which is no program"), std::string::npos) << text;
  }
}

TEST(HostToolchain, TakesWordsAfterTheCompilersName) {
  const Folder folder;
  write_script(folder / "wrap", "exec \"$@\"\n");
  const Variable cxx("CXX", (folder / "wrap").string() + " " + find_host_toolchain({}).command[0]);
  EXPECT_NE(compile("KERNEL(k) {}\n"), "");
}

TEST(HostToolchain, KernelsMayCallLibm) {
  EXPECT_NE(
      compile("extern \"C\" double lgamma(double); KERNEL(k) { *(double*)args[0] = lgamma(*(double*)args[1]); }\n"),
      "");
}

TEST(HostCpuIdentity, NamesFeatures) {
  EXPECT_FALSE(host_cpu_identity().empty());
  EXPECT_EQ(host_cpu_identity(), host_cpu_identity());
}

TEST(RunProcess, GivesStatusAndOutput) {
  EXPECT_EQ(run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, "/", 10).output, "out\nerr\n");
  EXPECT_EQ(run_process({"/bin/sh", "-c", "exit 3"}, "/", 10).status, 3);
  EXPECT_EQ(run_process({"/bin/sh", "-c", "kill -9 $$"}, "/", 10).status, 137);
  EXPECT_EQ(run_process({"/no/such/program"}, "/", 10).status, -1);
  EXPECT_TRUE(run_process({"/bin/sh", "-c", "sleep 30"}, "/", 0.05).timed_out);
}

}  // namespace
}  // namespace tl::testing
