#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "driver/shrink.h"
#include "ir/text.h"
#include "tools/command_line.h"

namespace tl {

int run_shrink(const CommandLine& line) {
  const std::string command = line.option("check");
  if (command.empty())
    throw CompileError(Diagnostic{Severity::kError, 111, "shrink needs --check=COMMAND", {}, {}, {}});
  const auto function = parse_function(read_text(line.files[0]), line.files[0]);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tlc-shrink-" + std::to_string(getpid()) + ".tl");
  const auto fails = [&](const Function& candidate) {
    std::ofstream(file) << print(candidate);
    return std::system((command + " " + file.string() + " > /dev/null 2>&1").c_str()) != 0;
  };
  if (!fails(*function)) {
    std::fprintf(stderr, "%s succeeds on the given function: nothing to shrink\n", command.c_str());
    return 1;
  }
  const auto smaller = shrink(*function, fails);
  std::filesystem::remove(file);
  std::fputs(print(*smaller).c_str(), stdout);
  return 0;
}

}  // namespace tl
