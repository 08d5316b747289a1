#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "ir/function.h"
#include "ir/line_table.h"

namespace tl {

/// A function of the emitted program: one per launch, in the order of the launches.
struct EmittedKernel {
  std::string symbol;
  std::array<int64_t, 3> threads = {1, 1, 1};
  /// What each word of the kernel's arguments is: a tensor's address, or a variable of the host's part.
  std::vector<Param> args;
};

/// A text that the emitted program refers to by number.
struct EmittedMessage {
  bool is_print = false;
  std::string text;
  std::vector<std::string> labels;
  Loc loc;
};

struct EmittedSource {
  std::string text;
  std::vector<EmittedKernel> kernels;
  std::vector<EmittedMessage> messages;
};

/// Writes the launches of `function` as one C++ program for the host; the interface of a kernel is
/// runtime/kernel_abi.h's. Requires the stage Stage::kHost with every element access inside its buffer. Throws
/// CompileError TL090 for a type or call that the host does not have.
EmittedSource emit_host(const Function& function, const LineTable& lines);

}  // namespace tl
