#include "runtime/artifact.h"

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Checks that a host program's indices and programs fit the artifact around it.
class HostProgramVerifier {
 public:
  explicit HostProgramVerifier(const Artifact& artifact) : artifact_(artifact) {}

  void run(const Variant& variant) {
    check(variant.predicate);
    for (const IntProgram& bytes : variant.program.workspaces) check(bytes);
    workspaces_ = variant.program.workspaces.size();
    run(variant.program.steps);
  }

 private:
  void run(const HostSteps& steps) {
    for (const HostStep& step : steps) std::visit([this](const auto& s) { run(s); }, step.node());
  }
  void run(const LetStep& step) {
    check_slot(step.slot);
    check(step.value);
  }
  void run(const LoopStep& step) {
    check_slot(step.slot);
    check(step.begin);
    check(step.end);
    check(step.step);
    run(step.body);
  }
  void run(const IfStep& step) {
    check(step.condition);
    run(step.then_steps);
    run(step.else_steps);
  }
  void run(const LaunchStep& step) {
    check_index(step.kernel, artifact_.kernels.size(), "a launch names no kernel");
    for (const IntProgram& extent : step.grid) check(extent);
    for (const KernelArg& arg : step.args) {
      if (arg.kind == KernelArg::Kind::kGridState) continue;
      const bool param = arg.kind == KernelArg::Kind::kParam, slot = arg.kind == KernelArg::Kind::kSlot;
      const Signature& signature = artifact_.signature;
      const size_t size = param ? signature.params.size() : slot ? signature.slot_names.size() : workspaces_;
      check_index(arg.index, size, "a kernel's argument names nothing");
    }
  }
  void run(const AssertStep& step) {
    check(step.condition);
    check_index(step.message, artifact_.messages.size(), "an assertion has no message");
  }

  void check(const IntProgram& program) const {
    TL_CHECK(program.complete(), "an incomplete program in " + artifact_.name);
    TL_CHECK(static_cast<size_t>(program.slot_count()) <= artifact_.signature.slot_names.size(), "no such slot");
  }
  void check_slot(int slot) const { check_index(slot, artifact_.signature.slot_names.size(), "no such slot"); }
  void check_index(int index, size_t size, const char* message) const {
    TL_CHECK(index >= 0 && static_cast<size_t>(index) < size, message + (" in " + artifact_.name));
  }

  const Artifact& artifact_;
  size_t workspaces_ = 0;
};

}  // namespace

void Artifact::verify() const {
  signature.verify();
  TL_CHECK(!variants.empty() && variants.back().predicate.as_constant().value_or(0) != 0,
           "the last variant of an artifact always applies");
  TL_CHECK(later.size() < variants.size(), "a text without a variant: " + name);
  for (const KernelInfo& kernel : kernels) {
    TL_CHECK(kernel.code >= 0 && static_cast<size_t>(kernel.code) <= later.size(), "a kernel without a text: " + name);
  }
  for (const Variant& variant : variants) HostProgramVerifier(*this).run(variant);
}

}  // namespace tl
