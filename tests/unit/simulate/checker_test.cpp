// Each rule of the checker with programs it accepts and programs it flags.
#include <gtest/gtest.h>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

/// Findings of `body` in a launch of `grid` programs %b over a global %A of 8 float32 and %C of 64 int32.
std::string findings(const std::string& body, const std::string& grid = "1", InterpretOptions options = {}) {
  Array a = floats(std::vector<double>(8)), c = ints(std::vector<double>(64));
  return summary(run("func @f params [%A: global float32[8], %C: global int32[64]] { launch [%b: int32], [" + grid +
                         "] { " + body + " } }",
                     {a.arg(), c.arg()}, options));
}

const std::string kShared = "alloc %s: shared float32[4, 4] @\"k.py\":1 ";
const std::string kDeclared = "; note: `s` is declared here at 1";

TEST(OutOfBounds, OnChipElements) {
  EXPECT_EQ(findings(kShared + "parallel [%i: int32], [4] { store %s, [%i, 3], 0.0 }"), "");
  EXPECT_EQ(findings(kShared + "parallel [%i: int32], [5] { store %s, [%i, 3], 0.0 @\"k.py\":2 }"),
            "TL120 at 2: writes `s[4, 3]` outside of its shape (4, 4)" + kDeclared);
  // Inside of the memory, outside of the row.
  EXPECT_EQ(findings(kShared + "store %s, [0, 4], 0.0 @\"k.py\":2"),
            "TL120 at 2: writes `s[0, 4]` outside of its shape (4, 4)" + kDeclared);
  EXPECT_EQ(findings(kShared + "store %s, [%b - 1, 0], 0.0 @\"k.py\":2", "2"),
            "TL120 at 2: writes `s[-1, 0]` outside of its shape (4, 4)" + kDeclared);
}

TEST(OutOfBounds, OnChipRegions) {
  EXPECT_EQ(findings(kShared + "tile.fill dst=%s[2 :+ 2, 0 :+ 4], value=0.0"), "");
  EXPECT_EQ(findings(kShared + "tile.fill dst=%s[2 :+ 3, 0 :+ 4], value=0.0 @\"k.py\":2"),
            "TL120 at 2: writes `s[4, 0]` outside of its shape (4, 4)" + kDeclared);
}

TEST(OutOfBounds, GlobalTailsAreTheLanguages) {
  EXPECT_EQ(findings("parallel [%i: int32], [10] { store %A, [%i], %A[%i] + 1.0 }"), "");
  EXPECT_EQ(findings("alloc %t: fragment float32[16] tile.copy src=%A[0 :+ 16], dst=%t[0 :+ 16] "
                     "tile.copy src=%t[0 :+ 16], dst=%A[0 :+ 16]"),
            "");
  EXPECT_EQ(findings("alloc %t: fragment float32[4] tile.copy src=%A[-2 :+ 4], dst=%t[0 :+ 4]"), "");
}

TEST(OutOfBounds, GlobalElementsOfScalarCode) {
  EXPECT_EQ(findings("for %i: int32, 0, 8 { store %A, [%i], 0.0 }"), "");
  EXPECT_EQ(findings("for %i: int32, 0, 10 { store %A, [%i], 0.0 @\"k.py\":2 }"),
            "warning TL120 at 2: writes `A[8]` outside of its shape (8) x2");
  EXPECT_EQ(findings("for %i: int32, 0, 10 { if %i < 8 { store %A, [%i], 0.0 } }"), "");
  EXPECT_EQ(findings("parallel [%i: int32], [4] { store %A, [%i - 1], 0.0 @\"k.py\":2 }"),
            "TL120 at 2: writes `A[-1]` outside of its shape (8)");
  EXPECT_EQ(findings("parallel [%i: int32], [4] { if %i > 0 { store %A, [%i - 1], 0.0 } }"), "");
}

TEST(Uninitialised, ElementsOfOnChipBuffers) {
  EXPECT_EQ(findings(kShared + "tile.fill dst=%s[0 :+ 4, 0 :+ 4], value=0.0 store %A, [0], %s[3, 3]"), "");
  EXPECT_EQ(findings(kShared + "tile.fill dst=%s[0 :+ 3, 0 :+ 4], value=0.0 store %A, [0], %s[3, 2] @\"k.py\":2"),
            "TL121 at 2: reads `s[3, 2]`, which nothing has written" + kDeclared);
  EXPECT_EQ(findings("alloc %v: var int32[1], init=3 store %C, [0], %v[0]"), "");
  EXPECT_EQ(findings("alloc %v: var int32[1] store %C, [0], %v[0] @\"k.py\":2"),
            "TL121 at 2: reads `v[0]`, which nothing has written");
}

TEST(Uninitialised, EachProgramStartsAnew) {
  EXPECT_EQ(findings("alloc %v: var int32[1] if %b == 0 { store %v, [0], 1 } store %C, [%b], %v[0] @\"k.py\":2", "2"),
            "TL121 at 2: reads `v[0]`, which nothing has written");
}

TEST(Uninitialised, GemmAndReductionsNeedTheirOldValues) {
  const std::string gemm = kShared +
                           "alloc %c: fragment float32[4, 4] tile.fill dst=%s[0 :+ 4, 0 :+ 4], value=0.0 "
                           "tile.gemm a=%s[0 :+ 4, 0 :+ 4], b=%s[0 :+ 4, 0 :+ 4], c=%c[0 :+ 4, 0 :+ 4]";
  EXPECT_EQ(findings(gemm + ", clear=true"), "");
  EXPECT_EQ(findings(gemm + " @\"k.py\":2"), "TL121 at 2: reads `c[0, 0]`, which nothing has written x16");
  const std::string reduce = kShared +
                             "alloc %r: fragment float32[4] tile.fill dst=%s[0 :+ 4, 0 :+ 4], value=0.0 "
                             "tile.reduce sum, src=%s[0 :+ 4, 0 :+ 4], dst=%r[0 :+ 4], 1";
  EXPECT_EQ(findings(reduce), "");
  EXPECT_EQ(findings(reduce + ", clear=false @\"k.py\":2"), "TL121 at 2: reads `r[0]`, which nothing has written x4");
}

TEST(Uninitialised, CopiesPassItOnUntilItLeavesTheChip) {
  const std::string partly = kShared +
                             "alloc %t: fragment float32[4, 4] tile.fill dst=%s[0 :+ 2, 0 :+ 4], value=0.0 "
                             "tile.copy src=%s[0 :+ 4, 0 :+ 4], dst=%t[0 :+ 4, 0 :+ 4] ";
  EXPECT_EQ(findings(partly), "");
  EXPECT_EQ(findings(partly + "tile.copy src=%t[1 :+ 1, 0 :+ 4], dst=%A[0 :+ 4]"), "");
  EXPECT_EQ(findings(partly + "tile.copy src=%t[3 :+ 1, 0 :+ 4], dst=%A[0 :+ 4] @\"k.py\":2"),
            "TL121 at 2: reads `t[3, 0]`, which nothing has written");
  // The tail of the global buffer is not written, so what would go there is not looked at.
  EXPECT_EQ(findings("alloc %t: fragment float32[16] parallel [%i: int32], [8] { store %t, [%i], 1.0 } "
                     "tile.copy src=%t[0 :+ 16], dst=%A[0 :+ 16]"),
            "");
}

TEST(Parallel, PointsWriteElementsOfTheirOwn) {
  EXPECT_EQ(findings(kShared + "parallel [%i: int32, %j: int32], [4, 4] { store %s, [%j, %i], 1.0 }"), "");
  EXPECT_EQ(findings(kShared + "parallel [%i: int32, %j: int32], [4, 4] { store %s, [%i, 0], 1.0 @\"k.py\":2 }"),
            "TL122 at 2: iteration (0, 0) and iteration (0, 1) both write `s[0, 0]`; note: the other write at 2" +
                kDeclared + " x12");
  EXPECT_EQ(findings("parallel [%i: int32], [8] { store %A, [floordiv(%i, 2)], 1.0 @\"k.py\":2 }"),
            "TL122 at 2: iteration 0 and iteration 1 both write `A[0]`; note: the other write at 2 x4");
}

TEST(Parallel, PointsDoNotReadWhatOthersWrite) {
  const std::string filled = kShared + "tile.fill dst=%s[0 :+ 4, 0 :+ 4], value=0.0 ";
  EXPECT_EQ(findings(filled + "parallel [%i: int32], [4] { store %s, [%i, 0], %s[%i, 0] + %s[0, 1] }"), "");
  EXPECT_EQ(findings(filled + "parallel [%i: int32], [3] { store %s, [%i, 0], %s[%i + 1, 0] @\"k.py\":2 }"),
            "TL122 at 2: iteration 1 writes `s[1, 0]`, which iteration 0 reads; note: the other read at 2" + kDeclared +
                " x2");
}

TEST(Parallel, VariablesOfOneIterationAreItsOwn) {
  EXPECT_EQ(findings("parallel [%i: int32], [8] { alloc %v: var int32[1], init=0 store %v, [0], %v[0] + %i store %C, "
                     "[%i], %v[0] }"),
            "");
  EXPECT_EQ(findings("alloc %v: var int32[1], init=0 parallel [%i: int32], [2] { store %v, [0], %i @\"k.py\":2 }"),
            "TL122 at 2: iteration 0 and iteration 1 both write `v[0]`; note: the other write at 2");
}

TEST(Parallel, LaterLoopsSeeEarlierOnes) {
  EXPECT_EQ(findings(kShared + "for %k: int32, 0, 3 { parallel [%i: int32], [4] { store %s, [%i, 0], 1.0 } "
                               "parallel [%j: int32], [3] { store %s, [%j, 1], %s[%j + 1, 0] } }"),
            "");
}

TEST(Programs, WriteElementsOfTheirOwn) {
  EXPECT_EQ(findings("parallel [%i: int32], [16] { store %C, [%b * 16 + %i], %i }", "4"), "");
  EXPECT_EQ(findings("parallel [%i: int32], [16] { store %C, [%b * 8 + %i], %i @\"k.py\":2 }", "2"),
            "TL123 at 2: tile program 0 and tile program 1 both write `C[8]`; note: the other write at 2 x8");
  EXPECT_EQ(findings("store %C, [%b], %C[%b] + 1", "8"), "");
  EXPECT_EQ(findings("store %C, [%b], %C[%b + 1] @\"k.py\":2", "3"),
            "TL123 at 2: tile program 1 writes `C[1]`, which tile program 0 reads; note: the other read at 2 x2");
}

TEST(Programs, OfLaterLaunchesSeeEarlierOnes) {
  Array c = ints({0});
  const std::string launch = "launch [%b#: int32], [1] { store %C, [0], %C[0] + 1 } ";
  std::string text = "func @f params [%C: global int32[1]] { store %C, [0], 5 ";
  for (const char* n : {"0", "1"}) text += std::string(launch).replace(launch.find('#'), 1, n);
  EXPECT_EQ(summary(run(text + "store %C, [0], %C[0] * 2 }", {c.arg()})), "");
  EXPECT_EQ(c.at(0).as_int(), 14);
}

TEST(Arithmetic, DivisionByZero) {
  EXPECT_EQ(findings("parallel [%i: int32], [4] { store %C, [%i], floordiv(8, %i + 1) }"), "");
  EXPECT_EQ(findings("parallel [%i: int32], [4] { store %C, [%i], floormod(8, %i) @\"k.py\":2 }"),
            "TL124 at 2: remainder of a division by zero, which gives 0");
  EXPECT_EQ(findings("parallel [%i: int32], [4] { if %i != 0 { store %C, [%i], truncdiv(8, %i) } }"), "");
  EXPECT_EQ(findings("store %A, [0], 1.0 / %A[1]"), "");
}

TEST(Assumptions, AreTested) {
  EXPECT_EQ(findings("assume %b < 4", "4"), "");
  EXPECT_EQ(findings("assume %b < 2 @\"k.py\":2", "4"),
            "TL110 at 2: `b < 2` is assumed but does not hold; note: in tile program 2 x2");
}

TEST(Report, OneFindingForEachLineWithItsCount) {
  InterpretOptions two;
  two.max_findings = 2;
  std::string body = kShared;
  for (int line = 2; line < 6; ++line) body += "store %s, [9, 9], 0.0 @\"k.py\":" + std::to_string(line) + " ";
  Array a = floats(std::vector<double>(8)), c = ints(std::vector<double>(64));
  const std::string text =
      "func @f params [%A: global float32[8], %C: global int32[64]] { launch [%b: int32], [3] { " + body + " } }";
  const RunReport report = run(text, {a.arg(), c.arg()}, two);
  EXPECT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].count, 3);
  EXPECT_EQ(report.dropped, 6);
  EXPECT_EQ(report.diagnostics().size(), 3u);
  EXPECT_TRUE(report.has_errors());
  InterpretOptions off;
  off.check = false;
  EXPECT_TRUE(run(text, {a.arg(), c.arg()}, off).clean());
}

TEST(Report, OrderOfVisitsDoesNotHideARace) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    InterpretOptions options;
    options.order_seed = seed;
    EXPECT_NE(findings("parallel [%i: int32], [8] { store %A, [floordiv(%i, 7)], 1.0 }", "1", options), "") << seed;
    EXPECT_NE(findings("store %C, [floormod(%b, 63)], 1", "64", options), "") << seed;
    EXPECT_EQ(findings("parallel [%i: int32], [8] { store %C, [%b * 8 + %i], 1 }", "8", options), "") << seed;
  }
}

}  // namespace
}  // namespace tl
