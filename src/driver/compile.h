#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ir/function.h"
#include "passes/pipeline.h"
#include "runtime/artifact.h"
#include "runtime/cuda_toolchain.h"
#include "runtime/host_toolchain.h"

namespace tl {

struct CompileOptions {
  /// A name of the target table: "host", "interpret" or that of a GPU, such as "sm_90a".
  std::string target = "host";
  /// Pass-config keys, such as "tl.disable_safe_memory_legalize".
  Attrs config;
  /// Where `NNN_<pass>.tl` is written after every pass; empty: nowhere. The environment variable TL_DUMP names it too.
  std::filesystem::path dump_folder;
  /// Called after every pass.
  std::function<void(const PassReport&)> observe;
};

struct Compilation {
  /// Complete but for binaries, which the target's toolchain makes of the sources.
  Artifact artifact;
  std::vector<Diagnostic> warnings;
  /// One a kernel of the first variant: what to tell the user if the toolchain reports spilled registers of it.
  std::vector<Diagnostic> if_spilled;
};

/// From IR to the text of the target. Throws CompileError for the user's mistakes. A failure of ours is thrown as
/// InternalError whose message names a file that `tlc opt` replays.
Compilation compile(const Function& function, const CompileOptions& options);

/// Flags for the host's compiler: language, optimisation, this machine's instructions.
std::vector<std::string> host_compile_flags();
/// How the host's compiler makes the binary of an artifact for the host or, to run it in the simulator, for Ascend;
/// `flags` stand behind those that every text needs.
HostCompilation host_compilation(const Artifact& artifact, const std::vector<std::string>& flags = {});
/// Flags for the compiler of CUDA C++, beside the machine's name: language, arithmetic.
std::vector<std::string> cuda_compile_flags();
/// How a text of an artifact of a CUDA target is compiled; `flags` stand behind those that every text needs.
CudaCompilation cuda_compilation(const Artifact& artifact, int code, const std::vector<std::string>& flags);

}  // namespace tl
