#include "driver/host_program_of.h"

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "ir/text.h"

namespace tl {
namespace {

/// The steps in words, one a line, nested ones indented.
std::string words(const HostSteps& steps, const std::string& indent = "");

struct InWords {
  std::string indent;

  std::string operator()(const LetStep& s) const { return "let $" + std::to_string(s.slot) + " = " + s.value.text(); }
  std::string operator()(const LoopStep& s) const {
    return "for $" + std::to_string(s.slot) + " = " + s.begin.text() + " to " + s.end.text() + " by " + s.step.text() +
           "\n" + words(s.body, indent + "  ");
  }
  std::string operator()(const IfStep& s) const {
    return "if " + s.condition.text() + "\n" + words(s.then_steps, indent + "  ") +
           (s.else_steps.empty() ? "" : "\n" + indent + "else\n" + words(s.else_steps, indent + "  "));
  }
  std::string operator()(const LaunchStep& s) const {
    static constexpr const char* kKinds[] = {"param", "slot", "workspace", "grid state"};
    std::string out = "launch " + std::to_string(s.kernel) + " on";
    for (const IntProgram& g : s.grid) out += " [" + g.text() + "]";
    for (const KernelArg& a : s.args)
      out += std::string(" ") + kKinds[static_cast<int>(a.kind)] + std::to_string(a.index);
    return out;
  }
  std::string operator()(const AssertStep& s) const {
    return "assert " + s.condition.text() + " or " + std::to_string(s.message);
  }
};

std::string words(const HostSteps& steps, const std::string& indent) {
  std::string out;
  for (const HostStep& step : steps)
    out += (out.empty() ? "" : "\n") + indent + std::visit(InWords{indent}, step.node());
  return out;
}

Artifact artifact(const std::string& text) { return compile(*parse_function(text), {}).artifact; }

TEST(HostProgramOf, ALaunchHasItsGridAndItsArguments) {
  const Artifact a = artifact(R"(func @f symbols [%n: int32] params [%A: global float32[%n], %x: float32] {
    launch [%bx: int32, %by: int32], [-floordiv(-%n, 32), 3] { store %A, [%bx * 32 + %by], %x }
  })");
  EXPECT_EQ(words(a.variants[0].program.steps), "launch 0 on [$0 neg 32 // neg] [3] [1] param0 param1 slot0");
  EXPECT_EQ(a.kernels[0].symbol, "f_kernel");
}

TEST(HostProgramOf, LoopsBranchesAndNames) {
  const Artifact a = artifact(R"(func @f params [%A: global float32[8], %n: int32] {
    bind %m: int32, %n * %n
    for %i: int32, %m, 0, step=-2 {
      if %i < 4 {
        launch [%bx: int32], [%i] { store %A, [%bx], 1.0:float32 }
      } else {
        launch [%by: int32], [2] { store %A, [%by + %i], 2.0:float32 }
      }
    }
  })");
  EXPECT_EQ(words(a.variants[0].program.steps),
            "let $1 = $0 $0 *\n"
            "for $2 = $1 to 0 by -2\n"
            "  if $2 4 <\n"
            "    launch 0 on [$2] [1] [1] param0\n"
            "  else\n"
            "    launch 1 on [2] [1] [1] param0 slot2");
  EXPECT_EQ(a.signature.slot_names, (std::vector<std::string>{"n", "m", "i"}));
}

TEST(HostProgramOf, AssertionsOnIntegersAreTheHosts) {
  const Artifact a = artifact(R"(func @f params [%A: global float32[8], %n: int32] {
    assert %n > 2, message="too small"
    launch [%bx: int32], [1] { store %A, [0], 1.0:float32 }
  })");
  EXPECT_EQ(words(a.variants[0].program.steps), "assert 2 $0 < or 0\nlaunch 0 on [1] [1] [1] param0");
  EXPECT_EQ(a.messages[0].text, "too small");
}

TEST(HostProgramOf, GlobalMemoryOfTheFunctionIsAWorkspace) {
  const Artifact a = artifact(R"(func @f symbols [%n: int32] params [%A: global float16[%n]] {
    alloc %w: global float16[%n, 3]
    launch [%bx: int32], [%n] { store %w, [%bx, 1], %A[%bx] }
    launch [%by: int32], [%n] { store %A, [%by], %w[%by, 1] }
  })");
  ASSERT_EQ(a.variants[0].program.workspaces.size(), 1u);
  const std::vector<int64_t> slots = {5};
  EXPECT_EQ(a.variants[0].program.workspaces[0].evaluate(slots), 5 * 3 * 2);
  EXPECT_NE(words(a.variants[0].program.steps).find("workspace0"), std::string::npos);
}

TEST(HostProgramOf, MemoryOfTheCallerIsAPointerOrASlot) {
  const Artifact a = artifact(R"(func @f params [%p: handle, %at: int64, %q: handle] {
    alloc %A: global float32[8], at=%p
    alloc %B: global int16[8], at=%at
    alloc %C: global int16[8], at=%at + 16:int64
    launch [%bx: int32], [8] { store %B, [%bx], %C[%bx] + cast(int16, %A[%bx]) }
  })");
  EXPECT_EQ(words(a.variants[0].program.steps), "let $1 = $0 16 +\nlaunch 0 on [8] [1] [1] slot1 param0 param1");
  EXPECT_TRUE(a.variants[0].program.workspaces.empty());
  EXPECT_EQ(a.signature.params[0].alignment, 4);
  EXPECT_TRUE(a.signature.params[0].used);
  EXPECT_FALSE(a.signature.params[0].written);
  EXPECT_FALSE(a.signature.params[2].used);
}

TEST(HostProgramOf, ProgramsThatMeetTakeAWordMore) {
  CompileOptions options;
  options.target = "sm_90a";
  const Artifact a = compile(*parse_function(R"(func @f params [%A: global int32[8]] {
    launch [%bx: int32], [8], threads=[32] { barrier grid=true }
    launch [%by: int32], [8], threads=[32] { store %A, [%by], 1 }
  })"),
                             options)
                         .artifact;
  EXPECT_EQ(words(a.variants[0].program.steps), "launch 0 on [8] [1] [1] grid state0\nlaunch 1 on [8] [1] [1] param0");
  EXPECT_TRUE(a.kernels[0].programs_meet);
  EXPECT_FALSE(a.kernels[1].programs_meet);
}

}  // namespace
}  // namespace tl
