#include "runtime/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

extern char** environ;

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> child_environment(const std::filesystem::path& folder) {
  std::vector<std::string> variables = {"LC_ALL=C", "TMPDIR=" + folder.string()};
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (!variable.starts_with("LC_ALL=") && !variable.starts_with("TMPDIR=")) variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

/// posix_spawn with both outputs in `output` and a process group of its own. Returns 0 or an error number.
int spawn(std::vector<std::string> arguments, const std::filesystem::path& folder, int output, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  // The caller's blocked and ignored signals are no business of the child's.
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGCHLD, SIGINT, SIGTERM}) sigaddset(&defaults, number);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> environment = child_environment(folder);
  const int error = posix_spawn(&child, arguments[0].c_str(), &actions, &attributes, pointers(arguments).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int milliseconds_left(Clock::time_point start, double timeout_seconds) {
  if (timeout_seconds <= 0) return -1;
  const double left = timeout_seconds - std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<int>(std::clamp(left * 1000, 0.0, 1e9));
}

/// Reads until every process that holds the other end has closed it. False when the time is over first.
bool read_to_end(int fd, double timeout_seconds, std::string& text) {
  const Clock::time_point start = Clock::now();
  char buffer[4096];
  for (;;) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds_left(start, timeout_seconds));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer, static_cast<size_t>(n));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    // A process that ignores SIGCHLD gets no statuses: what the child has left behind must tell.
    if (errno != EINTR) return 0;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          double timeout_seconds) {
  ProcessResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.output = std::strerror(errno);
    return result;
  }
  pid_t child = -1;
  const int error = spawn(arguments, folder, ends[1], child);
  close(ends[1]);
  if (error != 0) {
    result.output = std::strerror(error);
  } else {
    result.timed_out = !read_to_end(ends[0], timeout_seconds, result.output);
    if (result.timed_out) kill(-child, SIGKILL);
    result.status = wait_for(child);
  }
  close(ends[0]);
  return result;
}

}  // namespace tl
