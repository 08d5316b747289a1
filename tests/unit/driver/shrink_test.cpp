#include "driver/shrink.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kProgram =
    R"(func @f symbols [%n: int32, %m: int32] params [%A: global float32[%n], %B: global float32[8], %x: float32] {
  assert %n > 0, message="empty"
  launch [%bx: int32], [-floordiv(-%n, 8)] {
    alloc %s: shared float32[8]
    alloc %t: shared float32[8]
    tile.copy src=%A[%bx * 8 :+ 8], dst=%s[0 :+ 8]
    for %i: int32, 0, 3 {
      if %i < 2 {
        parallel [%j: int32], [8] {
          store %t, [%j], max(exp(%s[%j]), %x) + cast(float32, %i)
        }
      }
    }
    tile.copy src=%t[0 :+ 8], dst=%B[0 :+ 8]
  }
})";

bool has_exp(const Function& f) {
  bool found = false;
  visit_ops(f.body, [&](const Op& op) {
    for_each_expr(
        op, [&](const Expr& e) { visit_exprs(e, [&](const Expr& part) { found |= part.kind() == ExprKind::kCall; }); });
  });
  return found;
}

TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const auto small = shrink(*parse_function(kProgram), has_exp);
  EXPECT_EQ(print(*small), print(*parse_function(R"(func @f params [] {
  alloc %t: shared float32[8]
  store %t, [0], exp(0.0:float32)
})")));
}

TEST(Shrink, EveryCandidateIsSound) {
  const auto function = parse_function(kProgram);
  int candidates = 0;
  shrink(*function, [&](const Function& candidate) {
    ++candidates;
    EXPECT_EQ(verify(candidate), std::vector<std::string>());
    return has_exp(candidate);
  });
  EXPECT_GT(candidates, 10);
}

TEST(Shrink, KeepsAFunctionThatCannotBeSmaller) {
  const std::string text = print(*parse_function(kProgram));
  const auto same = shrink(*parse_function(kProgram), [&](const Function& f) { return print(f) == text; });
  EXPECT_EQ(print(*same), text);
}

TEST(Shrink, OutputsFollowTheirParameters) {
  const auto function = parse_function(
      "func @f params [%A: global int32[2], %B: global int32[2], %C: global int32[2]] outputs [0, 2] { store %C, [0], "
      "1 }");
  const auto small = shrink(*function, [](const Function& f) { return !f.body.empty(); });
  EXPECT_EQ(print(*small),
            print(*parse_function("func @f params [%C: global int32[2]] outputs [0] { store %C, [0], 1 }")));
}

}  // namespace
}  // namespace tl
