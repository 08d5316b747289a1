// Programs of AI cores: regions of vector threads between what the core does as one, and copies that transpose.
#include <gtest/gtest.h>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

TEST(Cores, ARegionRunsBetweenWhatStandsAroundIt) {
  Array c = ints(std::vector<double>(64));
  const RunReport report = run(R"(func @f params [%C: global int32[64]] {
    launch [%b: int32], [1], lanes=[%t: int32, %ty: int32, %tz: int32], threads=[64, 1, 1], hints={"cores": true} {
      alloc %s: shared int32[64]
      store %s, [5], 7
      group engine="simt", count=64 {
        if %t != 5 { store %s, [%t], %s[5] + %t }
      }
      store %s, [0], %s[63] + %s[0]
      group engine="simt", count=16 { store %s, [48 + %t], %s[0] }
      tile.copy src=%s[0 :+ 64], dst=%C[0 :+ 64]
    } })",
                               {c.arg()});
  EXPECT_EQ(summary(report), "");
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(c.at(i).as_int(), i == 0 || i >= 48 ? 77 : i == 5 ? 7 : 7 + i) << i;
  }
}

TEST(Cores, ThreadsOfARegionRace) {
  Array c = ints(std::vector<double>(64));
  const RunReport report = run(R"(func @f params [%C: global int32[64]] {
    launch [%b: int32], [1], lanes=[%t: int32, %ty: int32, %tz: int32], threads=[64, 1, 1], hints={"cores": true} {
      group engine="simt", count=32 { store %C, [floordiv(%t, 2)], %t }
      group engine="simt", count=64 { store %C, [%t], %t }
    } })",
                               {c.arg()});
  EXPECT_NE(summary(report).find("TL123"), std::string::npos);
}

TEST(Cores, ABarrierIsOneOfTheRegionsThreads) {
  Array c = ints(std::vector<double>(32));
  const RunReport report = run(R"(func @f params [%C: global int32[32]] {
    launch [%b: int32], [1], lanes=[%t: int32, %ty: int32, %tz: int32], threads=[64, 1, 1], hints={"cores": true} {
      alloc %s: shared int32[32]
      group engine="simt", count=32 {
        store %s, [%t], %t
        barrier
        store %C, [%t], %s[31 - %t]
      }
      group engine="simt", count=64 { bind %x: int32, %t }
    } })",
                               {c.arg()});
  EXPECT_EQ(summary(report), "");
  for (int i = 0; i < 32; ++i) EXPECT_EQ(c.at(i).as_int(), 31 - i);
}

TEST(Cores, CopiesTransposeEachMatrix) {
  Array a = ints({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), c = ints(std::vector<double>(12));
  const RunReport report = run(R"(func @f params [%A: global int32[12], %C: global int32[12]] {
    launch [%b: int32], [1], threads=[1], hints={"cores": true} {
      view %m: global int32[2, 2, 3], %A
      view %n: global int32[2, 3, 2], %C
      alloc %s: shared int32[2, 3, 2]
      tile.copy src=%m[0 :+ 2, 0 :+ 2, 0 :+ 3], dst=%s[0 :+ 2, 0 :+ 3, 0 :+ 2], hints={"transpose": true}
      tile.copy src=%s[0 :+ 2, 0 :+ 3, 0 :+ 2], dst=%n[0 :+ 2, 0 :+ 3, 0 :+ 2]
    } })",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(c.values(), (std::vector<double>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

TEST(Cores, AnUndefinedElementIsNamedWhereItWasRead) {
  Array c(DType::i32(), {3, 2});
  const RunReport report = run(R"(func @f params [%C: global int32[3, 2]] {
    launch [%b: int32], [1], threads=[1], hints={"cores": true} {
      alloc %s: shared int32[2, 3]
      tile.fill dst=%s[0 :+ 2, 0 :+ 3], value=1
      alloc %u: shared int32[2, 3]
      tile.copy src=%s[0 :+ 2, 0 :+ 2], dst=%u[0 :+ 2, 0 :+ 2]
      tile.copy src=%s[0 :+ 1, 0 :+ 3], dst=%u[0 :+ 1, 0 :+ 3]
      tile.copy src=%u[0 :+ 2, 0 :+ 3], dst=%C[0 :+ 3, 0 :+ 2], hints={"transpose": true}
    } })",
                               {c.arg()});
  EXPECT_NE(summary(report).find("`u[1, 2]`"), std::string::npos) << summary(report);
}

}  // namespace
}  // namespace tl
