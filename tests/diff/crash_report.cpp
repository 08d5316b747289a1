#include "crash_report.h"

#include <execinfo.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

namespace tl::testing {
namespace {

struct SignalRow {
  int number;
  const char* text;
};
// SIGTERM is how whoever runs this process ends it in the middle.
constexpr SignalRow kSignals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                                  {SIGABRT, "SIGABRT"}, {SIGSYS, "SIGSYS"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}};

std::atomic<uint64_t> last_seed{0};
std::atomic<bool> is_running{false}, has_begun{false};

/// A line made without memory of the heap, as a handler of signals must.
class Line {
 public:
  void add(const char* text) {
    for (; *text != '\0' && size_ < sizeof text_; ++text) text_[size_++] = *text;
  }
  void add(uint64_t number) {
    char digits[21] = "";
    size_t at = sizeof digits - 1;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    add(digits + at);
  }
  void write_to_stderr() const {
    if (write(STDERR_FILENO, text_, size_) < 0) return;  // there is nobody else to tell
  }

 private:
  char text_[128];
  size_t size_ = 0;
};

extern "C" void report_and_end(int signal) {
  const char* name = "a signal";
  for (const SignalRow& row : kSignals) {
    if (row.number == signal) name = row.text;
  }
  Line line;
  line.add(is_running ? "\nseed " : has_begun ? "\nafter seed " : "\nbefore seed ");
  line.add(last_seed.load());
  line.add(is_running ? " ends the process: " : ": ");
  line.add(name);
  line.add("\n");
  line.write_to_stderr();
  void* calls[64];
  backtrace_symbols_fd(calls, backtrace(calls, 64), STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

CrashReport::CrashReport(unsigned limit_seconds) : limit_seconds_(limit_seconds) {
  // A full stack has no room for a handler.
  static char stack[size_t{1} << 16];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  // The first call loads a library, which a handler must not.
  void* call = nullptr;
  backtrace(&call, 1);
  struct sigaction action{};
  action.sa_handler = report_and_end;
  // Not blocked while it is handled: it is raised again there.
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const SignalRow& row : kSignals) sigaction(row.number, &action, nullptr);
}

void CrashReport::begin(uint64_t seed) {
  last_seed = seed;
  has_begun = true;
  is_running = true;
  alarm(limit_seconds_);
}

void CrashReport::end() {
  alarm(0);
  is_running = false;
}

}  // namespace tl::testing
