#pragma once

#include <functional>
#include <string>

#include "driver/signature_of.h"
#include "passes/pass.h"
#include "passes/thread/call_assumptions.h"

namespace tl {

/// What a variant asks of a call, beside that its arguments fit the parameters. None by default.
struct Demands {
  /// Bytes to which the first element of every tensor is aligned.
  int64_t tensor_alignment = 1;
  CallAssumptions sizes;
  /// See PassContext::tensors_apart.
  bool tensors_apart = false;

  size_t count() const;
  bool empty() const { return count() == 0; }
  std::vector<Expr> conditions() const { return sizes.all(); }
  /// For people: "tensors aligned to 16 bytes, n % 4 == 0"; "general" where nothing is asked.
  std::string text() const;
};

/// For passes of code that rests on `demands`.
PassContext pass_context(const Target& target, const Attrs& config, Diagnostics& diagnostics, const Demands& demands);

/// What code for a machine would like to rest on, and nearly every call gives.
Demands usual_demands(const Function& function, const Target& target);

/// `demands` without those that may be missing. `asking` is the function as code of threads that rests on all of them,
/// `general` as such that rests on none and is other code; `same_without(fewer)` says whether code that rests on
/// `fewer` is the same as `asking`.
Demands needed_demands(const Demands& demands, const Function& asking, const Function& general,
                       const std::function<bool(const Demands&)>& same_without);

/// Holds for the calls that give what is asked. Every call evaluates it.
IntProgram predicate_of(const Demands& demands, const Function& function, FunctionSignature& signature);

}  // namespace tl
