#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace tl {

/// One entry of a target's list: which pass, and why it stands there.
struct Step {
  std::string_view pass;
  std::string_view why;
};

/// The order of passes for a kind of machine; the last step's result is legal for that machine's emitter.
const std::vector<Step>& pipeline_for(TargetKind kind);
/// The stage the function is in when the pipeline of `kind` is through.
Stage final_stage(TargetKind kind);

/// What a run reports after each pass.
struct PassReport {
  std::string_view pass;
  int index;
  double milliseconds;
  bool changed;
  const Function& function;
};

struct PipelineOptions {
  /// Verify after every pass; a violation is an internal error that names the pass.
  bool verify = true;
  /// Called after every pass when set; `changed` is computed only then.
  std::function<void(const PassReport&)> observe;
};

/// Runs passes in order on `function`. Throws CompileError after a pass that reported errors, InternalError after one
/// that left unsound IR.
void run_passes(Function& function, std::span<const std::string_view> passes, PassContext& context,
                const PipelineOptions& options);

}  // namespace tl
