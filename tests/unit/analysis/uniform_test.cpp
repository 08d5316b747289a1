#include "analysis/uniform.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Each statement of the launch with its marks: `=` the same for all threads, `*` not; `?` not reached by all.
std::string marks(const std::string& body, const std::string& threads = "32") {
  const auto function = parse_function(
      "func @f params [%A: global float32[64], %n: int32] {\n  launch [%b: int32], [4], lanes=[%tx: int32], threads=[" +
      threads +
      "] {\n    alloc %s: shared float32[64]\n    alloc %v: var int32[1], init=0\n    alloc %l: local float32[8]\n" +
      body + "  }\n}\n");
  const Launch& launch = *function->body[0]->as<Launch>();
  const Uniformity uniformity(launch);
  std::string out;
  visit_ops(launch.body, [&](const Op& op) {
    if (op.kind == OpKind::kAlloc) return;
    out += uniformity.is_uniform(op) ? '=' : '*';
    if (uniformity.in_differing_control(op)) out += '?';
  });
  return out;
}

TEST(Uniform, LanesMakeStatementsDiffer) {
  EXPECT_EQ(marks("store %A, [%b], 1.0\n"), "=");
  EXPECT_EQ(marks("store %A, [%tx], 1.0\n"), "*");
  EXPECT_EQ(marks("store %A, [%tx], 1.0\n", "1"), "=") << "one thread";
}

TEST(Uniform, BindsAndLoopsCarryIt) {
  EXPECT_EQ(marks("bind %x: int32, %tx + 1\nstore %A, [%x], 1.0\n"), "**");
  EXPECT_EQ(marks("for %i: int32, 0, %tx {\nstore %A, [%i], 1.0\n}\n"), "**?");
  EXPECT_EQ(marks("for %i: int32, 0, %n {\nstore %A, [%i], 1.0\n}\n"), "==");
}

TEST(Uniform, PerThreadMemoryDiffersByWhatIsStored) {
  EXPECT_EQ(marks("store %l, [0], 1.0\nstore %A, [0], %l[0]\n"), "==");
  EXPECT_EQ(marks("store %l, [0], %A[%tx]\nstore %A, [0], %l[0]\n"), "**");
  EXPECT_EQ(marks("store %s, [%tx], 1.0\nstore %A, [0], %s[0]\n"), "*=") << "shared memory has one content";
  EXPECT_EQ(marks("if %tx == 0 {\nstore %v, [0], 1\n}\nstore %A, [%v[0]], 1.0\n"), "**?*");
}

TEST(Uniform, LoopsCarryItBack) {
  EXPECT_EQ(marks("for %i: int32, 0, 8 {\nstore %A, [%v[0]], 1.0\nstore %v, [0], %tx\n}\n"), "***");
}

TEST(Uniform, ViewsShareContents) {
  EXPECT_EQ(marks("view %w: local int32[8], %l\nstore %w, [0], %tx\nstore %A, [0], %l[0]\n").back(), '*');
}

TEST(Uniform, JumpsOfSomeThreads) {
  // Behind the break, and in later iterations, only the other threads run.
  EXPECT_EQ(marks("for %i: int32, 0, 8 {\nstore %A, [0], 1.0\nif %tx == %i {\nbreak\n}\nbarrier\n}\nbarrier\n"),
            "*=?*?=?=?=");
}

TEST(Uniform, CollectiveStatementsAreOne) {
  EXPECT_EQ(marks("parallel [%i: int32], [64] {\nstore %s, [%i], 1.0\n}\n"), "==");
  EXPECT_EQ(marks("parallel [%i: int32], [64] {\nstore %s, [%i], cast(float32, %tx)\n}\n"), "**");
  EXPECT_EQ(marks("tile.copy src=%A[0 :+ 64], dst=%s[0 :+ 64]\n"), "=");
  EXPECT_EQ(marks("tile.fill dst=%s[%tx :+ 1], value=0.0\n"), "*");
}

TEST(Uniform, AGroupOfSomeThreadsChangesItsOwnCopies) {
  EXPECT_EQ(marks("group first=0, count=16 {\nstore %l, [0], 1.0\n}\nstore %A, [0], %l[0]\n"), "***");
  EXPECT_EQ(marks("group first=0, count=32 {\nstore %l, [0], 1.0\n}\nstore %A, [0], %l[0]\n"), "===");
}

}  // namespace
}  // namespace tl
