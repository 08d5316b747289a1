// Host statements, loops, branches, symbols, arguments, prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

TEST(Control, LoopsCountAsRangesDo) {
  Array c = ints(std::vector<double>(6));
  run(R"(func @f params [%C: global int32[6]] {
    for %i: int32, 7, 0, step=-3 { store %C, [0], %C[0] * 10 + %i }
    for %i1: int32, 0, -1 { store %C, [1], 99 }
    for %i2: int64, 9223372036854775800:int64, 9223372036854775807:int64, step=5 { store %C, [2], %C[2] + 1 }
    for %i3: uint8, 250:uint8, 255:uint8, step=2:uint8 { store %C, [3], cast(int32, %i3) }
    for %i4: int32, 0, 10 { if %i4 == 2 { continue } if %i4 == 5 { break } store %C, [4], %C[4] * 10 + %i4 }
    while %C[5] < 40 { store %C, [5], %C[5] + 7 }
  })",
      {c.arg()});
  EXPECT_EQ(c.values(), (std::vector<double>{741, 0, 2, 254, 134, 42}));
}

TEST(Control, IndicesAndBoundsDoNotWrap) {
  Array c = ints({65536, 0});
  run(R"(func @f params [%C: global int32[2]] {
    bind %n: int32, %C[0]
    for %i: int32, 0, floordiv(%n * %n, %n * 1024) { store %C, [1 + floordiv(%n * %n, 2147483647:int32) * %i - 2 * %i], %C[1] + 1 }
  })",
      {c.arg()});
  EXPECT_EQ(c.values(), (std::vector<double>{65536, 64}));
}

TEST(Control, StepOfZeroAndEndlessLoopsStop) {
  Array c = ints({0});
  EXPECT_EQ(
      code_of([&] { run("func @f params [%C: global int32[1]] { for %i: int32, 0, 4, step=%C[0] { } }", {c.arg()}); }),
      65);
  InterpretOptions options;
  options.step_limit = 1000;
  EXPECT_EQ(code_of([&] { run("func @f params [%C: global int32[1]] { while %C[0] == 0 { } }", {c.arg()}, options); }),
            4);
}

TEST(Control, ParallelPointsBranchLoopAndStopOneByOne) {
  Array c = ints(std::vector<double>(600));
  const RunReport report = run(R"(func @f params [%C: global int32[600]] {
    launch [%b: int32], [2] {
      parallel [%i: int32, %j: int32], [3, 100] {
        if %j == 5 { continue }
        alloc %sum: var int32[1], init=0
        for %k: int32, 0, %j {
          if %k == 7 { break }
          if floormod(%k, 2) == 0 { continue }
          store %sum, [0], %sum[0] + %k
        }
        alloc %x: var int32[1], init=%i
        while %x[0] < %j { store %x, [0], %x[0] * 2 + 1 }
        store %C, [(%b * 3 + %i) * 100 + %j], %sum[0] * 1000 + %x[0]
      }
    } })",
                               {c.arg()}, {.order_seed = 11});
  EXPECT_EQ(summary(report), "");
  for (int row = 0; row < 6; ++row) {
    for (int j = 0; j < 100; ++j) {
      int sum = 0, x = row % 3;
      for (int k = 1; k < std::min(j, 7); k += 2) sum += k;
      while (x < j) x = 2 * x + 1;
      ASSERT_EQ(c.at(row * 100 + j).as_int(), j == 5 ? 0 : sum * 1000 + x) << row << " " << j;
    }
  }
}

TEST(Control, SelectAndLogicGuardWhatStandsBehindThem) {
  Array a = ints({5, 6}), c = ints({0, 0, 0});
  const RunReport report = run(R"(func @f params [%A: global int32[2], %C: global int32[3]] {
    launch [%b: int32], [1] {
      alloc %s: shared int32[2]
      tile.copy src=%A[0 :+ 2], dst=%s[0 :+ 2]
      parallel [%i: int32], [3] {
        bind %v: int32, select(%i > 0, %s[%i - 1], floordiv(100, %i) + 7)
        if %i > 0 && %s[%i - 1] == 6 { store %C, [%i], 1 } else { store %C, [%i], 2 }
        if %i < 1 || %s[%i - 1] == 5 { store %C, [%i], %C[%i] + 10 }
      }
    } })",
                               {a.arg(), c.arg()});
  // 100 // 0 is the one thing wrong here.
  ASSERT_EQ(report.findings.size(), 1u) << summary(report);
  EXPECT_EQ(report.findings[0].diagnostic.code, 124);
  EXPECT_EQ(c.values(), (std::vector<double>{12, 12, 1}));
}

TEST(Control, EveryDtypeLoadsComputesAndStores) {
  for (const char* name : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                           "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"}) {
    const DType t = *parse_dtype(name);
    Array a(t, {300}, [](int64_t i) { return static_cast<double>(i % 16 - 8); }), c(t, {300}),
        f = floats(std::vector<double>(300));
    const std::string text = std::string("func @f params [%A: global ") + name + "[300], %C: global " + name +
                             "[300], %F: global float32[300]] { launch [%b: int32], [2] { alloc %s: fragment " + name +
                             "[150] tile.copy src=%A[%b * 150 :+ 150], dst=%s[0 :+ 150] parallel [%i: int32], [150] { "
                             "store %s, [%i], %s[%i] * %s[%i] - min(%s[%i], %A[%b * 150]) store %F, [%b * 150 + %i], "
                             "cast(float32, %s[%i]) } "
                             "tile.copy src=%s[0 :+ 150], dst=%C[%b * 150 :+ 150] } }";
    const RunReport report = run(text, {a.arg(), c.arg(), f.arg()});
    EXPECT_EQ(summary(report), "");
    Scalar first;
    for (int i = 0; i < 300; ++i) {
      const Scalar x = a.at(i);
      if (i % 150 == 0) first = x;
      const Scalar want = apply(BinaryOp::kSub, apply(BinaryOp::kMul, x, x), apply(BinaryOp::kMin, x, first));
      ASSERT_EQ(c.at(i), want) << name << " " << i;
      ASSERT_EQ(f.at(i), cast(want, DType::f32())) << name;
    }
  }
}

TEST(Control, LaunchesInALoopOfTheHost) {
  Array c = ints(std::vector<double>(8));
  const RunReport report = run(R"(func @f params [%C: global int32[8]] {
    for %n: int32, 0, 200 {
      launch [%b: int32], [2], lanes=[%t: int32], threads=[4] { store %C, [%b * 4 + %t], %C[7 - %b * 4 - %t] * 0 + %n + %t }
    } })",
                               {c.arg()});
  ASSERT_EQ(report.findings.size(), 2u);  // programs read what others write, and the other way round
  EXPECT_EQ(c.values(), (std::vector<double>{199, 200, 201, 202, 199, 200, 201, 202}));
}

TEST(Control, ElementaryFunctionsAndBitcasts) {
  Array a = floats({0.25, -2, 9});
  Array c = floats({0, 0, 0}), d = ints({0, 0, 0});
  run(R"(func @f params [%A: global float32[3], %C: global float32[3], %D: global int32[3]] {
    launch [%b: int32], [1] {
      parallel [%i: int32], [3] {
        store %C, [%i], exp(%A[%i]) + sqrt(abs(%A[%i]))
        store %D, [%i], bitcast(int32, %A[%i])
      }
    } })",
      {a.arg(), c.arg(), d.arg()});
  for (int i = 0; i < 3; ++i) {
    const Scalar x = a.at(i), magnitude = apply(UnaryOp::kAbs, x);
    EXPECT_EQ(c.at(i), apply(BinaryOp::kAdd, apply_math(MathFn::kExp, std::span(&x, 1)),
                             apply_math(MathFn::kSqrt, std::span(&magnitude, 1))));
    EXPECT_EQ(d.at(i).to_bits(), x.to_bits());
  }
}

TEST(Arguments, SymbolsAreSolvedAndChecked) {
  const std::string text =
      "func @f symbols [%n: int32, %m: int32] params [%k: int32, %A: global float32[2 * %n + 1, %m], %B: global "
      "float32[%m + 2, %k], "
      "%C: global int32[2]] { store %C, [0], %n store %C, [1], %m }";
  Array a(DType::f32(), {7, 4}), b(DType::f32(), {6, 5}), c = ints({0, 0});
  const Arg five = Scalar::of_int(DType::i32(), 5), six = Scalar::of_int(DType::i32(), 6);
  run(text, {five, a.arg(), b.arg(), c.arg()});
  EXPECT_EQ(c.values(), (std::vector<double>{3, 4}));
  Array odd(DType::f32(), {8, 4});
  EXPECT_EQ(code_of([&] { run(text, {five, odd.arg(), b.arg(), c.arg()}); }), 104);
  EXPECT_EQ(code_of([&] { run(text, {six, a.arg(), b.arg(), c.arg()}); }), 104);
  EXPECT_EQ(code_of([&] { run(text, {five, a.arg(), a.arg(), c.arg()}); }), 104);
  EXPECT_EQ(code_of([&] { run(text, {five, a.arg(), b.arg()}); }), 100);
  EXPECT_EQ(code_of([&] { run(text, {five, five, b.arg(), c.arg()}); }), 101);
  EXPECT_EQ(code_of([&] { run(text, {five, c.arg(), b.arg(), c.arg()}); }), 103);
  TensorArg gaps = a.arg();
  gaps.strides = {8, 1};
  EXPECT_EQ(code_of([&] { run(text, {five, gaps, b.arg(), c.arg()}); }), 105);
  TensorArg flat = a.arg();
  flat.shape = {28}, flat.strides = {1};
  EXPECT_EQ(code_of([&] { run(text, {five, flat, b.arg(), c.arg()}); }), 102);
  TensorArg nothing = a.arg();
  nothing.data = nullptr;
  EXPECT_EQ(code_of([&] { run(text, {five, nothing, b.arg(), c.arg()}); }), 107);
}

TEST(Print, Lines) {
  Array a = floats({1, 2.5});
  std::vector<std::string> lines;
  InterpretOptions options;
  options.print = [&](std::string_view line) { lines.emplace_back(line); };
  const RunReport report = run(R"(func @f params [%A: global float32[2]] {
    print message="host", values=[3, true]
    launch [%b: int32], [2], lanes=[%tx: int32], threads=[2] {
      alloc %s: shared int32[2, 2]
      store %s, [0, 1], 7
      print message="s", region=%s[0 :+ 2, 0 :+ 2]
      if %b == 1 { print values=[%A[1]] }
      print message="t", values=[%tx * 2]
      parallel [%i: int32, %j: int32], [1, 2] { print values=[%j] }
    } })",
                               {a.arg()}, options);
  EXPECT_EQ(summary(report), "");
  const std::vector<std::string> want = {"host 3 true",
                                         "[tile program 0] s s[0:2, 0:2] = [[?, 7], [?, ?]]",
                                         "[tile program 0, thread 0] t 0",
                                         "[tile program 0, thread 1] t 2",
                                         "[tile program 0, iteration (0, 0)] 0",
                                         "[tile program 0, iteration (0, 1)] 1",
                                         "[tile program 1] s s[0:2, 0:2] = [[?, 7], [?, ?]]",
                                         "[tile program 1] 2.5",
                                         "[tile program 1, thread 0] t 0",
                                         "[tile program 1, thread 1] t 2",
                                         "[tile program 1, iteration (0, 0)] 0",
                                         "[tile program 1, iteration (0, 1)] 1"};
  EXPECT_EQ(lines, want);
}

TEST(Assert, StopsWithTheMessage) {
  Array a = ints({3});
  try {
    run("func @f params [%A: global int32[1]] { launch [%b: int32], [4] { assert %b < 2 || %A[0] > 5, message=\"too "
        "small\" @\"k.py\":9 } }",
        {a.arg()});
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_EQ(e.diagnostics().front().code, 110);
    EXPECT_EQ(e.diagnostics().front().message, "assertion failed: too small");
    EXPECT_EQ(e.diagnostics().front().loc->line, 9);
    EXPECT_EQ(e.diagnostics().front().notes.front().message, "in tile program 2");
  }
}

TEST(Refused, ExternsAndMisplacedStatements) {
  Array a = ints({3});
  const auto code = [&](const std::string& body) {
    return code_of([&] { run("func @f params [%A: global int32[1]] {" + body + "}", {a.arg()}); });
  };
  EXPECT_EQ(code("evaluate extern:int32(\"g\", 1)"), 90);
  EXPECT_EQ(code("tile.fill dst=%A[0 :+ 1], value=1"), 73);
  EXPECT_EQ(code("launch [%b: int32], [1] { launch [%c: int32], [1] { } }"), 72);
  EXPECT_EQ(code("launch [%b: int32], [1] { parallel [%i: int32], [4] { tile.fill dst=%A[0 :+ 1], value=1 } }"), 62);
  EXPECT_EQ(code("launch [%b: int32], [1] { parallel [%i: int32], [4] { break } }"), 67);
  EXPECT_EQ(code("launch [%b: int32], [-1] { }"), 71);
}

}  // namespace
}  // namespace tl
