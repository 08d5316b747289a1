// What an emitter gives: the text, and what the runtime must know to launch it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/function.h"

namespace tl {

/// A function of the emitted program: one per launch, in the order of the launches.
struct EmittedKernel {
  std::string symbol;
  std::array<int64_t, 3> threads = {1, 1, 1};
  /// Bytes of shared memory that a launch asks for (devices only).
  int64_t shared_bytes = 0;
  /// Its programs wait for each other: it takes one argument more, the address of a word that is 0 (devices only).
  bool programs_meet = false;
  /// It waits for memory whatever becomes of its code (devices only).
  bool light = false;
  /// What each word of the kernel's arguments is: a tensor's address, or a variable of the host's part.
  std::vector<Param> args;
  /// Of its launch.
  Loc loc;
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

}  // namespace tl
