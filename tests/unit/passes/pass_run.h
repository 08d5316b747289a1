#pragma once

// Runs one pass on a function written as text.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

namespace tl::testing {

struct PassRun {
  std::unique_ptr<Function> function;
  Diagnostics diagnostics;

  std::string text() const { return print(*function); }
  /// "76 78": the codes of all diagnostics, in order.
  std::string codes() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.all()) out += (out.empty() ? "" : " ") + std::to_string(d.code);
    return out;
  }
};

/// The input must be sound, and the output is, unless the pass reported an error.
inline PassRun run_pass(PassFunction pass, const std::string& text) {
  PassRun run;
  run.function = parse_function(text);
  check_sound(*run.function, Stage::kAny, "reading the test");
  const Attrs config;
  PassContext context{*find_target("host"), config, run.diagnostics};
  pass(*run.function, context);
  if (!run.diagnostics.has_errors()) check_sound(*run.function, Stage::kAny, "the pass");
  return run;
}

/// Like `text`, with the same names as the printer gives.
inline std::string normal(const std::string& text) { return print(*parse_function(text)); }

}  // namespace tl::testing
