#include "tools/command_line.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "support/diagnostic.h"

namespace tl {
namespace {

bool read_option(const std::string& word, std::map<std::string, std::string>& options) {
  if (word.rfind("--", 0) != 0) return false;
  const size_t equals = word.find('=');
  const std::string key = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
  options[key] = equals == std::string::npos ? "true" : word.substr(equals + 1);
  return true;
}

}  // namespace

std::string CommandLine::option(const std::string& key, const std::string& otherwise) const {
  const auto it = options.find(key);
  return it == options.end() ? otherwise : it->second;
}

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (read_option(word, line.options)) continue;
    if (line.verb.empty()) {
      line.verb = word;
    } else {
      line.files.push_back(word);
    }
  }
  return line;
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(path);
  if (!in) throw CompileError(Diagnostic{Severity::kError, 111, "cannot read " + path, {}, {}, {}});
  text << in.rdbuf();
  // What a test expects is not part of its input.
  const std::string all = text.str();
  return all.substr(0, std::min(all.find("\n# output:\n"), all.find("\n# error:\n")));
}

RunLine read_run_line(const std::string& text) {
  RunLine out;
  constexpr std::string_view kMark = "# run:";
  if (text.rfind(kMark, 0) != 0) return out;
  std::istringstream words(text.substr(kMark.size(), text.find('\n') - kMark.size()));
  for (std::string word; words >> word;) {
    if (!read_option(word, out.options)) out.passes.push_back(word);
  }
  return out;
}

}  // namespace tl
