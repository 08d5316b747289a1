// NVRTC, NVIDIA's compiler of CUDA C++ as a library.
#pragma once

#include <string>
#include <vector>

namespace tl {

struct NvrtcResult {
  bool ok = false;
  /// The cubin or the PTX; empty unless ok.
  std::string output;
  /// What the compiler says; of a failure that it does not explain, the name of the error.
  std::string log;
};

/// A loaded NVRTC, which stays for the life of the process: it cannot be unloaded while another part of the process may
/// use the same file.
class Nvrtc {
 public:
  /// The library at this path, loaded by the first call. Throws CompileError 92 when it cannot be loaded.
  static const Nvrtc& at(const std::string& path);

  /// Compiles a program that includes nothing. `name` stands for the source's file in messages. May be called from
  /// several threads at once.
  NvrtcResult compile(const std::string& source, const char* name, const std::vector<std::string>& options,
                      bool ptx) const;

 private:
  explicit Nvrtc(const std::string& path);

  /// The functions of the library by their C interface; a result of 0 is success.
  int (*create_)(void** program, const char* source, const char* name, int headers, const char* const* header_texts,
                 const char* const* header_names) = nullptr;
  int (*compile_)(void* program, int options, const char* const* option_texts) = nullptr;
  int (*destroy_)(void** program) = nullptr;
  int (*log_size_)(void* program, size_t* size) = nullptr;
  int (*log_)(void* program, char* text) = nullptr;
  int (*cubin_size_)(void* program, size_t* size) = nullptr;
  int (*cubin_)(void* program, char* bytes) = nullptr;
  int (*ptx_size_)(void* program, size_t* size) = nullptr;
  int (*ptx_)(void* program, char* text) = nullptr;
  const char* (*error_text_)(int result) = nullptr;
};

}  // namespace tl
