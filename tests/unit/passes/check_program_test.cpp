#include "passes/tile/check_program.h"

#include "unit/passes/pass_run.h"

namespace tl {
namespace {

using testing::run_pass;

/// The diagnostics for a launch of 128 threads with `body`.
testing::PassRun check(const std::string& body) {
  return run_pass(check_program, R"(func @f params [%A: global float32[128], %B: global float32[128], %n: int32] {
  launch [%bx: int32], [4], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[128, 1, 1] {
    alloc %S: shared float32[64]
    tile.fill dst=%S[0 :+ 64], value=0.0:float32
)" + body + "\n  }\n}\n");
}

TEST(CheckProgram, ChangesNothing) {
  const std::string text = R"(func @f params [%A: global int32[16]] {
  launch [%bx: int32], [1], threads=[32] {
    parallel [%i: int32], [16] {
      store %A, [0], %i
    }
  }
}
)";
  const auto run = run_pass(check_program, text);
  EXPECT_EQ(run.text(), text);
  EXPECT_EQ(run.codes(), "122");
  EXPECT_EQ(run.diagnostics.all()[0].message,
            "iterations of T.Parallel that differ only in `i` all write the same element of `A`, in no order");
}

TEST(CheckProgram, CollectivesReachedBySomeThreads) {
  EXPECT_EQ(check("if %tx < 3 {\nbarrier\n}").codes(), "76");
  EXPECT_EQ(check("if %n < 3 {\nbarrier\n}").codes(), "");
  EXPECT_EQ(check("if %ty < 1 {\nbarrier\n}").codes(), "") << "one value of ty only";
  EXPECT_EQ(check("for %i: int32, 0, %tx {\nbarrier\n}").codes(), "76");
  EXPECT_EQ(check("if %A[%tx] < 3.0:float32 {\nparallel [%i: int32], [8] {\nstore %B, [%i], 1.0:float32\n}\n}").codes(),
            "76");
  EXPECT_EQ(check("if %tx < 3 {\ntile.fill dst=%S[0 :+ 64], value=1.0:float32\n}").codes(), "76");
  EXPECT_EQ(check("for %i: int32, 0, 4 {\nbarrier\nif %tx < 3 {\nbreak\n}\n}").codes(), "76");
  EXPECT_EQ(
      check(
          "alloc %v: var int32[1], init=0\nstore %v, [0], %tx\nwhile %v[0] < 9 {\nstore %v, [0], %v[0] + 1\nbarrier\n}")
          .codes(),
      "76");
  EXPECT_EQ(check("if %tx < 64 {\nbarrier id=1, count=64\n}").codes(), "") << "a barrier of just these threads";
}

TEST(CheckProgram, CollectivesThatDifferBetweenThreads) {
  EXPECT_EQ(check("tile.copy src=%A[%tx :+ 1], dst=%S[0 :+ 1]").codes(), "78");
  EXPECT_EQ(check("parallel [%i: int32], [8] {\nstore %B, [%i + %tx], 1.0:float32\n}").codes(), "78");
  EXPECT_EQ(
      check("alloc %v: var float32[1]\nstore %v, [0], %A[%tx]\nparallel [%i: int32], [8] {\nstore %B, [%i], %v[0]\n}")
          .codes(),
      "78");
  EXPECT_EQ(
      check("alloc %v: var float32[1]\nstore %v, [0], %A[0]\nparallel [%i: int32], [8] {\nstore %B, [%i], %v[0]\n}")
          .codes(),
      "");
  EXPECT_EQ(
      check("alloc %v: local float32[4]\ntile.copy src=%A[%tx :+ 4], dst=%v[0 :+ 4]\nstore %B, [%tx], %v[3]").codes(),
      "")
      << "every thread copies for itself";
  EXPECT_EQ(
      check("alloc %v: var float32[1]\nparallel [%i: int32], [8] {\nstore %v, [0], %A[%i]\nstore %B, [%i], %v[0]\n}")
          .codes(),
      "")
      << "a variable as scratch of one iteration";
}

TEST(CheckProgram, IndicesThatCertainlyLeaveABuffer) {
  EXPECT_EQ(check("for %i: int32, 0, 64 {\nstore %S, [%i + 1], 0.0:float32\n}").codes(), "21");
  EXPECT_EQ(check("for %i: int32, 0, 64 {\nstore %S, [%i], 0.0:float32\n}").codes(), "");
  EXPECT_EQ(check("for %i: int32, 63, -2, step=-1 {\nstore %S, [%i], 0.0:float32\n}").codes(), "21");
  EXPECT_EQ(check("for %i: int32, 0, 65, step=2 {\nstore %S, [%i], 0.0:float32\n}").codes(), "21");
  EXPECT_EQ(check("for %i: int32, 0, 65, step=3 {\nstore %S, [%i], 0.0:float32\n}").codes(), "");
  EXPECT_EQ(check("store %S, [%tx], 0.0:float32").codes(), "21");
  EXPECT_EQ(check("bind %j: int32, %tx * 2\nstore %B, [%tx], %S[%j]").codes(), "21");
  EXPECT_EQ(check("if %tx < 64 {\nstore %S, [%tx], 0.0:float32\n}").codes(), "") << "guarded";
  EXPECT_EQ(check("store %B, [%tx], select(%tx < 64, %S[%tx], 0.0:float32)").codes(), "") << "guarded";
  EXPECT_EQ(check("for %i: int32, 0, %n {\nstore %S, [%i], 0.0:float32\n}").codes(), "") << "known at run time only";
  EXPECT_EQ(check("store %B, [%tx + 4], 0.0:float32").codes(), "") << "global accesses are guarded";
  EXPECT_EQ(check("for %i: int32, 0, 65 {\nif %n < 3 {\nbreak\n}\nstore %S, [%i], 0.0:float32\n}").codes(), "");
  EXPECT_EQ(check("for %i: int32, 0, 3 {\ntile.fill dst=%S[%i * 32 :+ 32], value=1.0:float32\n}").codes(), "54");
  const auto run = check("for %i: int32, 0, 64 {\nstore %S, [%i + 1], 0.0:float32\n}");
  EXPECT_EQ(run.diagnostics.all()[0].message,
            "index `i + 1` of dimension 0 of `S` reaches 1 to 64, but the dimension has extent 64");
}

TEST(CheckProgram, BreakLeavesNoParallelLoop) {
  EXPECT_EQ(check("for %k: int32, 0, 4 {\nparallel [%i: int32], [8] {\nif %i < 3 {\nbreak\n}\n}\n}").codes(), "67");
  EXPECT_EQ(check("parallel [%i: int32], [8] {\nfor %k: int32, 0, 4 {\nbreak\n}\n}").codes(), "");
  EXPECT_EQ(check("parallel [%i: int32], [8] {\nif %i < 3 {\ncontinue\n}\nstore %B, [%i], 1.0:float32\n}").codes(), "");
}

TEST(CheckProgram, BuffersThatNothingWrites) {
  EXPECT_EQ(check("alloc %T: shared float32[64]\ntile.copy src=%T[0 :+ 64], dst=%S[0 :+ 64]").codes(), "121");
  EXPECT_EQ(check("alloc %v: var float32[1]\nstore %B, [%tx], %v[0]").codes(), "121");
  EXPECT_EQ(check("alloc %v: var float32[1], init=1.0:float32\nstore %B, [%tx], %v[0]").codes(), "");
  EXPECT_EQ(check("alloc %T: shared float32[64]\nview %V: shared float32[8, 8], %T\nstore %V, [0, 0], 1.0:float32\n"
                  "tile.copy src=%T[0 :+ 64], dst=%S[0 :+ 64]")
                .codes(),
            "")
      << "written under another name";
  const std::string gemm =
      "alloc %a: shared float32[16, 16]\nalloc %c: fragment float32[16, 16]\n"
      "tile.fill dst=%a[0 :+ 16, 0 :+ 16], value=0.0:float32\n"
      "tile.gemm a=%a[0 :+ 16, 0 :+ 16], b=%a[0 :+ 16, 0 :+ 16], c=%c[0 :+ 16, 0 :+ 16]";
  const auto run = check(gemm);
  EXPECT_EQ(run.codes(), "121");
  EXPECT_EQ(run.diagnostics.all()[0].help, "T.clear(c) before the loop");
  EXPECT_EQ(check(gemm + ", clear=true").codes(), "");
}

TEST(CheckProgram, PointsThatWriteOneElement) {
  const auto points = [](const std::string& body) {
    return check("parallel [%i: int32, %j: int32], [8, 16] {\n" + body + "\n}").codes();
  };
  EXPECT_EQ(points("store %B, [%i], 1.0:float32"), "122");
  EXPECT_EQ(points("store %B, [%i * 16 + %j], 1.0:float32"), "");
  EXPECT_EQ(points("store %S, [%i], %S[%i] + %A[%j]"), "122");
  EXPECT_EQ(points("if %j == 0 {\nstore %B, [%i], 1.0:float32\n}"), "");
  EXPECT_EQ(points("if %j != 0 {\ncontinue\n}\nstore %B, [%i], 1.0:float32"), "");
  EXPECT_EQ(points("bind %k: int32, %j + 1\nstore %S, [%i * 4 + %k], 1.0:float32"), "");
  EXPECT_EQ(points("alloc %v: var float32[1]\nstore %v, [0], 1.0:float32\nstore %B, [%i * 16 + %j], %v[0]"), "");
  EXPECT_EQ(check("parallel [%i: int32, %j: int32], [128, 1] {\nstore %B, [%i], 1.0:float32\n}").codes(), "")
      << "one value of j only";
  EXPECT_EQ(
      check("alloc %v: var float32[1], init=0.0:float32\nparallel [%i: int32], [8] {\nstore %v, [0], %v[0] + %A[%i]\n}")
          .codes(),
      "122");
}

}  // namespace
}  // namespace tl
