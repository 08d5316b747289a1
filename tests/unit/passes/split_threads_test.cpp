#include "unit/passes/thread_code.h"

namespace tl {
namespace {

using testing::expect_split;
using testing::normal;
using testing::run_pass;
using testing::thread_program;

TEST(SplitThreads, LaunchesWithoutThreadCodeLoseTheirBarriersOnly) {
  const auto run = run_pass(split_threads, thread_program("[8, 1, 1]", R"(
    alloc %v: var int32[1], init=0
    while %v[0] < %n {
      store %v, [0], %v[0] + 1
      barrier
      parallel [%i: int32], [8] {
        store %A, [%i], %v[0]
      }
    })"));
  EXPECT_EQ(run.text(), normal(thread_program("[8, 1, 1]", R"(
    alloc %v: var int32[1], init=0
    while %v[0] < %n {
      store %v, [0], %v[0] + 1
      parallel [%i: int32], [8] {
        store %A, [%i], %v[0]
      }
    })")));
}

TEST(SplitThreads, ReductionByHand) {
  expect_split(R"(
    alloc %S: shared int32[8]
    alloc %s: var int32[1]
    store %S, [%tx], %A[%bx * 8 + %tx]
    barrier
    store %s, [0], 4
    while %s[0] > 0 {
      if %tx < %s[0] {
        store %S, [%tx], %S[%tx] + %S[%tx + %s[0]]
      }
      barrier
      store %s, [0], floordiv(%s[0], 2)
    }
    if %tx == 0 {
      store %B, [%bx], %S[0]
    })",
               R"(
    alloc %S: shared int32[8]
    alloc %s: var int32[1]
    for %tx: int32, 0, 8 {
      store %S, [%tx], %A[%bx * 8 + %tx]
    }
    store %s, [0], 4
    while %s[0] > 0 {
      for %tx_1: int32, 0, 8 {
        if %tx_1 < %s[0] {
          store %S, [%tx_1], %S[%tx_1] + %S[%tx_1 + %s[0]]
        }
      }
      store %s, [0], floordiv(%s[0], 2)
    }
    for %tx_2: int32, 0, 8 {
      if %tx_2 == 0 {
        store %B, [%bx], %S[0]
      }
    })");
}

TEST(SplitThreads, PrivateBuffersStayInTheLoop) {
  expect_split(R"(
    alloc %a: local int32[4]
    alloc %s: var int32[1], init=0
    view %w: local int32[2, 2], %a
    for %k: int32, 0, 4 {
      store %a, [%k], %A[%tx * 4 + %k]
      store %s, [0], %s[0] + %w[floordiv(%k, 2), floormod(%k, 2)]
    }
    store %B, [%tx], %s[0])",
               R"(
    for %tx: int32, 0, 8 {
      alloc %a: local int32[4]
      view %w: local int32[2, 2], %a
      alloc %s: var int32[1], init=0
      for %k: int32, 0, 4 {
        store %a, [%k], %A[%tx * 4 + %k]
        store %s, [0], %s[0] + %w[floordiv(%k, 2), floormod(%k, 2)]
      }
      store %B, [%tx], %s[0]
    })");
}

TEST(SplitThreads, BuffersThatLiveAcrossGetOneEntryAThread) {
  expect_split(R"(
    alloc %a: local int32[4]
    view %w: local int32[2, 2], %a
    alloc %s: var int32[1], init=7
    for %k: int32, 0, 4 {
      store %a, [%k], %A[%tx * 4 + %k]
    }
    barrier
    store %s, [0], %s[0] + %w[1, 0] + %tx
    barrier
    store %B, [%tx], %s[0])",
               R"(
    alloc %a: shared int32[8, 4]
    view %w: shared int32[8, 2, 2], %a
    alloc %s: shared int32[8, 1]
    for %tx: int32, 0, 8 {
      store %s, [%tx, 0], 7
    }
    for %tx_1: int32, 0, 8 {
      for %k: int32, 0, 4 {
        store %a, [%tx_1, %k], %A[%tx_1 * 4 + %k]
      }
    }
    for %tx_2: int32, 0, 8 {
      store %s, [%tx_2, 0], %s[%tx_2, 0] + %w[%tx_2, 1, 0] + %tx_2
    }
    for %tx_3: int32, 0, 8 {
      store %B, [%tx_3], %s[%tx_3, 0]
    })");
}

TEST(SplitThreads, BuffersThatLiveAcrossIterationsAreNotPrivate) {
  expect_split(R"(
    alloc %s: var int32[1], init=0
    for %k: int32, 0, 4 {
      store %s, [0], %s[0] + %A[%tx]
      store %B, [%tx], %s[0]
      parallel [%i: int32], [8] {
        store %A, [%i], %B[%i]
      }
    })",
               R"(
    alloc %s: shared int32[8, 1]
    for %tx: int32, 0, 8 {
      store %s, [%tx, 0], 0
    }
    for %k: int32, 0, 4 {
      for %tx_1: int32, 0, 8 {
        store %s, [%tx_1, 0], %s[%tx_1, 0] + %A[%tx_1]
        store %B, [%tx_1], %s[%tx_1, 0]
      }
      parallel [%i: int32], [8] {
        store %A, [%i], %B[%i]
      }
    })");
}

TEST(SplitThreads, SameForAllYetStoredPerThread) {
  // s is counted inside the threads' loop, and decides a loop around a barrier: thread 0's copy stands for all.
  expect_split(R"(
    alloc %s: var int32[1], init=0
    alloc %S: shared int32[8]
    while %s[0] < 9 {
      for %k: int32, 0, 3 {
        store %s, [0], %s[0] + 1
        store %B, [%tx * 8 + %k], %s[0]
      }
      barrier
      store %S, [%tx], %s[0]
      parallel [%i: int32], [8] {
        store %A, [%i], %S[%i] + %s[0]
      }
    })",
               R"(
    alloc %s: shared int32[8, 1]
    for %tx: int32, 0, 8 {
      store %s, [%tx, 0], 0
    }
    alloc %S: shared int32[8]
    while %s[0, 0] < 9 {
      for %tx_1: int32, 0, 8 {
        for %k: int32, 0, 3 {
          store %s, [%tx_1, 0], %s[%tx_1, 0] + 1
          store %B, [%tx_1 * 8 + %k], %s[%tx_1, 0]
        }
      }
      for %tx_2: int32, 0, 8 {
        store %S, [%tx_2], %s[%tx_2, 0]
      }
      parallel [%i: int32], [8] {
        store %A, [%i], %S[%i] + %s[0, 0]
      }
    })");
}

TEST(SplitThreads, CutsWhereThreadsMeetInMemory) {
  expect_split(R"(
    alloc %S: shared int32[16]
    store %S, [%tx], %tx
    store %B, [%tx], %S[%tx]
    store %B, [%tx + 8], %S[7 - %tx]
    for %k: int32, 0, 2 {
      store %S, [%tx * 2 + %k], %k
    }
    for %k_1: int32, 0, 8 {
      store %S, [%tx + %k_1], %S[%tx]
    })",
               R"(
    alloc %S: shared int32[16]
    for %tx: int32, 0, 8 {
      store %S, [%tx], %tx
      store %B, [%tx], %S[%tx]
    }
    for %tx_1: int32, 0, 8 {
      store %B, [%tx_1 + 8], %S[7 - %tx_1]
    }
    for %tx_2: int32, 0, 8 {
      for %k: int32, 0, 2 {
        store %S, [%tx_2 * 2 + %k], %k
      }
    }
    for %k_1: int32, 0, 8 {
      for %tx_3: int32, 0, 8 {
        store %S, [%tx_3 + %k_1], %S[%tx_3]
      }
    })");
}

TEST(SplitThreads, UniformStatementsRunOnce) {
  expect_split(R"(
    alloc %S: shared int32[8]
    bind %i: int32, %bx * 8 + %tx
    bind %c: int32, %B[0] + %n
    store %A, [%i], %c
    store %B, [1], %n
    for %k: int32, 0, 8 {
      store %S, [%k], %n
    }
    store %A, [%i], %S[%tx])",
               R"(
    alloc %S: shared int32[8]
    bind %c: int32, %B[0] + %n
    for %tx: int32, 0, 8 {
      bind %i: int32, %bx * 8 + %tx
      store %A, [%i], %c
    }
    store %B, [1], %n
    for %k: int32, 0, 8 {
      store %S, [%k], %n
    }
    for %tx_1: int32, 0, 8 {
      bind %i_1: int32, %bx * 8 + %tx_1
      store %A, [%i_1], %S[%tx_1]
    })");
}

TEST(SplitThreads, ValuesAcrossCutsAreKeptOrComputedAgain) {
  expect_split(R"(
    alloc %S: shared int32[8]
    bind %i: int32, %bx * 8 + %tx
    bind %j: int32, %i + 1
    bind %x: int32, %A[%j]
    bind %y: int32, %x * 2
    store %S, [%tx], %x
    barrier
    if %n > 3 {
      store %B, [%j], %S[7 - %tx] + %y
    })",
               R"(
    alloc %S: shared int32[8]
    alloc %x: shared int32[8]
    for %tx: int32, 0, 8 {
      bind %i: int32, %bx * 8 + %tx
      bind %j: int32, %i + 1
      bind %x_1: int32, %A[%j]
      store %x, [%tx], %x_1
      bind %y: int32, %x_1 * 2
      store %S, [%tx], %x_1
    }
    for %tx_1: int32, 0, 8 {
      bind %i_1: int32, %bx * 8 + %tx_1
      bind %j_1: int32, %i_1 + 1
      bind %x_2: int32, %x[%tx_1]
      bind %y_1: int32, %x_2 * 2
      if %n > 3 {
        store %B, [%j_1], %S[7 - %tx_1] + %y_1
      }
    })");
}

}  // namespace
}  // namespace tl
