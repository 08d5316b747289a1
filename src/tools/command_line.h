#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tl {

/// `tlc verb [--key=value | --flag]... [file]`.
struct CommandLine {
  std::string verb;
  std::map<std::string, std::string> options;
  std::vector<std::string> files;

  std::string option(const std::string& key, const std::string& otherwise = {}) const;
};

CommandLine read_command_line(int argc, char** argv);

/// The text of a file up to a line `# output:` or `# error:`, or all of standard input for "-". Throws CompileError
/// TL111 when it cannot be read.
std::string read_text(const std::string& path);

/// The option of a `# run: --key=value ...` first line, and the pass names on it.
struct RunLine {
  std::map<std::string, std::string> options;
  std::vector<std::string> passes;
};
RunLine read_run_line(const std::string& text);

// The verbs; each returns the process's exit status.
int run_opt(const CommandLine& line);
int run_emit(const CommandLine& line);
int run_run(const CommandLine& line);
int run_shrink(const CommandLine& line);

}  // namespace tl
