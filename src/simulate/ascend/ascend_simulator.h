#pragma once

// Runs kernels in Ascend C (arch 3510) that the host's compiler has made a shared object of: the same values as on the
// machine, and what is wrong with the program, found whatever the schedule. An independent implementation from facts:
// nothing of the vendor's headers is in it. Costs are estimates from documented rates.
//
//   text = host_text(source);                       // host_text.h
//   object = compile(text, host_flags());           // the driver's business
//   Program program(lookup, "kernel.asc");
//   RunReport report = run(program, {"add_kernel", 8, words, tensors});

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/interpreter.h"

namespace tl_ascend {
struct Host;
struct Kernel;
struct RegionBound;
}  // namespace tl_ascend

namespace tl::simulate::ascend {

/// The address of a symbol of the compiled text, null when there is none.
using SymbolLookup = std::function<void*(const std::string&)>;

/// A compiled text. The shared object stays loaded while it is used. Throws InternalError when it is none of ours.
class Program {
 public:
  /// `file` names the source in reports; `headers` those given to `host_text`, in the same order.
  explicit Program(const SymbolLookup& find, std::string file = "kernel.asc", std::vector<std::string> headers = {});

  const tl_ascend::Kernel& kernel(const std::string& name) const;
  /// The bound of a region in threads; 0 where it has none.
  int bound(const void* region) const;
  tl_ascend::Host** host() const { return host_; }
  const std::string& file() const { return file_; }
  const std::vector<std::string>& headers() const { return headers_; }

 private:
  tl_ascend::Host** host_;
  const tl_ascend::Kernel* kernels_;
  const tl_ascend::RegionBound* bounds_;
  std::string file_;
  std::vector<std::string> headers_;
};

/// A tensor in GM, at its address in this process.
struct GmRange {
  std::string name;
  uint64_t base = 0;
  uint64_t bytes = 0;
  bool readable = true;
  bool writable = true;
  /// Whether its bytes mean something before the launch.
  bool defined = true;
};

struct Launch {
  std::string kernel;
  int64_t blocks = 1;
  /// One a parameter: addresses, and scalars in the low bytes.
  std::vector<uint64_t> words;
  std::vector<GmRange> memory;
};

struct RunOptions {
  /// Different findings kept; more are only counted.
  int64_t max_findings = 50;
  /// Bytes of UB a kernel may use.
  uint64_t ub_limit = 248 << 10;
  /// Keep the events of a timeline.
  bool timeline = false;
  /// Receives each line that a kernel prints, without its newline, on the caller's stack; null writes to stdout. What
  /// it throws ends the run.
  std::function<void(std::string_view line)> print = nullptr;
  /// Called now and then where set, on the caller's stack, also while the run waits for its turn; what it throws ends
  /// the run.
  std::function<void()> poll = nullptr;
};

/// Busy cycles of one pipe, summed over cores.
struct PipeCost {
  std::string pipe;
  double busy = 0;
};

/// A constant of the estimate and where it comes from.
struct CostConstant {
  std::string name;
  double value = 0;
  std::string provenance;
};

struct Cost {
  /// Of the longest block, in cycles of the core's clock.
  double block_cycles = 0;
  /// Of the launch on `cores` cores of its kind: blocks in waves.
  double cycles = 0;
  int64_t cores = 0;
  std::vector<PipeCost> pipes;
  std::vector<CostConstant> constants;
};

/// One operation on a pipe, in cycles from its block's start.
struct TimelineEvent {
  std::string name;
  uint32_t core = 0;
  int pipe = 0;
  int line = 0;
  double start = 0, end = 0;
};

struct RunReport : RunFindings {
  Cost cost;
  std::vector<TimelineEvent> timeline;

  /// Every finding is an error here.
  bool has_errors() const { return !clean(); }
};

/// Runs one launch to its end, or to the first assertion that does not hold: nothing behind that is run or reported.
/// Runs of one process take turns.
RunReport run(const Program& program, const Launch& launch, const RunOptions& options = {});

/// The timeline as a trace that Chrome and Perfetto show: one process a core, one track a pipe.
std::string timeline_json(const RunReport& report);

}  // namespace tl::simulate::ascend
