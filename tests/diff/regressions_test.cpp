// Small programs that once went wrong, shrunk: the host, and every pass before it, does what the interpreter does.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "differential_run.h"
#include "ir/text.h"

namespace tl::testing {
namespace {

TEST(Regressions, DoWhatTheInterpreterDoes) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TL_TESTS_DIR) / "diff/regressions")) {
    if (entry.path().extension() != ".tl") continue;  // passes/: of types that the host does not have
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto function = parse_function(text.str(), entry.path().string());
    EXPECT_EQ(print(*parse_function(print(*function))), print(*function)) << entry.path();
    for (uint64_t seed = 1; seed <= 2; ++seed) EXPECT_EQ(why_it_fails(*function, {}, seed), "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace tl::testing
