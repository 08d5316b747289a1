#include "passes/lower/serialize_groups.h"
#include "passes/lower/serialize_pipelines.h"
#include "unit/passes/pass_run.h"

namespace tl {
namespace {

using testing::normal;
using testing::run_pass;

TEST(SerializePipelines, LoopsBecomeSerialAndCopiesSynchronous) {
  const auto run =
      run_pass(serialize_pipelines, R"(func @f params [%A: global float32[4, 8], %B: global float32[4, 8]] {
  launch [%bx: int32], [1], threads=[32] {
    alloc %s: shared float32[1, 8]
    for %k: int32, 0, 4, loop=pipelined, stages=2, order=[0, 1, 2], stage=[0, 1, 1] {
      async.copy %t: int32, src=%A[%k :+ 1, 0 :+ 8], dst=%s[0 :+ 1, 0 :+ 8], pad=1.0:float32 slot(tma, 0, 0)
      bind %u: int32, %t
      wait [%u]
      tile.copy src=%s[0 :+ 1, 0 :+ 8], dst=%B[%k :+ 1, 0 :+ 8] slot(threads, 1, 1)
    }
  }
}
)");
  EXPECT_EQ(run.text(), normal(R"(func @f params [%A: global float32[4, 8], %B: global float32[4, 8]] {
  launch [%bx: int32], [1], threads=[32] {
    alloc %s: shared float32[1, 8]
    for %k: int32, 0, 4 {
      tile.copy src=%A[%k :+ 1, 0 :+ 8], dst=%s[0 :+ 1, 0 :+ 8], pad=1.0:float32
      tile.copy src=%s[0 :+ 1, 0 :+ 8], dst=%B[%k :+ 1, 0 :+ 8]
    }
  }
}
)"));
}

TEST(SerializePipelines, OtherLoopsStay) {
  const std::string text = R"(func @f params [%A: global int32[8]] {
  for %i: int32, 0, 8, loop=unrolled {
    store %A, [%i], %i
  }
}
)";
  EXPECT_EQ(run_pass(serialize_pipelines, text).text(), text);
}

std::string groups(const std::string& body) {
  return "func @f params [%A: global float32[8], %B: global float32[8]] {\n"
         "  launch [%bx: int32], [1], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[256, 1, 1] {\n"
         "    alloc %s: shared float32[8]\n" +
         body + "  }\n}\n";
}

TEST(SerializeGroups, BodiesFollowEachOther) {
  const auto run = run_pass(serialize_groups, groups(R"(
    group first=0, count=128 {
      tile.fill dst=%A[0 :+ 8], value=0.0:float32
    }
    group first=128, count=128 {
      alloc %v: var float32[1]
      store %v, [0], 1.0:float32
      tile.fill dst=%B[0 :+ 8], value=%v[0]
    })"));
  EXPECT_EQ(run.text(), normal(groups(R"(
    tile.fill dst=%A[0 :+ 8], value=0.0:float32
    alloc %v: var float32[1]
    store %v, [0], 1.0:float32
    tile.fill dst=%B[0 :+ 8], value=%v[0])")));
}

TEST(SerializeGroups, CommonBarriersOrderTheParts) {
  const auto run = run_pass(serialize_groups, groups(R"(
    group first=0, count=128 {
      barrier id=1, count=256
      tile.copy src=%s[0 :+ 8], dst=%B[0 :+ 8]
      barrier id=2, count=256
    }
    group first=128, count=128 {
      tile.copy src=%A[0 :+ 8], dst=%s[0 :+ 8]
      barrier id=1, count=256
      barrier id=2, count=256
      tile.fill dst=%s[0 :+ 8], value=0.0:float32
    })"));
  EXPECT_EQ(run.text(), normal(groups(R"(
    tile.copy src=%A[0 :+ 8], dst=%s[0 :+ 8]
    tile.copy src=%s[0 :+ 8], dst=%B[0 :+ 8]
    tile.fill dst=%s[0 :+ 8], value=0.0:float32)")));
}

TEST(SerializeGroups, CodeOnThreadIndicesKeepsItsThreads) {
  const std::string text = groups(R"(
    group first=0, count=8 {
      store %A, [%tx], 1.0:float32
    })");
  EXPECT_EQ(run_pass(serialize_groups, text).text(), normal(text));
  const auto cut = run_pass(serialize_groups, groups(R"(
    group first=0, count=128 {
      alloc %v: local float32[1]
      store %v, [0], cast(float32, %tx)
      barrier id=1, count=256
      store %A, [%tx], %v[0]
    }
    group first=128, count=128 {
      tile.fill dst=%A[0 :+ 8], value=0.0:float32
      barrier id=1, count=256
    })"));
  EXPECT_EQ(cut.text(), normal(groups(R"(
    alloc %v: local float32[1]
    group first=0, count=128 {
      store %v, [0], cast(float32, %tx)
    }
    tile.fill dst=%A[0 :+ 8], value=0.0:float32
    group first=0, count=128 {
      store %A, [%tx], %v[0]
    })")));
}

TEST(SerializeGroups, RefusesWhatNeverMeetsOrMeetsInLoops) {
  EXPECT_EQ(run_pass(serialize_groups, groups("group first=0, count=128 {\nbarrier id=1, count=256\n}")).codes(), "76");
  EXPECT_EQ(run_pass(serialize_groups, groups(R"(
    group first=0, count=128 {
      for %i: int32, 0, 4 {
        barrier id=1, count=256
      }
    })"))
                .codes(),
            "90");
  EXPECT_EQ(run_pass(serialize_groups, groups(R"(
    group first=0, count=128 {
      bind %x: float32, %A[%tx]
      barrier id=1, count=256
      store %B, [%tx], %x
    }
    group first=128, count=128 {
      barrier id=1, count=256
    })"))
                .codes(),
            "90");
}

}  // namespace
}  // namespace tl
