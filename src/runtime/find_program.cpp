#include "runtime/find_program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tl {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::string> find_program(const std::string& name) {
  const auto runnable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return runnable(name) ? std::optional(fs::absolute(name).string()) : std::nullopt;
  }
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    if (runnable(path)) return fs::absolute(path).string();
  }
  return std::nullopt;
}

std::string file_stamp(const std::string& path) {
  struct stat info;
  if (path.empty() || path[0] != '/' || stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{} {} {}.{:09}", path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace tl
