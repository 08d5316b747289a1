// Programs run to their end, with their output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tl {

struct ProcessResult {
  /// Exit status; 128 + number when a signal ended it; -1 when it could not be started.
  int status = -1;
  bool timed_out = false;
  /// stdout and stderr together; the reason when it could not be started.
  std::string output;
  bool ok() const { return status == 0; }
};

/// Runs a program by its path (no shell, no search) in `folder`, with messages in English and TMPDIR set to that
/// folder. After `timeout_seconds` (0: never) it is killed with everything it has started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          double timeout_seconds);

}  // namespace tl
