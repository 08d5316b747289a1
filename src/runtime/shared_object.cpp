#include "runtime/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/diagnostic.h"

namespace tl {
namespace {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// A spelling of /proc/self/fd/<fd> that no other load in this process uses: the loader takes equal names for the same
/// object, and file numbers come again. The bits of a counter choose between "/" and "/./" separators.
std::string unique_path(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd";
  for (uint64_t bits = counter.fetch_add(1) + 1; bits != 0; bits >>= 1) path += (bits & 1) != 0 ? "/." : "/";
  return path + "/" + std::to_string(fd);
}

void* load_from_memory(const std::string& name, std::string_view bytes) {
  const File file(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (file.fd() < 0 || !write_all(file.fd(), bytes)) return nullptr;
  return dlopen(unique_path(file.fd()).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// For systems without /proc or executable memory files.
void* load_from_file(std::string_view bytes) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "tilelang-XXXXXX").string();
  const File file(mkostemp(path.data(), O_CLOEXEC));
  if (file.fd() < 0) return nullptr;
  void* handle = write_all(file.fd(), bytes) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  return handle;
}

}  // namespace

SharedObject::SharedObject(std::string_view name, std::string_view bytes) {
  handle_ = load_from_memory(std::string(name.substr(0, 200)), bytes);
  if (handle_ == nullptr) handle_ = load_from_file(bytes);
  if (handle_ == nullptr) {
    const char* reason = dlerror();
    throw InternalError(fmt::format("internal error: cannot load the compiled code of {}: {}", name,
                                    reason != nullptr ? reason : std::strerror(errno)));
  }
}

SharedObject::~SharedObject() { dlclose(handle_); }

void* SharedObject::find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

}  // namespace tl
