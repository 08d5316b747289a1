#include "runtime/private_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unwritable(std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.message = fmt::format("{}: {}", message, std::strerror(errno));
  diagnostic.help = "name a folder with space that can be written to in the environment variable TMPDIR";
  throw CompileError(std::move(diagnostic));
}

}  // namespace

PrivateFolder::PrivateFolder() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  path_ = (base / "tilelang-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw_unwritable("cannot make a folder for compilation in " + base.string());
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;
  if (!kept_) fs::remove_all(path_, error);
}

fs::path PrivateFolder::write(const char* name, const std::string& text) const {
  fs::path file = path() / name;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw_unwritable("cannot write " + file.string());
  return file;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  if (!in || !(out << in.rdbuf())) return std::nullopt;
  return std::move(out).str();
}

std::string source_excerpt(const std::string& source, int line) {
  constexpr int kAround = 4;
  const int first = std::max(1, line - kAround), last = std::max(line, 1 + kAround) + kAround;
  std::istringstream in(source);
  std::string out, text;
  for (int i = 1; i <= last && std::getline(in, text); ++i) {
    if (i >= first) out += fmt::format("\n{}{:>5} | {}", i == line ? ">" : " ", i, text);
  }
  return out;
}

}  // namespace tl
