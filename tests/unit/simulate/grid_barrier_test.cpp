// Tile programs that wait for each other, and buffers in memory of the caller.
#include <gtest/gtest.h>

#include "simulate/fiber.h"
#include "unit/simulate/run_program.h"

namespace tl {
namespace {

/// Every program reads what the next one has written in the round before.
constexpr const char* kRing = R"(func @ring params [%A: global int32[4, 8], %B: global int32[4, 8], %n: int32] {
  launch [%b: int32], [4], lanes=[%t: int32, %u: int32, %v: int32], threads=[8, 1, 1] {
    alloc %s: shared int32[8]
    alloc %sum: local int32[1]
    store %sum, [0], 0
    for %k: int32, 0, %n {
      store %s, [%t], %A[floormod(%b + 1, 4), %t] + %k
      store %sum, [0], %sum[0] + %s[7 - %t]
      BARRIER
      store %A, [%b, %t], %s[%t] * 2
      BARRIER
    }
    store %B, [%b, %t], %sum[0]
  }
})";

std::string with_barrier(std::string text, const std::string& barrier) {
  for (size_t at; (at = text.find("BARRIER")) != std::string::npos;) text.replace(at, 7, barrier);
  return text;
}

std::vector<double> expected_sums(int64_t rounds) {
  int64_t a[4][8], sum[4][8] = {};
  for (int b = 0; b < 4; ++b) {
    for (int t = 0; t < 8; ++t) a[b][t] = b * 8 + t;
  }
  for (int64_t k = 0; k < rounds; ++k) {
    int64_t s[4][8];
    for (int b = 0; b < 4; ++b) {
      for (int t = 0; t < 8; ++t) s[b][t] = a[(b + 1) % 4][t] + k;
      for (int t = 0; t < 8; ++t) sum[b][t] += s[b][7 - t];
    }
    for (int b = 0; b < 4; ++b) {
      for (int t = 0; t < 8; ++t) a[b][t] = s[b][t] * 2;
    }
  }
  std::vector<double> out;
  for (const auto& row : sum) out.insert(out.end(), row, row + 8);
  return out;
}

TEST(GridBarrier, ProgramsSeeWhatOthersHaveWritten) {
  for (const uint64_t seed : {0, 1, 7, 1000}) {
    for (const int rounds : {0, 1, 5}) {
      Array a(DType::i32(), {4, 8}, [](int64_t i) { return static_cast<double>(i); }), b(DType::i32(), {4, 8});
      InterpretOptions options;
      options.order_seed = seed;
      const RunReport report = run(with_barrier(kRing, "barrier grid=true"),
                                   {a.arg(), b.arg(), Scalar::of_int(DType::i32(), rounds)}, options);
      EXPECT_EQ(summary(report), "");
      EXPECT_EQ(b.values(), expected_sums(rounds)) << seed;
    }
  }
}

TEST(GridBarrier, WithoutItProgramsRace) {
  Array a(DType::i32(), {4, 8}, [](int64_t i) { return static_cast<double>(i); }), b(DType::i32(), {4, 8});
  const RunReport report = run(with_barrier(kRing, "barrier"), {a.arg(), b.arg(), Scalar::of_int(DType::i32(), 2)});
  EXPECT_NE(summary(report).find("TL123"), std::string::npos) << summary(report);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_NE(report.findings[0].diagnostic.message.find("tile program"), std::string::npos);
}

TEST(GridBarrier, ThreadsOfAProgramMeetToo) {
  // Each thread reads its neighbour's element: without implicit barriers the grid's is what orders them.
  const char* text = R"(func @f params [%A: global int32[8]] {
    launch [%b: int32], [1], lanes=[%t: int32, %u: int32, %v: int32], threads=[8, 1, 1] {
      alloc %s: shared int32[8]
      store %s, [%t], %t
      BARRIER
      store %A, [%t], %s[7 - %t]
    } })";
  InterpretOptions options;
  options.implicit_barriers = false;
  for (const bool meets : {true, false}) {
    Array a(DType::i32(), {8});
    const std::string program = with_barrier(text, meets ? "barrier grid=true" : "");
    EXPECT_EQ(run(program, {a.arg()}, options).clean(), meets);
  }
}

TEST(GridBarrier, AProgramThatHasEndedIsAnError) {
  try {
    Array a(DType::i32(), {4});
    run(R"(func @f params [%A: global int32[4]] {
      launch [%b: int32], [4], threads=[8] {
        if %A[%b] == 0 { barrier grid=true }
        store %A, [%b], 1
      } })",
        {(a.set(2, Scalar::of_int(DType::i32(), 1)), a.arg())});
    FAIL() << "no error";
  } catch (const CompileError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, 76);
    EXPECT_EQ(e.diagnostics()[0].message, "T.sync_grid is reached by 3 of 4 tile programs; tile program 2 has ended");
  }
}

TEST(GridBarrier, SomeThreadsAloneAreAFinding) {
  Array a(DType::i32(), {4});
  const RunReport report = run(R"(func @f params [%A: global int32[4]] {
      launch [%b: int32], [2], lanes=[%t: int32, %u: int32, %v: int32], threads=[8, 1, 1] {
        if %t < 4 { barrier grid=true }
      } })",
                               {a.arg()});
  EXPECT_NE(summary(report).find("TL76"), std::string::npos) << summary(report);
}

TEST(GridBarrier, ErrorsLeaveNothingBehind) {
  // The program that fails ends the run while the others wait.
  EXPECT_THROW(
      {
        Array a(DType::i32(), {4});
        run(R"(func @f params [%A: global int32[4]] {
          launch [%b: int32], [4], threads=[8] {
            alloc %s: shared int32[64]
            barrier grid=true
            assert %b != 1, message="as asked"
            barrier grid=true
          } })",
            {a.arg()});
      },
      CompileError);
}

TEST(GridBarrier, PrintsAndPollsRunOnTheStackOfTheCaller) {
  Array a(DType::i32(), {4});
  std::vector<std::string> lines;
  InterpretOptions options;
  char* outermost = nullptr;
  char here = 0;
  outermost = &here;
  bool near = true;
  options.print = [&](std::string_view line) {
    char inner = 0;
    near = near && std::abs(&inner - outermost) < 1 << 18;
    lines.emplace_back(line);
  };
  run(R"(func @f params [%A: global int32[4]] {
    launch [%b: int32], [2], threads=[8] {
      print values=[%b]
      barrier grid=true
      print values=[%b + 10]
    } })",
      {a.arg()}, options);
  EXPECT_TRUE(near);
  EXPECT_EQ(lines, (std::vector<std::string>{"[tile program 0] 0", "[tile program 1] 1", "[tile program 0] 10",
                                             "[tile program 1] 11"}));
  options.print = [](std::string_view) { throw std::runtime_error("the caller fails"); };
  EXPECT_THROW(run(R"(func @f params [%A: global int32[4]] {
    launch [%b: int32], [2], threads=[8] {
      barrier grid=true
      print values=[%b]
    } })",
                   {a.arg()}, options),
               std::runtime_error);
}

TEST(Fiber, StopsAndGoesOn) {
  std::vector<int> order;
  simulate::Fiber* self = nullptr;
  simulate::Fiber fiber([&] {
    order.push_back(1);
    self->pause();
    order.push_back(3);
    self->outside([&] { order.push_back(4); });
    throw std::runtime_error("at its end");
  });
  self = &fiber;
  fiber.resume();
  order.push_back(2);
  EXPECT_FALSE(fiber.ended());
  EXPECT_THROW(fiber.resume(), std::runtime_error);
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST(CallersMemory, IsWhereItsAddressSays) {
  const char* text = R"(func @f params [%p: handle, %n: int32] {
    alloc %A: global int32[%n], at=%p
    launch [%b: int32], [1], threads=[8] {
      parallel [%i: int32], [8] { store %A, [%i], %A[%i] + 5 }
    } })";
  Array a = ints({0, 1, 2, 3, 4, 5, 6, 7});
  const auto address = reinterpret_cast<uint64_t>(a.bytes.data());
  const RunReport report = run(text, {Scalar::of_uint(DType::handle(), address), Scalar::of_int(DType::i32(), 5)});
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(a.values(), (std::vector<double>{5, 6, 7, 8, 9, 5, 6, 7}));
  EXPECT_THROW(run(text, {Scalar::of_uint(DType::handle(), 0), Scalar::of_int(DType::i32(), 5)}), CompileError);
  EXPECT_EQ(summary(run(text, {Scalar::of_uint(DType::handle(), 0), Scalar::of_int(DType::i32(), 0)})), "");
}

}  // namespace
}  // namespace tl
