#include "runtime/host_text.h"

#include <gtest/gtest.h>

#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {
namespace {

TEST(InfixText, NamesSlotsAndKeepsTheOrderOfOperations) {
  const std::vector<std::string> names = {"m", "n"};
  const auto infix = [&](const char* postfix) { return infix_text(*IntProgram::parse(postfix), names); };
  EXPECT_EQ(infix("$0 127 + 128 //"), "(m + 127) // 128");
  EXPECT_EQ(infix("$0 $1 min -3 *"), "min(m, n) * -3");
  EXPECT_EQ(infix("$0 0 > $1 not and"), "(m > 0) and (not n)");
  EXPECT_EQ(infix("$0 neg i32 u8 abs"), "abs(uint8(int32(-m)))");
  EXPECT_EQ(infix("$0 1 $1 2 - select"), "m ? 1 : (n - 2)");
  EXPECT_EQ(infix("$2"), "$2");
}

TEST(HostText, TellsHowACallRuns) {
  Artifact a = empty_artifact();
  a.signature.slot_names = {"m", "i"};
  a.signature.params = {tensor("A", DType::f32(), {dim(slot(0), "m"), dim(8)}),
                        tensor("C", DType::f32(), {dim(4)}, true), scalar("s", DType::i32())};
  a.signature.bindings = {bind_extent(0, 0, 0)};
  a.kernels = {{"k_kernel", {128, 1, 1}, 0}};
  a.messages = {{Message::Kind::kAssert, "no rows", {}, "", 0, 0, 0}};
  LaunchStep launch;
  launch.grid[0] = *IntProgram::parse("$0 127 + 128 //");
  launch.args = {{KernelArg::Kind::kParam, 0}, {KernelArg::Kind::kSlot, 1}, {KernelArg::Kind::kWorkspace, 0}};
  a.variants[0].program.workspaces = {number(64)};
  a.variants[0].program.steps = {AssertStep{slot(0), 0}, LoopStep{1, number(0), slot(0), number(2), {launch}},
                                 IfStep{slot(0), {LetStep{1, number(3)}}, {launch}}};
  EXPECT_EQ(host_text(a),
            "input A: float32 (m, 8)\n"
            "output C: float32 (4)\n"
            "scalar s: int32\n"
            "let m = A.shape[0]\n"
            "variant \"general\" if 1:\n"
            "  workspace 0: 64 bytes\n"
            "  assert m: no rows\n"
            "  for i in 0 .. m by 2:\n"
            "    launch k_kernel<<<((m + 127) // 128, 1, 1), (128, 1, 1)>>>(A, i, workspace 0)\n"
            "  if m:\n"
            "    i = 3\n"
            "  else:\n"
            "    launch k_kernel<<<((m + 127) // 128, 1, 1), (128, 1, 1)>>>(A, i, workspace 0)\n");
}

}  // namespace
}  // namespace tl::testing
