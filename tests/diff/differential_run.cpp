#include "differential_run.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "crash_report.h"
#include "driver/compile.h"
#include "driver/differential.h"
#include "driver/shrink.h"
#include "host_batch.h"
#include "ir/text.h"

namespace tl::testing {
namespace {

/// Far beyond what a random program does; what shrinking makes of it may run for ever.
constexpr int64_t kMostSteps = 200000;

ComparisonOptions exactly() {
  ComparisonOptions options;
  options.agreement.exact_sums = true;
  options.interpret.step_limit = kMostSteps;
  return options;
}

std::string findings(const RunReport& report) {
  std::string out;
  for (const Diagnostic& d : report.diagnostics()) out += render(d) + "\n";
  return out;
}

/// Accesses beyond the edge of a global tensor and divisions by zero mean something, and programs make them; anything
/// else found is a mistake of the generator.
bool is_expected(const Finding& f) {
  return f.diagnostic.code == 124 || (f.diagnostic.code == 120 && f.diagnostic.severity == Severity::kWarning);
}

std::string verdict(const Comparison& comparison) {
  for (const Finding& f : comparison.report.findings) {
    if (!is_expected(f))
      return fmt::format("the checker reports TL{}:\n", f.diagnostic.code) + findings(comparison.report);
  }
  return comparison.difference;
}

/// Calls `f`; what it throws is its answer.
template <class F>
std::string text_of(F&& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return std::string("error: ") + e.what();
  }
}

/// The kind of failure, so that shrinking does not turn one into another.
std::string kind_of(const std::string& reason) {
  if (reason.rfind("the checker", 0) == 0) return reason.substr(0, reason.find('\n'));
  if (reason.rfind("error", 0) == 0) return reason.substr(0, 24);
  return reason.empty() ? "" : "difference";
}

int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct Prepared {
  uint64_t seed;
  RandomProgram program;
  std::shared_ptr<Artifact> artifact;
};

class Run {
 public:
  Run(RunSize size, int batch, Coverage& coverage) : size_(size), batch_(batch), coverage_(coverage) {}

  std::vector<Failure> run() {
    std::thread other([this] { work(); });
    work();
    other.join();
    return std::move(failures_);
  }

 private:
  void work() {
    for (;;) {
      const int first = next_.fetch_add(batch_);
      if (first >= size_.programs) return;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failures_.size() >= most_failures_) return;
      }
      run_batch(first, std::min(first + batch_, size_.programs));
    }
  }

  void run_batch(int first, int last) {
    std::vector<Prepared> programs;
    Coverage seen;
    for (int i = first; i < last; ++i) {
      Prepared p{size_.seed + static_cast<uint64_t>(i), {}, {}};
      const std::string why = text_of([&] {
        p.program = random_program("random" + std::to_string(p.seed), p.seed, {}, seen);
        p.artifact = std::make_shared<Artifact>(compile(*p.program.function, {}).artifact);
        return std::string();
      });
      if (why.empty()) {
        programs.push_back(std::move(p));
      } else {
        fail(p, why);
      }
    }
    compile_all(programs, first);
    for (const Prepared& p : programs) {
      const std::string why = text_of([&] {
        const ArgumentSet arguments = random_arguments(*p.program.function, p.seed, p.program.settings);
        return verdict(compare_with_interpreter(p.artifact, *p.program.function, arguments, exactly()));
      });
      if (!why.empty()) fail(p, why);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [what, count] : seen.counts()) {
      for (int64_t i = 0; i < count; ++i) coverage_.note(what);
    }
  }

  void compile_all(std::vector<Prepared>& programs, int first) {
    if (programs.empty()) return;
    std::vector<std::shared_ptr<Artifact>> artifacts;
    for (const Prepared& p : programs) artifacts.push_back(p.artifact);
    // One batch in four is compiled as users' programs are; the rest in a third of the time.
    const char* optimisation = first / batch_ % 4 == 0 ? "-O3" : "-O1";
    const std::string why = text_of([&] {
      compile_together(artifacts, optimisation);
      return std::string();
    });
    if (why.empty()) return;
    // One of them is at fault: each by itself.
    std::vector<Prepared> good;
    for (Prepared& p : programs) {
      const std::string own = text_of([&] {
        compile_together({p.artifact}, optimisation);
        return std::string();
      });
      if (own.empty()) {
        good.push_back(std::move(p));
      } else {
        fail(p, own);
      }
    }
    programs = std::move(good);
  }

  void fail(const Prepared& p, const std::string& why) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (failures_.size() >= most_failures_) return;
      failures_.push_back({p.seed, ""});
    }
    std::string text = fmt::format("seed {}: {}\n", p.seed, why);
    if (p.program.function != nullptr && std::getenv("TL_RANDOM_NO_SHRINK") == nullptr) {
      text += text_of([&] { return shrunk_text(*p.program.function, p.program.settings, p.seed, why); });
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Failure& f : failures_) {
      if (f.seed == p.seed) f.text = text;
    }
  }

  const RunSize size_;
  const int batch_;
  Coverage& coverage_;
  const size_t most_failures_ = static_cast<size_t>(number_from_environment("TL_RANDOM_FAILURES", 3));
  std::atomic<int> next_{0};
  std::mutex mutex_;
  std::vector<Failure> failures_;
};

}  // namespace

RunSize run_size(int programs, uint64_t seed) {
  return {number_from_environment("TL_RANDOM_PROGRAMS", programs),
          static_cast<uint64_t>(number_from_environment("TL_RANDOM_SEED", static_cast<int>(seed)))};
}

std::vector<Failure> compare_random_programs(RunSize size, int batch, Coverage& coverage) {
  return Run(size, batch, coverage).run();
}

std::vector<std::string> device_flags(uint64_t seed) {
  // A tenth of the time, with NVRTC 13.
  return seed % 8 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"--Ofast-compile=mid"};
}

void compare_on_device(const std::string& target, RunSize size, const ProgramOptions& options, Coverage& coverage,
                       const std::function<void(const Failure&)>& report) {
  int failures_left = number_from_environment("TL_RANDOM_FAILURES", 3);
  CrashReport crash_report(static_cast<unsigned>(number_from_environment("TL_RANDOM_LIMIT", 0)));
  for (int i = 0; i < size.programs && failures_left > 0; ++i) {
    const uint64_t seed = size.seed + static_cast<uint64_t>(i);
    RandomProgram program;
    crash_report.begin(seed);
    const std::string why = text_of([&] {
      program = random_program("random" + std::to_string(seed), seed, options, coverage);
      const ArgumentSet arguments = random_arguments(*program.function, seed, program.settings);
      return verdict(compare_with_interpreter(built_artifact(target, *program.function, device_flags(seed)),
                                              *program.function, arguments, exactly()));
    });
    crash_report.end();
    if (why.empty()) continue;
    --failures_left;
    report({seed, fmt::format("seed {}: {}\n{}", seed, why, program.function ? print(*program.function) : "")});
  }
}

std::string why_it_fails(const Function& function, const std::map<std::string, int64_t>& settings, uint64_t seed) {
  return text_of([&] {
    const ArgumentSet arguments = random_arguments(function, seed, settings);
    return verdict(compare_host_with_interpreter(function, arguments, exactly()));
  });
}

std::string shrunk_text(const Function& function, const std::map<std::string, int64_t>& settings, uint64_t seed,
                        const std::string& reason) {
  const std::string kind = kind_of(reason);
  std::string last = reason;
  const auto fails = [&](const Function& candidate) {
    const std::string why = why_it_fails(candidate, settings, seed);
    if (kind_of(why) != kind) return false;
    last = why;
    return true;
  };
  const auto small = shrink(function, fails);
  std::string set;
  for (const auto& [name, value] : settings) set += fmt::format("{}{}={}", set.empty() ? "" : ",", name, value);
  return fmt::format("{}\n# tlc run --target=both --seed={} {}\n{}", last, seed, set.empty() ? "" : "--set=" + set,
                     print(*small));
}

}  // namespace tl::testing
