// Code of single threads: what runs once a thread and what once a block, divergence, barriers, groups.
#include <gtest/gtest.h>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

TEST(Threads, IndicesInThreeDimensions) {
  Array c = ints(std::vector<double>(24));
  const RunReport report = run(R"(func @f params [%C: global int32[24]] {
    launch [%b: int32], [1], lanes=[%x: int32, %y: int32, %z: int32], threads=[4, 3, 2] {
      bind %linear: int32, %x + 4 * (%y + 3 * %z)
      store %C, [%linear], 100 * %x + 10 * %y + %z
    } })",
                               {c.arg()});
  EXPECT_EQ(summary(report), "");
  for (int i = 0; i < 24; ++i) EXPECT_EQ(c.at(i).as_int(), 100 * (i % 4) + 10 * (i / 4 % 3) + i / 12);
}

TEST(Threads, DivergentLoopsAndBranchesRunUntilAllAreDone) {
  Array c = ints(std::vector<double>(64));
  const RunReport report = run(R"(func @f params [%C: global int32[64]] {
    launch [%b: int32], [1], lanes=[%t: int32], threads=[64] {
      alloc %n: var int32[1], init=0
      alloc %a: local int32[4]
      tile.fill dst=%a[0 :+ 4], value=1
      for %i: int32, 0, 100 {
        if %i == %t { break }
        if floormod(%i, 2) == 1 { continue }
        store %n, [0], %n[0] + %i
      }
      while %a[0] < %t { store %a, [0], %a[0] * 3 }
      if %t < 32 { store %C, [%t], %n[0] * 1000 + %a[0] } else { store %C, [%t], %a[3] }
    } })",
                               {c.arg()});
  EXPECT_EQ(summary(report), "");
  for (int t = 0; t < 64; ++t) {
    int n = 0, a = 1;
    for (int i = 0; i < t; i += 2) n += i;
    while (a < t) a *= 3;
    ASSERT_EQ(c.at(t).as_int(), t < 32 ? n * 1000 + a : 1) << t;
  }
}

TEST(Threads, TileOpsOnMemoryOfThreads) {
  Array a(DType::f32(), {8, 4}, [](int64_t i) { return static_cast<double>(i); }), c = floats(std::vector<double>(8));
  const RunReport report = run(R"(func @f params [%A: global float32[8, 4], %C: global float32[8]] {
    launch [%b: int32], [1], lanes=[%t: int32], threads=[8] {
      alloc %row: local float32[1, 4]
      alloc %sum: local float32[1]
      if %t != 3 {
        tile.copy src=%A[%t :+ 1, 0 :+ 4], dst=%row[0 :+ 1, 0 :+ 4]
        tile.reduce sum, src=%row[0 :+ 1, 0 :+ 4], dst=%sum[0 :+ 1], 1
        store %C, [%t], %sum[0]
      }
    } })",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  for (int t = 0; t < 8; ++t) EXPECT_EQ(c.at(t).as_float(), t == 3 ? 0 : 16 * t + 6);
}

/// Thread t writes element t and reads its mirror image; `between` stands in the middle.
std::string mirror(const std::string& between) {
  return R"(func @f params [%C: global int32[32]] {
    launch [%b: int32], [1], lanes=[%t: int32], threads=[32] {
      alloc %s: shared int32[32] @"k.py":3
      store %s, [%t], %t * 5 @"k.py":4
      )" +
         between + R"(
      store %C, [%t], %s[31 - %t] @"k.py":6
    } })";
}

TEST(Threads, StatementsAtUniformControlAreOrdered) {
  for (const char* between : {"barrier", ""}) {
    Array c = ints(std::vector<double>(32));
    EXPECT_EQ(summary(run(mirror(between), {c.arg()})), "");
    for (int t = 0; t < 32; ++t) EXPECT_EQ(c.at(t).as_int(), 5 * (31 - t));
  }
}

TEST(Threads, TileOperationsOrderThemToo) {
  Array c = ints(std::vector<double>(32));
  const std::string text = mirror("tile.copy src=%s[0 :+ 32], dst=%C[0 :+ 32]");
  EXPECT_EQ(summary(run(text, {c.arg()})), "");
}

std::string findings_of(const std::string& body, const std::string& threads = "64") {
  Array c = ints(std::vector<double>(64));
  return summary(run("func @f params [%C: global int32[64]] { launch [%b: int32], [1], lanes=[%t: int32], threads=[" +
                         threads + "] { alloc %s: shared int32[64] @\"k.py\":1 " + body + " } }",
                     {c.arg()}));
}

TEST(Threads, RacesInOneStatement) {
  EXPECT_EQ(findings_of("if %t == 5 { store %s, [0], 1 }"), "");
  EXPECT_EQ(findings_of("store %s, [floordiv(%t, 2)], 1 @\"k.py\":2"),
            "TL123 at 2: thread 0 and thread 1 both write `s[0]`; note: the other write at 2; note: `s` is declared "
            "here at 1 x32");
  EXPECT_EQ(findings_of("if %t < 7 { store %s, [3], 1 @\"k.py\":2 }"),
            "TL123 at 2: thread 0 and thread 1 both write `s[3]`; note: the other write at 2; note: `s` is declared "
            "here at 1 x6");
}

TEST(Threads, VariablesOfThreadsDoNotRace) {
  // All threads keep `v` alike, so it is held once; each still reads and writes its own.
  EXPECT_EQ(findings_of("alloc %v: var int32[1], init=3 while %v[0] > 0 { if %t < %v[0] { store %C, [%t], %v[0] } "
                        "store %v, [0], %v[0] - 1 }"),
            "");
}

TEST(Threads, UniformStatementsRunOnce) { EXPECT_EQ(findings_of("store %s, [0], 1 store %C, [%t], %s[0]"), ""); }

TEST(Threads, StatementsInsideADivergentBranchAreNot) {
  EXPECT_EQ(findings_of("if %t < 30 { store %s, [%t], 1 store %C, [%t], %s[%t] }"), "");
  EXPECT_EQ(
      findings_of("if %t < 30 { store %s, [%t], 1 @\"k.py\":2 store %C, [%t], %s[29 - %t] @\"k.py\":3 }"),
      "TL123 at 3: thread 0 reads `s[29]`, which thread 29 writes; note: the other write at 2; note: `s` is declared "
      "here at 1 x30");
}

TEST(Threads, CollectiveStatementsMustBeReachedByAll) {
  EXPECT_EQ(findings_of("if %t < 64 { barrier }"), "");
  EXPECT_EQ(findings_of("if %t < 32 { barrier @\"k.py\":2 }"), "TL76 at 2: a barrier is reached by 32 of 64 threads");
  EXPECT_EQ(findings_of("if %t < 32 { barrier id=1, count=32 }"), "");
  EXPECT_EQ(findings_of("if %t < 33 { barrier id=1, count=32 @\"k.py\":2 }"),
            "TL76 at 2: a barrier of 32 threads is reached by 33");
  EXPECT_EQ(findings_of("if %t < 32 { tile.fill dst=%s[0 :+ 64], value=0 @\"k.py\":2 }"),
            "TL76 at 2: a fill is reached by 32 of 64 threads");
  EXPECT_EQ(findings_of("if %t < 1 { parallel [%i: int32], [4] @\"k.py\":2 { store %s, [%i], 0 } }"),
            "TL76 at 2: a parallel loop is reached by 1 of 64 threads");
  EXPECT_EQ(code_of([&] { findings_of("tile.fill dst=%s[%t :+ 1], value=0"); }), 76);
  EXPECT_EQ(code_of([&] { findings_of("parallel [%i: int32], [4] { store %s, [%i], %t }"); }), 64);
}

TEST(Threads, GroupsOrderThemselves) {
  const std::string one = "group first=0, count=32 { parallel [%i: int32], [32] { store %s, [%i], 1 @\"k.py\":2 } ";
  const std::string two =
      "} group first=32, count=32 { parallel [%j: int32], [32] { store %s, [%j + 16], 2 @\"k.py\":3 } }";
  const std::string apart = "} group first=32, count=32 { parallel [%j: int32], [32] { store %s, [%j + 32], 2 } }";
  EXPECT_EQ(findings_of(one + apart), "");
  EXPECT_EQ(findings_of(one + two),
            "TL123 at 3: an iteration of the group of threads 0 to 31 and iteration 0 both write `s[16]`; note: the "
            "other write at 2; note: `s` "
            "is declared here at 1 x16");
  EXPECT_EQ(
      findings_of(one + "} barrier group first=32, count=32 { parallel [%j: int32], [32] { store %s, [%j + 16], 2 } }"),
      "");
  EXPECT_EQ(code_of([&] { findings_of(one + "barrier id=1, count=64 }"); }), 90);
}

TEST(Async, WaitComesFirst) {
  const std::string start = "async.copy %k: int64, src=%C[0 :+ 64], dst=%s[0 :+ 64] @\"k.py\":2 ";
  const std::string use = "parallel [%i: int32], [64] { store %C, [%i], %s[%i] + 1 @\"k.py\":4 }";
  EXPECT_EQ(findings_of(start + "wait [%k] " + use, "1"), "");
  EXPECT_EQ(findings_of(start + use + " wait [%k]", "1"),
            "TL121 at 4: iteration 0 reads `s[0]`, which the asynchronous copy writes; note: the other write at 2; "
            "note: `s` is declared here at 1 x64\n"
            "TL123 at 4: iteration 0 writes `C[0]`, which the asynchronous copy reads; note: the other read at 2 x64");
  EXPECT_EQ(findings_of("for %n: int32, 0, 3 { " + start + "wait [%k] " + use + "}", "1"), "");
}

}  // namespace
}  // namespace tl
