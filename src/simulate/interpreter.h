#pragma once

// The tile interpreter: the meaning of a program, made executable. It is an execution backend, the oracle of
// differential tests, and a checker (docs/checker.md). Sequential and deterministic; thread-safe, as it keeps no state
// between runs.
//
// What the op comments of ir/ops_*.h leave open is settled so:
//  - gemm multiplies and adds in the dtype of C, float32 where C is a narrower float, in ascending k, each product and
//    each sum rounded once; a narrower C is rounded once, at the end.
//  - reduce sums in ascending index, in float32 for narrower floats, starting from the old value where `clear` is
//  false.
//  - parallel points, threads and vectorised iterations run statement by statement, all active ones before the next.
//  - pipelined loops run in program order; an async.copy has done its work when it returns.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/function.h"
#include "support/diagnostic.h"

namespace tl {

/// An array in host memory. 4-bit dtypes are packed two to a byte, the first element in the low half.
struct TensorArg {
  void* data = nullptr;
  DType dtype;
  std::vector<int64_t> shape;
  /// In elements, one a dimension.
  std::vector<int64_t> strides;
};

using Arg = std::variant<TensorArg, Scalar>;

struct InterpretOptions {
  /// Report out-of-bounds accesses, reads of uninitialised elements, conflicts and races. Off, only what stops a run is
  /// reported, and runs are faster.
  bool check = true;
  /// Different findings kept; more are only counted.
  int64_t max_findings = 50;
  /// Threads are ordered between statements at uniform control, as the language has it. Off, only barriers order them:
  /// how lowered code runs, so that a missing barrier shows as a race.
  bool implicit_barriers = true;
  /// Order in which tile programs and parallel points run: 0 is ascending, every other number a permutation of its own.
  uint64_t order_seed = 0;
  /// Statements executed (a statement over many threads or points counts once a batch) before TL004; 0 = no limit.
  int64_t step_limit = 0;
  /// Receives each line of `print` without its newline; null writes to stdout. The form: docs/checker.md.
  std::function<void(std::string_view line)> print = nullptr;
  /// Called every few thousand statements where set; what it throws ends the run.
  std::function<void()> poll = nullptr;
};

/// One thing wrong with the program, at one place of the source, found `count` times.
struct Finding {
  /// The first time it was found; notes name the other access and declarations.
  Diagnostic diagnostic;
  int64_t count = 1;
};

/// What a run of a program finds wrong with it, on whichever simulator.
struct RunFindings {
  /// In the order found.
  std::vector<Finding> findings;
  /// Findings at further places, beyond the limit of the run's options.
  int64_t dropped = 0;

  bool clean() const { return findings.empty() && dropped == 0; }
  /// Diagnostics as they are shown to a user, with the counts.
  std::vector<Diagnostic> diagnostics() const;
};

struct RunReport : RunFindings {
  int64_t steps = 0;

  /// Whether a finding is an error; the others are warnings.
  bool has_errors() const;
};

/// Runs `function` on `args`, one for each of its parameters in order; outputs are arguments as well, written in place.
/// Symbols get their values from the arguments' shapes and strides and from scalars: the first use that stands alone or
/// can be solved (as n in `2 * n`), all others are checked.
///
/// Throws CompileError: TL100, TL101, TL102, TL103, TL104, TL105, TL107 for arguments that do not fit; TL110 for an
/// assertion that failed, with the findings so far behind it; TL004 at the step limit; TL090 for what cannot run here
/// (externs, barriers that join several groups).
RunReport interpret(const Function& function, std::span<const Arg> args, const InterpretOptions& options = {});

}  // namespace tl
