#include "runtime/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unusable(const std::string& path, const std::string& reason) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.message = fmt::format("NVRTC cannot be used: {}", reason);
  diagnostic.notes.push_back({fmt::format("the library is {}", path), {}});
  diagnostic.help =
      "install NVRTC 12 or newer (pip install nvidia-cuda-nvrtc), or name another by its path in the environment "
      "variable TILELANG_CUDA_COMPILER";
  throw CompileError(std::move(diagnostic));
}

/// NVRTC looks for its builtins by name alone, so they are loaded first, by their path.
void load_builtins(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    // One that cannot be loaded is missed only by a program that needs it, and NVRTC then says so.
    if (name.starts_with("libnvrtc-builtins.so")) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
}

/// Lets the C library keep what a compilation frees for the next one. glibc gives free memory at the top of the heap
/// back to the system from twice the size of the largest mapped block freed so far, and each compilation would then
/// fault in some 2,000 pages again, 3 to 6 ms: one block of nearly its largest threshold (32 MiB) is mapped, never
/// touched, and freed. Programs that free one array of that size have done the same; other libraries take no notice.
void keep_freed_memory() {
  constexpr size_t kBytes = (size_t{32} << 20) - (size_t{64} << 10);
  void* volatile block = std::malloc(kBytes);  // volatile: a compiler may leave out a pair of malloc and free
  std::free(block);
}

/// Reads what comes as a size and a copy. NVRTC counts the zero at the end of texts.
std::string fetch(void* program, int (*size)(void*, size_t*), int (*copy)(void*, char*), bool is_text) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0) return {};
  std::string out(bytes, '\0');
  if (copy(program, out.data()) != 0) return {};
  while (is_text && !out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

}  // namespace

const Nvrtc& Nvrtc::at(const std::string& path) {
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, const Nvrtc*>;
  const std::lock_guard<std::mutex> lock(mutex);
  const Nvrtc*& found = (*loaded)[path];
  if (found == nullptr) found = new Nvrtc(path);
  return *found;
}

Nvrtc::Nvrtc(const std::string& path) {
  keep_freed_memory();
  load_builtins(fs::path(path).parent_path());
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_unusable(path, dlerror());
  const auto bind = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) throw_unusable(path, fmt::format("it lacks {}", name));
  };
  bind(create_, "nvrtcCreateProgram");
  bind(compile_, "nvrtcCompileProgram");
  bind(destroy_, "nvrtcDestroyProgram");
  bind(log_size_, "nvrtcGetProgramLogSize");
  bind(log_, "nvrtcGetProgramLog");
  bind(cubin_size_, "nvrtcGetCUBINSize");
  bind(cubin_, "nvrtcGetCUBIN");
  bind(ptx_size_, "nvrtcGetPTXSize");
  bind(ptx_, "nvrtcGetPTX");
  bind(error_text_, "nvrtcGetErrorString");
}

NvrtcResult Nvrtc::compile(const std::string& source, const char* name, const std::vector<std::string>& options,
                           bool ptx) const {
  NvrtcResult result;
  void* program = nullptr;
  if (const int error = create_(&program, source.c_str(), name, 0, nullptr, nullptr); error != 0) {
    result.log = error_text_(error);
    return result;
  }
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  const int error = compile_(program, static_cast<int>(words.size()), words.data());
  result.log = fetch(program, log_size_, log_, true);
  if (error == 0) {
    result.output = ptx ? fetch(program, ptx_size_, ptx_, true) : fetch(program, cubin_size_, cubin_, false);
    result.ok = !result.output.empty();
  }
  if (!result.ok && result.log.empty()) result.log = error != 0 ? error_text_(error) : "no output";
  destroy_(&program);
  return result;
}

}  // namespace tl
