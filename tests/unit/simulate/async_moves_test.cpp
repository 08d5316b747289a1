// Asynchronous moves of threads: who may touch their destination, and when.
#include <gtest/gtest.h>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

std::string findings(const std::string& body) {
  Array a = floats(std::vector<double>(64)), b = floats(std::vector<double>(64));
  InterpretOptions options;
  options.implicit_barriers = false;
  return summary(run(
      "func @f params [%A: global float32[64], %B: global float32[64]] { launch [%b: int32], [1], lanes=[%x: int32, "
      "%y: int32, %z: int32], threads=[4] { alloc %s: shared float32[2, 16] " +
          body + " } }",
      {a.arg(), b.arg()}, options));
}

/// Thread x moves 4 elements of A to row `row` of s.
std::string move(const std::string& row, const std::string& var = "%v") {
  return "for " + var + ": int32, 0, 4, loop=vectorized, hints={\"async\": true} { store %s, [" + row + ", %x * 4 + " +
         var + "], %A[%x * 4 + " + var + "] } ";
}

const std::string kCommit = "thread.commit ";
/// Reads an element of its own, and one that another thread has moved.
const std::string kReadOwn = "store %B, [%x], %s[0, %x * 4] ";
const std::string kReadOther = "store %B, [%x], %s[0, 15 - %x * 4] ";

TEST(AsyncMoves, AreSeenByTheirThreadAfterTheWait) {
  EXPECT_EQ(findings(move("0") + kCommit + "thread.wait 0 " + kReadOwn), "");
  EXPECT_NE(findings(move("0") + kCommit + kReadOwn)
                .find("thread 0 reads `s[0, 0]`, which an asynchronous move of thread 0 writes"),
            std::string::npos);
  EXPECT_NE(findings(move("0") + kCommit + "barrier " + kReadOwn), "");
  // A group that is not closed is not waited for.
  EXPECT_NE(findings(move("0") + "thread.wait 0 " + kReadOwn), "");
}

TEST(AsyncMoves, AreSeenByOthersAfterABarrierBehindTheWait) {
  EXPECT_EQ(findings(move("0") + kCommit + "thread.wait 0 barrier " + kReadOther), "");
  EXPECT_NE(findings(move("0") + kCommit + "thread.wait 0 " + kReadOther), "");
  EXPECT_NE(findings(move("0") + kCommit + "barrier thread.wait 0 " + kReadOther), "");
}

TEST(AsyncMoves, WaitsLeaveTheLastGroupsPending) {
  const std::string two = move("0") + kCommit + move("1", "%w") + kCommit;
  EXPECT_EQ(findings(two + "thread.wait 1 barrier " + kReadOther), "");
  EXPECT_NE(findings(two + "thread.wait 2 barrier " + kReadOther), "");
  EXPECT_NE(findings(two + "thread.wait 1 barrier store %B, [%x], %s[1, 15 - %x * 4]"), "");
  EXPECT_EQ(findings(two + "thread.wait 0 barrier store %B, [%x], %s[1, 15 - %x * 4]"), "");
}

TEST(AsyncMoves, ComeBehindWhatTheirThreadHasSeen) {
  const std::string first = "store %s, [0, %x], 0.0 ";
  EXPECT_EQ(findings(first + "barrier " + move("0") + kCommit + "thread.wait 0"), "");
  EXPECT_NE(findings(first + move("0") + kCommit + "thread.wait 0"), "");
}

}  // namespace
}  // namespace tl
