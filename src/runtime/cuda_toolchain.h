// Compilers of CUDA C++: NVRTC in this process, or nvcc. Found and identified without loading or running them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/artifact.h"

namespace tl {

struct CudaToolchain {
  enum class Kind : uint8_t { kNvrtc, kNvcc };
  Kind kind = Kind::kNvrtc;
  /// The library or the program.
  std::string path;
  /// "13.0", as the names of files and folders tell; "unknown" where they do not.
  std::string version;
  /// Changes whenever another compiler may be meant: path, size and modification time of its files.
  std::string stamp;
};

/// NVRTC, else nvcc: the one that the environment variable TILELANG_CUDA_COMPILER names ("nvrtc", "nvcc", or the path
/// of either), else the first in CUDA_HOME, CUDA_PATH, NVIDIA's packages below `site_folders` (folders of Python
/// packages), /usr/local/cuda*, /opt/cuda, and the loader's folders (PATH for nvcc). Throws CompileError 92, with what
/// to install, when there is none. Cached in the process until one of these variables or `site_folders` changes.
const CudaToolchain& find_cuda_toolchain(const std::vector<std::string>& site_folders);

/// A program of the toolkit, such as "nvdisasm", in the same places; empty when there is none.
std::string find_cuda_program(const std::string& name, const std::vector<std::string>& site_folders);

struct CudaCompilation {
  enum class Output : uint8_t { kCubin, kPtx };
  /// What is compiled, for messages.
  std::string kernel;
  std::string source;
  /// The machine as the compiler names it: "sm_90a".
  std::string arch;
  /// Language and optimisation: what the backend needs, then the user's.
  std::vector<std::string> flags;
  Output output = Output::kCubin;
  /// See KernelInfo::light, for all its kernels.
  bool light = false;
  /// nvcc alone; 0: none.
  double timeout_seconds = 0;
  /// Leaves the folder with the source, and says nothing about it.
  bool keep_files = false;
};

struct CudaBinary {
  /// The cubin, or the text of the PTX.
  std::string bytes;
  /// What the compiler says about registers and memory, for kernel_usage().
  std::string report;
};

/// Throws CompileError 92, with the compiler's words and the source around the first complaint, when the compiler fails
/// or cannot be loaded; the source file is then kept. May be called from several threads at once.
CudaBinary compile_cuda(const CudaToolchain& toolchain, const CudaCompilation& compilation);

/// Fills in what `report` says about the kernels of a text (KernelInfo::code): registers, spilled bytes, static shared
/// memory.
void read_usage(const std::string& report, std::vector<KernelInfo>& kernels, int code = 0);

/// The machine code of a cubin as text. Throws CompileError 92 when the toolkit's disassemblers are missing or fail.
std::string disassemble(const std::string& cubin, const std::vector<std::string>& site_folders);

}  // namespace tl
