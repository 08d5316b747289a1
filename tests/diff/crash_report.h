// Which random program ends the process, when a signal does.
#pragma once

#include <cstdint>

namespace tl::testing {

/// Makes signals that end the process say first, on stderr, which program was running, as in "seed 7 ends the process:
/// SIGSEGV" or, between programs and at the end of the process, "after seed 7: SIGSEGV", with the addresses of the
/// calls. For the rest of the process's life; the signal then takes its course.
class CrashReport {
 public:
  /// A program that runs longer than so many whole seconds counts as a crash, by SIGALRM; 0: never.
  explicit CrashReport(unsigned limit_seconds);

  void begin(uint64_t seed);
  void end();

 private:
  unsigned limit_seconds_;
};

}  // namespace tl::testing
