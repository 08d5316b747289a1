// Where a source compiler works: folders of this process alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tl {

/// A new folder under the system's temporary one, removed with everything in it unless kept. Throws CompileError 92
/// when it cannot be made.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  std::filesystem::path path() const { return path_; }
  void keep() { kept_ = true; }
  /// Writes a file and returns its path. Throws CompileError 92 when it cannot.
  std::filesystem::path write(const char* name, const std::string& text) const;

 private:
  std::string path_;
  bool kept_ = false;
};

std::optional<std::string> read_file(const std::filesystem::path& path);

/// Numbered lines of a source around `line`, for messages, or its first ones where `line` is 0.
std::string source_excerpt(const std::string& source, int line);

}  // namespace tl
