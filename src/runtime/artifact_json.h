// Artifacts as files: what the cache stores and a user can read.
#pragma once

#include <map>
#include <string>

#include "runtime/artifact.h"

namespace tl {

/// Names of an artifact's files. Those whose content is empty are left out.
namespace artifact_file {
inline constexpr const char* kParams = "params.json";        // signature, kernels, variants, messages
inline constexpr const char* kSource = "device_kernel.cpp";  // Artifact::source, on the host
inline constexpr const char* kCudaSource = "device_kernel.cu";
inline constexpr const char* kHostSource = "host_kernel.txt";
inline constexpr const char* kProgram = "program.tl";
inline constexpr const char* kLibrary = "kernel_lib.so";  // Artifact::binary, on the host
inline constexpr const char* kCubin = "kernel.cubin";
}  // namespace artifact_file

/// File name to content.
std::map<std::string, std::string> artifact_files(const Artifact& artifact);

/// The inverse. Throws InternalError, saying what is wrong, for files that artifact_files() has not written: a missing
/// or damaged description, unknown values, parts that do not fit together.
Artifact artifact_from_files(const std::map<std::string, std::string>& files);

}  // namespace tl
