// What a call does on the host between its arguments and the launches of tile programs.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "runtime/int_program.h"

namespace tl {

/// One argument word of a kernel.
struct KernelArg {
  enum class Kind : uint8_t {
    kParam,      // parameter `index` of the signature: address of a tensor's first element, or a scalar's bits
    kSlot,       // value of slot `index`
    kWorkspace,  // address of workspace `index`
    kGridState,  // address of a word that is 0, for a kernel whose programs wait for each other
  };
  Kind kind = Kind::kParam;
  int index = 0;

  bool operator==(const KernelArg&) const = default;
};

struct HostStep;
using HostSteps = std::vector<HostStep>;

/// slot = value
struct LetStep {
  int slot = 0;
  IntProgram value;
};

/// for (slot = begin; slot < end; slot += step) body; a negative step counts down; a step of 0 runs nothing.
struct LoopStep {
  int slot = 0;
  IntProgram begin, end, step;
  HostSteps body;
};

struct IfStep {
  IntProgram condition;
  HostSteps then_steps, else_steps;
};

/// Runs kernel `kernel` (an index into Artifact::kernels) on grid x * y * z tile programs. An extent of 0 or less
/// launches nothing. A launch is complete before the next step begins, as far as a program can tell.
struct LaunchStep {
  int kernel = 0;
  /// Missing dimensions are the constant 1.
  std::array<IntProgram, 3> grid = {IntProgram::constant(1), IntProgram::constant(1), IntProgram::constant(1)};
  std::vector<KernelArg> args;
};

/// Fails the call with message `message` of the artifact unless the condition holds.
struct AssertStep {
  IntProgram condition;
  int message = 0;
};

struct HostStep : std::variant<LetStep, LoopStep, IfStep, LaunchStep, AssertStep> {
  using variant::variant;
  const variant& node() const { return *this; }
};

struct HostProgram {
  /// Sizes in bytes of memory that lives for the call, aligned to 256 bytes and not initialised; evaluated before the
  /// first step, so they read only slots that the signature binds.
  std::vector<IntProgram> workspaces;
  HostSteps steps;
};

}  // namespace tl
