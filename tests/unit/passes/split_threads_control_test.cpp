// Control flow, groups and several dimensions of threads.
#include "unit/passes/thread_code.h"

namespace tl {
namespace {

using testing::expect_split;
using testing::split_errors;

TEST(SplitThreadsControl, JumpsOfAllThreadsStayOutside) {
  expect_split(R"(
    for %k: int32, 0, %n {
      if %A[%k] < 0 {
        store %B, [%tx], %k
        break
      }
      barrier
      store %A, [%tx + %k], %k
    })",
               R"(
    for %k: int32, 0, %n {
      if %A[%k] < 0 {
        for %tx: int32, 0, 8 {
          store %B, [%tx], %k
        }
        break
      }
      for %tx_1: int32, 0, 8 {
        store %A, [%tx_1 + %k], %k
      }
    })");
}

TEST(SplitThreadsControl, LoopsOfSingleThreadsStayInside) {
  const std::string loop = R"(
      alloc %v: var int32[1]
      store %v, [0], %tx
      while %v[0] > 0 {
        if %A[%v[0]] == 3 {
          break
        }
        store %v, [0], %v[0] - 1
      }
      store %B, [%tx], %v[0])";
  expect_split(loop, "for %tx: int32, 0, 8 {" + loop + "\n}");
}

TEST(SplitThreadsControl, ThreadsOfSeveralDimensions) {
  expect_split(R"(
    alloc %v: local int32[2]
    store %v, [1], %A[%tx + %ty * 4 + %tz * 12]
    barrier
    store %B, [%tx * %ty + %tz], %v[1])",
               R"(
    alloc %v: shared int32[24, 2]
    for %tz: int32, 0, 2 {
      for %ty: int32, 0, 3 {
        for %tx: int32, 0, 4 {
          store %v, [(%tz * 3 + %ty) * 4 + %tx, 1], %A[%tx + %ty * 4 + %tz * 12]
        }
      }
    }
    for %tz_1: int32, 0, 2 {
      for %ty_1: int32, 0, 3 {
        for %tx_1: int32, 0, 4 {
          store %B, [%tx_1 * %ty_1 + %tz_1], %v[(%tz_1 * 3 + %ty_1) * 4 + %tx_1, 1]
        }
      }
    })",
               "[4, 3, 2]");
}

TEST(SplitThreadsControl, OperationsOnAThreadsOwnTile) {
  expect_split(R"(
    alloc %v: local int32[4]
    alloc %m: var int32[1]
    tile.copy src=%A[%tx * 4 :+ 4], dst=%v[0 :+ 4]
    tile.reduce max, src=%v[0 :+ 4], dst=%m[0 :+ 1], 0
    barrier
    tile.copy src=%v[0 :+ 4], dst=%B[%tx * 4 :+ 4]
    store %B, [%tx], %m[0])",
               R"(
    alloc %v: shared int32[8, 4]
    alloc %m: shared int32[8, 1]
    for %tx: int32, 0, 8 {
      tile.copy src=%A[%tx * 4 :+ 4], dst=%v[%tx :+ 1, 0 :+ 4]
      tile.reduce max, src=%v[%tx :+ 1, 0 :+ 4], dst=%m[%tx :+ 1, 0 :+ 1], 1
    }
    for %tx_1: int32, 0, 8 {
      tile.copy src=%v[%tx_1 :+ 1, 0 :+ 4], dst=%B[%tx_1 * 4 :+ 4]
    }
    for %tx_2: int32, 0, 8 {
      store %B, [%tx_2], %m[%tx_2, 0]
    })");
}

TEST(SplitThreadsControl, GroupsRunTheirThreadsOnly) {
  expect_split(R"(
    alloc %v: var int32[1], init=0
    group first=2, count=4 {
      store %v, [0], 1
      store %A, [%tx], 5
    }
    store %B, [%tx], %v[0])",
               R"(
    alloc %v: shared int32[8, 1]
    for %tx: int32, 0, 8 {
      store %v, [%tx, 0], 0
    }
    for %tx_1: int32, 2, 6 {
      store %v, [%tx_1, 0], 1
      store %A, [%tx_1], 5
    }
    for %tx_2: int32, 0, 8 {
      store %B, [%tx_2], %v[%tx_2, 0]
    })");
}

TEST(SplitThreadsControl, AGroupsFirstThreadStandsForAllOfIt) {
  expect_split(R"(
    group first=2, count=4 {
      alloc %s: var int32[1], init=0
      while %s[0] < 6 {
        for %k: int32, 0, 2 {
          store %s, [0], %s[0] + 1
          store %B, [%tx], %s[0]
        }
        barrier
      }
    })",
               R"(
    alloc %s: shared int32[8, 1]
    for %tx: int32, 2, 6 {
      store %s, [%tx, 0], 0
    }
    while %s[2, 0] < 6 {
      for %tx_1: int32, 2, 6 {
        for %k: int32, 0, 2 {
          store %s, [%tx_1, 0], %s[%tx_1, 0] + 1
          store %B, [%tx_1], %s[%tx_1, 0]
        }
      }
    })");
}

TEST(SplitThreadsControl, GroupsInABoxOfThreads) {
  expect_split("group first=3, count=2 {\nstore %B, [%tx + %ty], %tx\n}",
               R"(
    for %ty: int32, 0, 2 {
      for %tx: int32, 0, 4 {
        if %ty * 4 + %tx >= 3 && %ty * 4 + %tx < 5 {
          store %B, [%tx + %ty], %tx
        }
      }
    })",
               "[4, 2, 1]");
}

TEST(SplitThreadsControl, RefusesWhatCannotBeCut) {
  EXPECT_EQ(split_errors("if %tx < 3 {\nbarrier\n}"), "76");
  EXPECT_EQ(split_errors("if %tx < 3 {\nbarrier id=1, count=3\n}"), "90");
  EXPECT_EQ(split_errors("tile.copy src=%A[%tx :+ 1], dst=%B[0 :+ 1]"), "78");
  EXPECT_EQ(split_errors("for %k: int32, 0, %tx {\nparallel [%i: int32], [8] {\nstore %A, [%i], %i\n}\n}"), "76");
  // The variable is scratch of the loop's points and of each thread at once.
  EXPECT_EQ(
      split_errors("alloc %v: var int32[1]\nparallel [%i: int32], [8] {\nstore %v, [0], %i\nstore %A, [%i], %v[0]\n}\n"
                   "store %v, [0], %tx\nbarrier\nstore %B, [%tx], %v[0]"),
      "90");
}

}  // namespace
}  // namespace tl
