#include "runtime/cuda_toolchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "runtime/child_process.h"
#include "runtime/nvrtc.h"
#include "runtime/private_folder.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
using Output = CudaCompilation::Output;

constexpr const char* kSourceName = "device_kernel.cu";
constexpr const char* kReportOption = "--ptxas-options=-v";
constexpr double kDisassemblyTimeout = 120;

/// The line of the first "device_kernel.cu(<line>): error", 0 without one.
int first_error_line(const std::string& text) {
  const std::string name = std::string(kSourceName) + "(";
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const int line = std::atoi(text.c_str() + at + name.size());
    if (line > 0 && text.substr(at, text.find('\n', at) - at).find("error") != std::string::npos) return line;
  }
  return 0;
}

/// What a compiler has made, or why it has not.
struct Attempt {
  std::optional<std::string> output;
  std::string log;
  bool timed_out = false;
};

std::vector<std::string> options_of(const CudaCompilation& job) {
  std::vector<std::string> options{"-arch=" + job.arch};
  if (job.output == Output::kPtx) {
    // PTX is for the virtual machine of that number.
    options[0] = "-arch=compute_" + job.arch.substr(job.arch.find('_') + 1);
  }
  if (job.output == Output::kCubin) options.emplace_back(kReportOption);
  options.insert(options.end(), job.flags.begin(), job.flags.end());
  return options;
}

/// What NVRTC may leave out, in the order of trying: declarations of textures and of the CUDA runtime, which take a
/// fifth of the time of a small kernel, though source of the user's own may need them; and a cache of its own, beside
/// ours and without the report of registers, which NVRTC before 12.9 does not have. Of light code it need not optimise
/// much, from CUDA 13 on: a tenth of the time.
std::vector<std::vector<std::string>> omissions(bool light) {
  std::vector<std::vector<std::string>> out = {{"-minimal", "-no-cache"}, {"-no-cache"}, {}};
  if (light) out.insert(out.begin(), {"-Ofc=min", "-minimal", "-no-cache"});
  return out;
}

Attempt run_nvrtc(const CudaToolchain& toolchain, const CudaCompilation& job) {
  const Nvrtc& nvrtc = Nvrtc::at(toolchain.path);
  NvrtcResult result;
  for (const std::vector<std::string>& left_out : omissions(job.light)) {
    std::vector<std::string> options = options_of(job);
    options.insert(options.end(), left_out.begin(), left_out.end());
    result = nvrtc.compile(job.source, kSourceName, options, job.output == Output::kPtx);
    if (result.ok) break;
  }
  Attempt attempt;
  if (result.ok) attempt.output = std::move(result.output);
  attempt.log = std::move(result.log);
  return attempt;
}

Attempt run_nvcc(const CudaToolchain& toolchain, const CudaCompilation& job, const fs::path& folder) {
  constexpr const char* kOutputName = "kernel.out";
  std::vector<std::string> arguments = options_of(job);
  arguments.insert(arguments.begin(), {toolchain.path, job.output == Output::kPtx ? "-ptx" : "-cubin"});
  arguments.insert(arguments.end(), {"-o", kOutputName, kSourceName});
  ProcessResult result = run_process(arguments, folder, job.timeout_seconds);
  Attempt attempt;
  if (result.ok()) attempt.output = read_file(folder / kOutputName);
  attempt.log = std::move(result.output);
  attempt.timed_out = result.timed_out;
  return attempt;
}

const char* compiler_name(const CudaToolchain& toolchain) {
  return toolchain.kind == CudaToolchain::Kind::kNvcc ? "nvcc" : "NVRTC";
}

[[noreturn]] void throw_failed(const CudaToolchain& toolchain, const CudaCompilation& job, const Attempt& attempt,
                               const fs::path& file) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.help = "the source is kept in " + file.string();
  if (attempt.timed_out) {
    diagnostic.message =
        fmt::format("NVCC compilation timed out after {} seconds: kernel {}", job.timeout_seconds, job.kernel);
    diagnostic.help = "raise or empty TILELANG_COMPILE_TIMEOUT_SECONDS; " + diagnostic.help;
  } else {
    const int line = first_error_line(attempt.log);
    diagnostic.message =
        fmt::format("{} failed on kernel {} for {}\n{}{}\n\n{}", compiler_name(toolchain), job.kernel, job.arch,
                    file.string(), line > 0 ? source_excerpt(job.source, line) : "", attempt.log);
  }
  diagnostic.notes.push_back({fmt::format("the compiler is {} (version {})", toolchain.path, toolchain.version), {}});
  throw CompileError(std::move(diagnostic));
}

/// The number before `word` in a line of the report, 0 without one: "Used 8 registers, ...", "512 bytes smem".
int64_t number_before(const std::string& line, const std::string& word) {
  const size_t at = line.find(" " + word);
  if (at == std::string::npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return std::atoll(line.c_str() + begin);
}

/// The name between the first two quotes of a line.
std::string first_quoted(const std::string& line) {
  const size_t begin = line.find('\'');
  const size_t end = line.find('\'', begin + 1);
  return end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
}

}  // namespace

CudaBinary compile_cuda(const CudaToolchain& toolchain, const CudaCompilation& job) {
  const bool in_process = toolchain.kind == CudaToolchain::Kind::kNvrtc;
  Attempt attempt;
  if (in_process && !job.keep_files) {
    // Nothing is written where all goes well.
    attempt = run_nvrtc(toolchain, job);
    if (attempt.output) return {*std::move(attempt.output), std::move(attempt.log)};
  }
  PrivateFolder folder;
  const fs::path file = folder.write(kSourceName, job.source);
  if (job.keep_files) folder.keep();
  if (!in_process || job.keep_files) {
    attempt = in_process ? run_nvrtc(toolchain, job) : run_nvcc(toolchain, job, folder.path());
  }
  if (!attempt.output || attempt.output->empty()) {
    folder.keep();
    throw_failed(toolchain, job, attempt, file);
  }
  return {*std::move(attempt.output), std::move(attempt.log)};
}

void read_usage(const std::string& report, std::vector<KernelInfo>& kernels, int code) {
  std::istringstream lines(report);
  KernelInfo* kernel = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos) {
      const std::string name = first_quoted(line);
      const auto found = std::find_if(kernels.begin(), kernels.end(),
                                      [&](const KernelInfo& k) { return k.symbol == name && k.code == code; });
      kernel = found == kernels.end() ? nullptr : &*found;
    }
    if (kernel == nullptr) continue;
    if (line.find("bytes spill stores") != std::string::npos) {
      kernel->spill_bytes = number_before(line, "bytes spill stores");
    }
    if (line.find("Used ") != std::string::npos) {
      kernel->registers = number_before(line, "registers");
      kernel->static_shared_bytes = number_before(line, "bytes smem");
    }
  }
}

std::string disassemble(const std::string& cubin, const std::vector<std::string>& site_folders) {
  constexpr const char* kCubinName = "kernel.cubin";
  const std::vector<std::vector<std::string>> commands{{"nvdisasm"}, {"cuobjdump", "-sass"}};
  for (std::vector<std::string> command : commands) {
    command[0] = find_cuda_program(command[0], site_folders);
    if (command[0].empty()) continue;
    PrivateFolder folder;
    folder.write(kCubinName, cubin);
    command.emplace_back(kCubinName);
    ProcessResult result = run_process(command, folder.path(), kDisassemblyTimeout);
    if (result.ok()) return std::move(result.output);
    throw CompileError(Diagnostic{Severity::kError,
                                  92,
                                  fmt::format("{} failed\n{}", command[0], result.output),
                                  {},
                                  {},
                                  "the cubin may be of a newer machine than the disassembler knows"});
  }
  throw CompileError(Diagnostic{Severity::kError,
                                92,
                                "machine code is shown by nvdisasm or cuobjdump; neither was found",
                                {},
                                {},
                                "install one of the CUDA toolkit's, and put it on PATH or name CUDA_HOME"});
}

}  // namespace tl
