#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "runtime/cuda_toolchain.h"
#include "runtime/find_program.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChoice = "TILELANG_CUDA_COMPILER";
/// Where a toolkit has its libraries and programs, below its root.
constexpr const char* kLibraryFolders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};

/// Entries of a folder whose names begin so, the highest version first.
std::vector<fs::path> entries(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  }
  const auto numbers = [](const fs::path& path) {
    std::vector<int> out;
    std::string digits;
    for (const char c : path.filename().string() + ".") {
      if (c >= '0' && c <= '9') {
        digits += c;
      } else if (!digits.empty()) {
        out.push_back(std::stoi(digits.substr(0, 8)));
        digits.clear();
      }
    }
    return out;
  };
  std::sort(found.begin(), found.end(), [&](const fs::path& a, const fs::path& b) { return numbers(b) < numbers(a); });
  return found;
}

/// Folders that may be the root of a toolkit, in order.
std::vector<fs::path> toolkit_roots(const std::vector<std::string>& site_folders) {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = environment(name); !root.empty()) roots.emplace_back(root);
  }
  for (const std::string& site : site_folders) {
    for (const fs::path& package : entries(fs::path(site) / "nvidia", "cu")) roots.push_back(package);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : entries("/usr/local", "cuda-")) roots.push_back(root);
  roots.emplace_back("/opt/cuda");
  return roots;
}

/// Folders that the dynamic loader searches: LD_LIBRARY_PATH, the usual ones, and those of ld.so.conf.
std::vector<fs::path> loader_folders() {
  std::vector<fs::path> folders;
  std::istringstream path(environment("LD_LIBRARY_PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  for (const fs::path& file : entries("/etc/ld.so.conf.d", "")) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with('/')) folders.emplace_back(line);
    }
  }
  return folders;
}

/// What follows ".so." or "cuda-" in a file's name.
std::string version_in(const fs::path& path, const std::string& before) {
  const std::string name = path.filename().string();
  const size_t at = name.rfind(before);
  return at == std::string::npos ? "" : name.substr(at + before.size());
}

/// NVRTC by the file of the library.
std::optional<CudaToolchain> nvrtc_at(const fs::path& library) {
  std::error_code error;
  const fs::path real = fs::canonical(library, error);
  if (error || !fs::is_regular_file(real, error)) return std::nullopt;
  CudaToolchain out;
  out.path = real.string();
  out.stamp = file_stamp(out.path);
  out.version = version_in(real, ".so.");
  for (const fs::path& builtins : entries(real.parent_path(), "libnvrtc-builtins.so.")) {
    // The library carries its major version alone in some packages; the builtins always both numbers.
    out.version = version_in(builtins, ".so.");
    out.stamp += '\n' + file_stamp(builtins.string());
    break;
  }
  if (out.version.empty()) out.version = "unknown";
  return out;
}

std::optional<CudaToolchain> nvrtc_in(const fs::path& folder) {
  for (const fs::path& library : entries(folder, "libnvrtc.so")) {
    if (auto found = nvrtc_at(library)) return found;
  }
  return std::nullopt;
}

std::optional<CudaToolchain> find_nvrtc(const std::vector<std::string>& site_folders) {
  for (const fs::path& root : toolkit_roots(site_folders)) {
    for (const char* folder : kLibraryFolders) {
      if (auto found = nvrtc_in(root / folder)) return found;
    }
  }
  for (const fs::path& folder : loader_folders()) {
    if (auto found = nvrtc_in(folder)) return found;
  }
  return std::nullopt;
}

std::optional<CudaToolchain> nvcc_at(const std::string& program) {
  const auto path = find_program(program);
  if (!path) return std::nullopt;
  std::error_code error;
  const fs::path real = fs::canonical(*path, error);
  CudaToolchain out;
  out.kind = CudaToolchain::Kind::kNvcc;
  out.path = *path;
  out.stamp = file_stamp(error ? *path : real.string());
  // <root>/bin/nvcc; the compilers proper lie beside it.
  const fs::path root = (error ? fs::path(*path) : real).parent_path().parent_path();
  out.stamp += '\n' + file_stamp((root / "bin/ptxas").string());
  out.version = version_in(root, "cuda-");
  if (out.version.empty()) out.version = "unknown";
  return out;
}

std::optional<CudaToolchain> find_nvcc(const std::vector<std::string>& site_folders) {
  const std::string program = find_cuda_program("nvcc", site_folders);
  return program.empty() ? std::nullopt : nvcc_at(program);
}

std::optional<CudaToolchain> find(const std::string& choice, const std::vector<std::string>& site_folders) {
  if (choice == "nvcc") return find_nvcc(site_folders);
  if (choice.empty() || choice == "nvrtc") {
    auto found = find_nvrtc(site_folders);
    return found || !choice.empty() ? found : find_nvcc(site_folders);
  }
  const bool library = fs::path(choice).filename().string().starts_with("libnvrtc");
  return library ? nvrtc_at(choice) : nvcc_at(choice);
}

[[noreturn]] void throw_none(const std::string& choice) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.message = "no compiler of CUDA C++ was found: CUDA targets compile kernels with NVRTC or nvcc";
  if (!choice.empty()) diagnostic.notes.push_back({fmt::format("{} is `{}`, which is none", kChoice, choice), {}});
  diagnostic.notes.push_back(
      {"looked for libnvrtc.so and nvcc in CUDA_HOME, CUDA_PATH, Python's NVIDIA packages, "
       "/usr/local/cuda, the loader's folders and on PATH",
       {}});
  diagnostic.help = fmt::format(
      "install one (pip install nvidia-cuda-nvrtc), or name libnvrtc.so or nvcc by its path in the environment "
      "variable {}",
      kChoice);
  throw CompileError(std::move(diagnostic));
}

}  // namespace

std::string find_cuda_program(const std::string& name, const std::vector<std::string>& site_folders) {
  for (const fs::path& root : toolkit_roots(site_folders)) {
    if (const auto path = find_program((root / "bin" / name).string())) return *path;
  }
  return find_program(name).value_or("");
}

const CudaToolchain& find_cuda_toolchain(const std::vector<std::string>& site_folders) {
  static std::mutex mutex;
  static auto* const found = new std::map<std::string, CudaToolchain>;
  const std::string choice = environment(kChoice);
  std::string key;
  for (const char* name : {kChoice, "CUDA_HOME", "CUDA_PATH", "PATH", "LD_LIBRARY_PATH"}) {
    key += environment(name) + '\n';
  }
  for (const std::string& folder : site_folders) key += folder + '\n';
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto known = found->find(key); known != found->end()) return known->second;
  auto toolchain = find(choice, site_folders);
  if (!toolchain) throw_none(choice);
  return found->emplace(key, *std::move(toolchain)).first->second;
}

}  // namespace tl
