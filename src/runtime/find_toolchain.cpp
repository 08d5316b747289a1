#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "runtime/child_process.h"
#include "runtime/find_program.h"
#include "runtime/host_toolchain.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

constexpr double kQueryTimeout = 30;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

[[noreturn]] void throw_no_program(const std::string& chosen) {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.message = fmt::format("the environment variable CXX names `{}`, which is no program", chosen);
  diagnostic.help =
      "name the C++ compiler that is to compile kernels, or unset CXX: then the first of g++, c++ and "
      "clang++ on PATH does";
  throw CompileError(std::move(diagnostic));
}

std::optional<std::vector<std::string>> find_command() {
  if (std::vector<std::string> chosen = words(environment("CXX")); !chosen.empty()) {
    const auto path = find_program(chosen[0]);
    if (!path) throw_no_program(chosen[0]);
    chosen[0] = *path;
    return chosen;
  }
  for (const char* name : {"g++", "c++", "clang++"}) {
    if (const auto path = find_program(name)) return std::vector{*path};
  }
  return std::nullopt;
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What only running the compiler can tell.
struct Answers {
  std::string version;
  /// The compiler proper that a driver starts (g++: cc1plus); empty where it is the same program.
  std::string proper;
};

Answers ask(const std::vector<std::string>& command) {
  const auto run = [&](const char* option) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back(option);
    return run_process(arguments, "/", kQueryTimeout);
  };
  const ProcessResult version = run("--version"), proper = run("-print-prog-name=cc1plus");
  return {version.ok() ? first_line(version.output) : "unknown", proper.ok() ? first_line(proper.output) : ""};
}

/// The file of answers: a line of what was asked, the stamp of the program, the compiler proper, its stamp, the
/// version.
std::optional<Answers> read_answers(const fs::path& file, const std::string& command, const std::string& stamp) {
  std::ifstream in(file);
  std::string asked, program, proper, proper_stamp, version;
  for (std::string* line : {&asked, &program, &proper, &proper_stamp, &version}) {
    if (!std::getline(in, *line)) return std::nullopt;
  }
  const bool same = asked == command && program == stamp && proper_stamp == file_stamp(proper);
  return same ? std::optional(Answers{version, proper}) : std::nullopt;
}

/// Written beside and renamed, so that another process reads all of it or nothing. A folder that cannot be written to
/// only means that the compiler is asked again.
void write_answers(const fs::path& file, const std::string& command, const std::string& stamp, const Answers& answers) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path staged = fmt::format("{}.{}", file.string(), getpid());
  std::ofstream out(staged);
  out << command << '\n' << stamp << '\n' << answers.proper << '\n';
  out << file_stamp(answers.proper) << '\n' << answers.version << '\n';
  out.close();
  if (out) fs::rename(staged, file, error);
  if (!out || error) fs::remove(staged, error);
}

HostToolchain identify(const std::vector<std::string>& command, const fs::path& cache_folder) {
  const std::string text = command_text(command);
  std::error_code error;
  const fs::path real = fs::canonical(command[0], error);
  const std::string stamp = file_stamp(error ? command[0] : real.string());
  const fs::path file = cache_folder.empty() ? fs::path() : cache_folder / "host_toolchain.txt";
  std::optional<Answers> answers = file.empty() ? std::nullopt : read_answers(file, text, stamp);
  if (!answers) {
    answers = ask(command);
    if (!file.empty()) write_answers(file, text, stamp, *answers);
  }
  HostToolchain toolchain;
  toolchain.command = command;
  toolchain.version = answers->version;
  toolchain.is_clang = answers->version.find("clang") != std::string::npos;
  toolchain.stamp = fmt::format("{}\n{}\n{}\n{}", text, answers->version, stamp, file_stamp(answers->proper));
  return toolchain;
}

[[noreturn]] void throw_no_compiler() {
  Diagnostic diagnostic;
  diagnostic.code = 92;
  diagnostic.message =
      "no C++ compiler was found: kernels are compiled with the system's, the first of g++, c++ and clang++ on PATH";
  diagnostic.help = "install one (Debian and Ubuntu: apt-get install g++), or name one in the environment variable CXX";
  throw CompileError(std::move(diagnostic));
}

}  // namespace

const HostToolchain& find_host_toolchain(const fs::path& cache_folder) {
  static std::mutex mutex;
  static auto* const found = new std::map<std::string, HostToolchain>;
  const std::string key = environment("CXX") + '\n' + environment("PATH");
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto known = found->find(key); known != found->end()) return known->second;
  const auto command = find_command();
  if (!command) throw_no_compiler();
  return found->emplace(key, identify(*command, cache_folder)).first->second;
}

const std::string& host_cpu_identity() {
  static const std::string identity = [] {
    // The first processor's block: the file is made line by line as it is read.
    std::ifstream in("/proc/cpuinfo");
    std::string text;
    for (std::string line; std::getline(in, line) && !line.empty();) {
      for (const char* field : {"vendor_id", "model name", "flags", "Features", "CPU implementer", "CPU part"}) {
        if (line.starts_with(field)) text += line + '\n';
      }
    }
    return text;
  }();
  return identity;
}

}  // namespace tl
