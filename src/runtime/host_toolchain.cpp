#include "runtime/host_toolchain.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "runtime/child_process.h"
#include "runtime/private_folder.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSourceName = "device_kernel.cpp";
constexpr const char* kLibraryName = "kernel_lib.so";

/// The line of the first "device_kernel.cpp:<line>:<column>: error", 0 without one.
int first_error_line(const std::string& text) {
  const std::string name = std::string(kSourceName) + ":";
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const int line = std::atoi(text.c_str() + at + name.size());
    const std::string rest = text.substr(at, text.find('\n', at) - at);
    if (line > 0 && rest.find("error") != std::string::npos) return line;
  }
  return 0;
}

[[noreturn]] void throw_failed(const HostToolchain& toolchain, const HostCompilation& job, const ProcessResult& result,
                               const fs::path& file) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  if (result.timed_out) {
    diagnostic.message = fmt::format("compilation of {} timed out after {} s", job.kernel, job.timeout_seconds);
    diagnostic.help = "raise or empty TILELANG_COMPILE_TIMEOUT_SECONDS; the source is kept in " + file.string();
  } else {
    const int line = first_error_line(result.output);
    diagnostic.message =
        fmt::format("the C++ compiler failed on kernel {} with status {}\n{}{}\n\n{}", job.kernel, result.status,
                    file.string(), line > 0 ? source_excerpt(job.source, line) : "", result.output);
    diagnostic.help = "the source is kept in " + file.string();
  }
  diagnostic.notes.push_back({fmt::format("the compiler is {} ({})", toolchain.command[0], toolchain.version), {}});
  throw CompileError(std::move(diagnostic));
}

std::vector<std::string> compiler_arguments(const HostToolchain& toolchain, const HostCompilation& job) {
  std::vector<std::string> arguments = toolchain.command;
  arguments.insert(arguments.end(), job.flags.begin(), job.flags.end());
  // Only libm and libc, without start files: a third of the linker's time, and nothing a kernel could need is missing.
  for (const char* word :
       {"-fPIC", "-shared", "-nostdlib", "-pipe", "-o", kLibraryName, kSourceName, "-lm", "-lc", "-lgcc"}) {
    arguments.emplace_back(word);
  }
  return arguments;
}

}  // namespace

std::string compile_shared_object(const HostToolchain& toolchain, const HostCompilation& job) {
  PrivateFolder folder;
  if (job.keep_files) folder.keep();
  const fs::path file = folder.write(kSourceName, job.source);
  std::vector<std::string> arguments = compiler_arguments(toolchain, job);
  ProcessResult result = run_process(arguments, folder.path(), job.timeout_seconds);
  if (!result.ok() && result.output.find("internal compiler error") != std::string::npos) {
    // The vectoriser of g++ 12 stumbles over some right programs; without it they are slower, and there.
    arguments.emplace_back("-fno-tree-vectorize");
    result = run_process(arguments, folder.path(), job.timeout_seconds);
  }
  std::optional<std::string> library;
  if (result.ok()) library = read_file(folder.path() / kLibraryName);
  if (!library || library->empty()) {
    folder.keep();
    throw_failed(toolchain, job, result, file);
  }
  return *std::move(library);
}

}  // namespace tl
