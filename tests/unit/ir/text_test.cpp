#include "ir/text.h"

#include <gtest/gtest.h>

#include "ir/walk.h"

namespace tl {
namespace {

constexpr std::string_view kProgram =
    R"(func @main symbols [%n: int32] params [%A: global float16[%n, 64], %B: global float32[64] strides [2], %s: float32] outputs [1] attrs {"flag": true, "list": [1, 2], "note": "a \"b\"\n", "x": 0.5:float64} {
  launch [%bx: int32], [floordiv(%n + 63, 64)], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[128], rasterization=row, panel_size=4 {
    alloc %t: shared float16[64, 64]
    alloc %v: var int32[1], init=3
    tile.copy src=%A[%bx * 64 :+ 64, 0 :+ 64], dst=%t[0 :+ 64, 0 :+ 64], pad=0.0:float16
    for %i: int32, 0, %n, step=2, loop=pipelined, stages=3 slot(threads, 1, 2) {
      bind %x: float32, cast(float32, %t[%i, -%i + (%i - (3 - %i)) * 2]) + exp(%s)
      if %i < %n && (%i >= 3 || !(%i == 5)) {
        store %B, [min(%i, 63)], select(%x > 1.0:float32, %x, -%x)
      } else {
        break
      }
    }
    parallel [%i_1: int32, %j: int32], [64, 64] {
      store %t, [%i_1, %j], inf:float16
    }
    tile.gemm a=%t[0 :+ 64, 0 :+ 64], b=%t[0 :+ 64, 0 :+ 64], c=%t[0 :+ 64, 0 :+ 64], transpose_b=true, clear=true
    tile.reduce max, src=%t[0 :+ 64, 0 :+ 64], dst=%B[0 :+ 64], 1, clear=false
    evaluate extern:int32("f", %bx, 7:int64, -1:int8)
    print message="hi", values=[%bx], region=%t[0 :+ 64, 0 :+ 64]
  }
}
)";

TEST(Text, PrintsWhatItReads) { EXPECT_EQ(print(*parse_function(kProgram)), kProgram); }

TEST(Text, PositionsSurvive) {
  auto f = parse_function("func @f params [] {\n  barrier @\"a.py\":3:5-9 in \"m\" @\"b.py\":7\n}\n");
  ASSERT_EQ(f->body.size(), 1u);
  EXPECT_EQ(f->body[0]->loc->line, 3);
  EXPECT_EQ(f->body[0]->loc->macro, "m");
  EXPECT_EQ(f->body[0]->loc->caller->file, "b.py");
  const std::string text = print(*f, {.positions = true});
  EXPECT_EQ(print(*parse_function(text), {.positions = true}), text);
}

TEST(Text, NamesOfDifferentThingsDiffer) {
  Var a("i", DType::i32()), b("i", DType::i32());
  Function f;
  f.name = "f";
  f.params = {a, b};
  f.body.push_back([&] {
    auto op = make_op<Bind>({});
    op->var = Var("i", DType::i32());
    op->value = a + b;
    return op;
  }());
  EXPECT_EQ(print(f), "func @f params [%i: int32, %i_1: int32] {\n  bind %i_2: int32, %i + %i_1\n}\n");
}

TEST(Text, OperatorsOfOneSymbolPrefixAreToldApart) {
  for (const char* e : {"%a << 2 < %b && %a <= %b || %a != %b", "%a | %b == %a ^ %b", "(%a < 1 || %b < 1) && %b == 1",
                        "%a - (%b - 1) - 2", "~%a & -%b"}) {
    const std::string text = std::string("func @f params [%a: int32, %b: int32] {\n  evaluate ") + e + "\n}\n";
    EXPECT_EQ(print(*parse_function(text)), text);
  }
}

TEST(Text, ErrorsSayWhere) {
  try {
    parse_function("func @f params [] {\n  store %X, [0], 1\n}\n", "t.tl");
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find("unknown buffer `%X`"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("t.tl:2:"), std::string::npos) << e.what();
  }
}

TEST(Text, CloneAndRenewedCloneAreEqual) {
  auto f = parse_function(kProgram);
  auto copy = clone(*f);
  EXPECT_TRUE(structural_equal(*f, *copy));
  copy->body = clone_with_new_definitions(f->body);
  EXPECT_TRUE(structural_equal(*f, *copy));
  EXPECT_EQ(structural_hash(*f), structural_hash(*copy));
}

}  // namespace
}  // namespace tl
