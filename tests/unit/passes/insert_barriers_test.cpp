#include "passes/thread/insert_barriers.h"

#include <gtest/gtest.h>

#include "ir/walk.h"
#include "unit/passes/pass_run.h"

namespace tl {
namespace {

/// A loop over k, %n times, whose threads write and read elements of different threads in versions of a tile.
std::string loop(const std::string& written, const std::string& read, const std::string& around = "") {
  const auto at = [](const std::string& version, const std::string& index) {
    return "[" + version + ", " + index + "]";
  };
  return "func @f symbols [%n: int32] params [%A: global float32[64]] {\n"
         "  launch [%bx: int32], [1], lanes=[%x: int32, %y: int32, %z: int32], threads=[64] {\n"
         "    alloc %s: shared float32[4, 64], hints={\"offset\": 0}\n    " +
         around + " {\n      for %k: int32, 0, %n {\n        store %s, " + at(written, "%x") +
         ", 1.0:float32\n        store %A, [%x], %s" + at(read, "63 - %x") + "\n      }\n    }\n  }\n}\n";
}

int barriers(const std::string& text) {
  const auto run = testing::run_pass(insert_barriers, text);
  int n = 0;
  visit_ops(run.function->body, [&](const Op& op) { n += op.kind == OpKind::kBarrier ? 1 : 0; });
  return n;
}

int barriers(int64_t written, int64_t read, const std::string& around = "if %n > 3") {
  const auto version = [](int64_t ahead) { return "floormod(%k + " + std::to_string(ahead) + ", 4)"; };
  return barriers(loop(version(written), version(read), around));
}

TEST(InsertBarriers, VersionsOfATileMeetAsManyIterationsLater) {
  // Between the write and the read of an iteration; it also comes before the iteration that overwrites what is read.
  EXPECT_EQ(barriers(0, 0), 1);
  // Some later iteration reads what one writes, and the other way round: one barrier an iteration orders both.
  EXPECT_EQ(barriers(1, 0), 1);
  EXPECT_EQ(barriers(2, 0), 1);
  EXPECT_EQ(barriers(3, 0), 1);
  EXPECT_EQ(barriers(2, 6), 1);
}

TEST(InsertBarriers, RowsOfTheLoopVariableAreApart) {
  EXPECT_EQ(barriers(loop("%k", "%k", "if %n > 3")), 1);
  // Of another iteration of the loop around.
  EXPECT_EQ(barriers(loop("%k", "%k", "for %j: int32, 0, %n")), 2);
  // Which row an unknown index names, is unknown.
  EXPECT_EQ(barriers(loop("floormod(%k * 3, 4)", "floormod(%k * 3 + 1, 4)", "if %n > 3")), 2);
}

TEST(InsertBarriers, ALoopThatNeedsNoneInsideGetsOneInFront) {
  const auto run = testing::run_pass(insert_barriers, R"(func @f params [%A: global float32[64]] {
  launch [%bx: int32], [1], lanes=[%x: int32, %y: int32, %z: int32], threads=[64] {
    alloc %s: shared float32[64], hints={"offset": 0}
    alloc %v: var float32[1], init=0.0:float32
    store %s, [%x], %A[%x]
    for %k: int32, 0, 64 {
      store %v, [0], %v[0] + %s[%k]
    }
    store %A, [%x], %v[0]
  }
}
)");
  const auto& body = run.function->body[0]->as<Launch>()->body;
  ASSERT_EQ(body.size(), 6u);
  EXPECT_EQ(body[3]->kind, OpKind::kBarrier);
  EXPECT_EQ(body[4]->as<For>()->body.size(), 1u);
}

TEST(InsertBarriers, AWaitMakesMovesVisibleToTheirThreadOnly) {
  const std::string text = R"(func @f params [%A: global float32[64]] {
  launch [%bx: int32], [1], lanes=[%x: int32, %y: int32, %z: int32], threads=[64] {
    alloc %s: shared float32[64], hints={"offset": 0}
    for %v: int32, 0, 1, loop=vectorized, hints={"async": true, "independent": true} {
      store %s, [%x + %v], %A[%x + %v]
    }
    thread.commit
    barrier
    thread.wait 0
    store %A, [%x], %s[63 - %x]
  }
}
)";
  EXPECT_EQ(barriers(text), 2);
}

}  // namespace
}  // namespace tl
