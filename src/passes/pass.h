#pragma once

#include <string_view>
#include <vector>

#include "ir/function.h"
#include "ir/verify.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace tl {

/// What a pass may read besides the function. Mistakes of the user go to `diagnostics`; the pipeline throws them after
/// the pass.
struct PassContext {
  const Target& target;
  /// Pass-config keys as the user gave them, such as "tl.disable_safe_memory_legalize".
  const Attrs& config;
  Diagnostics& diagnostics;
  /// Bytes to which the first element of every tensor is known to be aligned; 1 where only its own size is.
  int64_t tensor_alignment = 1;
  /// Conditions over symbols and scalars that hold in every call.
  std::vector<Expr> assumptions = {};
  /// Whether a tensor that is written shares memory with no other, unless the two have one shape, strides and dtype and
  /// begin at one address.
  bool tensors_apart = false;
};

/// True when the key is present and true.
bool config_flag(const PassContext& context, std::string_view key);

using PassFunction = void (*)(Function&, PassContext&);

/// One pass: its text name (the file's, with hyphens), and what it does in one line.
struct Pass {
  std::string_view name;
  PassFunction run;
  std::string_view summary;
};

/// The table of all passes. Null when there is no such pass.
const std::vector<Pass>& all_passes();
const Pass* find_pass(std::string_view name);

}  // namespace tl
