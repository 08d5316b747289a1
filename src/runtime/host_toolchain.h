// The system's C++ compiler: found, identified without running it, and run on generated source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tl {

struct HostToolchain {
  /// The compiler as it is run, with the words that CXX may have after it ("ccache g++").
  std::vector<std::string> command;
  /// First line of `--version`.
  std::string version;
  bool is_clang = false;
  /// Changes whenever another compiler may be meant: version, and path, size and modification time of the program and
  /// of the compiler proper that it starts.
  std::string stamp;
};

/// What the environment variable CXX names; where it is not set or empty, the first of g++, c++, clang++ on PATH. What
/// running it has once told is kept in `cache_folder` (empty: nowhere) and holds as long as the program's file is the
/// same; a damaged file there is ignored. Throws CompileError 92, with what to install or that CXX names no program,
/// when there is none. Cached in the process until CXX or PATH changes.
const HostToolchain& find_host_toolchain(const std::filesystem::path& cache_folder);

struct HostCompilation {
  /// What is compiled, for messages.
  std::string kernel;
  std::string source;
  /// Language, optimisation and machine: what the backend needs.
  std::vector<std::string> flags;
  /// 0: none.
  double timeout_seconds = 0;
  /// Leaves the folder with source and library, and says nothing about it.
  bool keep_files = false;
};

/// Compiles to a shared object in a private folder and returns its bytes. Links against libc and libm alone: a kernel
/// uses no C++ library, and the linker is done in a third of the time. Where the compiler has an internal error, the
/// source is compiled again without vectorisation. Throws CompileError 92, with the compiler's words and the source
/// around the first complaint, when the compiler fails or runs out of time; the source file is then kept.
std::string compile_shared_object(const HostToolchain& toolchain, const HostCompilation& compilation);

/// What `-march=native` depends on: the processor's model and its features, as /proc/cpuinfo lists them.
const std::string& host_cpu_identity();

}  // namespace tl
