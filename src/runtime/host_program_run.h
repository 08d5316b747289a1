// Runs the host program of a call: the steps between its arguments and the launches, on any machine.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/artifact.h"
#include "support/diagnostic.h"

namespace tl {

/// `size` values that live for a call, without an allocation where they are few.
template <class T>
class CallBuffer {
 public:
  explicit CallBuffer(size_t size) : many_(size > kFew ? size : 0), data_(size > kFew ? many_.data() : few_.data()) {}
  CallBuffer(const CallBuffer&) = delete;
  CallBuffer& operator=(const CallBuffer&) = delete;

  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }

 private:
  static constexpr size_t kFew = 32;
  std::array<T, kFew> few_;
  std::vector<T> many_;
  T* data_;
};

/// One call on a machine, which offers
///   void launch(const LaunchStep& step, const int64_t (&grid)[3], std::span<uint64_t> args);  // no extent below 1
///   void empty_launch(const LaunchStep& step, int64_t extent);  // one is below 1; optional: most launch nothing
///   uint64_t workspace(int64_t bytes);   // an address that holds until the call ends
///   uint64_t grid_state();               // of a word that is 0 whenever no launch runs, until the call ends
///   void fail(int message);              // an assertion of the program does not hold
///   bool stopped() const;                // no further step is to run
template <class Machine>
class HostProgramRun {
 public:
  HostProgramRun(const Artifact& artifact, const BoundCall& call, Machine& machine)
      : artifact_(artifact),
        words_(call.words),
        slots_buffer_(call.slots.size()),
        slots_(slots_buffer_.data(), call.slots.size()),
        machine_(machine) {
    std::copy(call.slots.begin(), call.slots.end(), slots_.begin());
  }

  /// Runs the first variant whose predicate holds.
  void run() {
    for (const Variant& variant : artifact_.variants) {
      if (variant.predicate.evaluate(slots_) == 0) continue;
      run(variant.program);
      return;
    }
    internal_error(__FILE__, __LINE__, "variant", "no variant applies to the call of " + artifact_.name);
  }

 private:
  void run(const HostProgram& program) {
    for (const IntProgram& bytes : program.workspaces) {
      workspaces_.push_back(machine_.workspace(bytes.evaluate(slots_)));
    }
    run(program.steps);
  }
  void run(const HostSteps& steps) {
    for (const HostStep& step : steps) {
      if (machine_.stopped()) return;
      std::visit([this](const auto& s) { run(s); }, step.node());
    }
  }
  void run(const LetStep& step) { slots_[step.slot] = step.value.evaluate(slots_); }
  void run(const LoopStep& step) {
    const int64_t begin = step.begin.evaluate(slots_), end = step.end.evaluate(slots_), by = step.step.evaluate(slots_);
    for (int64_t i = begin; by > 0 ? i < end : by < 0 && i > end; i += by) {
      slots_[step.slot] = i;
      run(step.body);
    }
  }
  void run(const IfStep& step) { run(step.condition.evaluate(slots_) != 0 ? step.then_steps : step.else_steps); }
  void run(const AssertStep& step) {
    if (step.condition.evaluate(slots_) == 0) machine_.fail(step.message);
  }
  void run(const LaunchStep& step) {
    int64_t grid[3];
    for (int i = 0; i < 3; ++i) {
      grid[i] = step.grid[i].evaluate(slots_);
      if (grid[i] > 0) continue;
      if constexpr (requires { machine_.empty_launch(step, grid[i]); }) machine_.empty_launch(step, grid[i]);
      return;
    }
    CallBuffer<uint64_t> args(step.args.size());
    for (size_t i = 0; i < step.args.size(); ++i) args[i] = word(step.args[i]);
    machine_.launch(step, grid, std::span<uint64_t>(args.data(), step.args.size()));
  }

  uint64_t word(const KernelArg& arg) {
    switch (arg.kind) {
      case KernelArg::Kind::kParam:
        return words_[arg.index];
      case KernelArg::Kind::kSlot:
        return static_cast<uint64_t>(slots_[arg.index]);
      case KernelArg::Kind::kGridState:
        return machine_.grid_state();
      case KernelArg::Kind::kWorkspace:
        break;
    }
    return workspaces_[arg.index];
  }

  const Artifact& artifact_;
  std::span<const uint64_t> words_;
  CallBuffer<int64_t> slots_buffer_;
  std::span<int64_t> slots_;
  Machine& machine_;
  std::vector<uint64_t> workspaces_;
};

/// Throws CompileError 91 for a grid that is too large: `limit` says what is allowed, `help` what to do.
[[noreturn]] void throw_grid_too_large(const Artifact& artifact, const LaunchStep& step, const int64_t (&grid)[3],
                                       const char* limit, const char* help = "");

}  // namespace tl
