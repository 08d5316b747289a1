// Elements, branches, names.

#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using namespace testing;

TEST(BuildStatements, Everything) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer l = local(b, "l", {4, 4});
              const Var i = b.loop("i", 0, 4);
              const Expr x = b.bind("x", element(l, {i, -1}));
              EXPECT_EQ(as_int(b.bind("c", 3)), 3);
              EXPECT_TRUE(same(b.bind("j", i), i));
              b.if_(promote::binary(BinaryOp::kGt, x, 0));
              b.store(l, {i, 0}, x);
              b.else_();
              b.continue_();
              b.end();
              b.end();
              const Buffer v = b.alloc("v", DType::i32(), {1}, MemorySpace::kVar, 0);
              b.while_(promote::binary(BinaryOp::kLt, element(v, {0}), 10));
              b.store(v, {0}, promote::binary(BinaryOp::kAdd, element(v, {0}), 1));
              b.if_(element(v, {0}));
              b.break_();
              b.end();
              b.end();
              b.assert_(true, "m");
              b.assume(true);
              b.print("p", {1, x.dtype().is_float(32)}, l);
              b.evaluate(promote::extern_call(DType::void_(), "g", {1}));
              b.barrier(1, 64);
            }),
            "alloc %l: local float32[4, 4]\n"
            "for %i: int32, 0, 4 {\n"
            "  bind %x: float32, %l[%i, 3]\n"
            "  if %x > 0.0:float32 {\n"
            "    store %l, [%i, 0], %x\n"
            "  } else {\n"
            "    continue\n"
            "  }\n"
            "}\n"
            "alloc %v: var int32[1], init=0\n"
            "while %v[0] < 10 {\n"
            "  store %v, [0], %v[0] + 1\n"
            "  if %v[0] != 0 {\n"
            "    break\n"
            "  }\n"
            "}\n"
            "assert true, message=\"m\"\n"
            "assume true\n"
            "print message=\"p\", values=[1, true], region=%l[0 :+ 4, 0 :+ 4]\n"
            "evaluate extern:void(\"g\", 1)\n"
            "barrier id=1, count=64\n");
}

TEST(BuildStatements, StoresConvert) {
  Builder b("f");
  b.at(line(3));
  const Buffer a = b.tensor("A", DType::i32(), {4});
  b.store(a, {0}, 2.5);
  b.store(a, {1}, 2.0);
  b.store(a, {0}, 2.5);
  ASSERT_EQ(b.found(Severity::kWarning).size(), 1u);  // one line says it once
  EXPECT_EQ(render(b.found(Severity::kWarning)[0]),
            "warning[TL087]: storing float32 in `A` of type int32 may lose precision\n"
            "  --> k.py:3:5\n"
            "help: say that it is meant: T.cast(x, \"int32\")");
  EXPECT_EQ(print(*b.finish()),
            "func @f params [%A: global int32[4]] {\n  store %A, [0], 2\n  store %A, [1], 2\n  store %A, [0], 2\n}\n");
}

TEST(BuildStatements, ElementsAreChecked) {
  const auto access = [](std::vector<Operand> indices) {
    return kernel([&](Builder& b) {
      const Buffer l = local(b, "A", {4, 4}, DType::i8());
      b.at(line(11));
      b.store(l, indices, 300);
    });
  };
  const std::string note = "\nnote: `A`, local int8 (4, 4), is declared here: k.py:10:5";
  EXPECT_EQ(access({0}),
            "error[TL020]: Buffer A is 2-dimensional (shape=(4, 4)), it cannot be indexed with the 1-dimensional "
            "indices given\n"
            "  --> k.py:11:5" +
                note + "\nhelp: provide exactly 2 indices");
  EXPECT_EQ(access({0, 4}),
            "error[TL021]: index 4 is out of range for dimension 1 of A, which has extent 4\n"
            "  --> k.py:11:5" +
                note + "\nhelp: use an index from -4 to 3");
  EXPECT_EQ(access({-5, 0}),
            "error[TL021]: index -5 is out of range for dimension 0 of A, which has extent 4\n"
            "  --> k.py:11:5" +
                note + "\nhelp: use an index from -4 to 3");
  EXPECT_EQ(access({0, 1.0}),
            "error[TL022]: index 1 of A is `1.0`, which is float32 and not an integer\n"
            "  --> k.py:11:5\nhelp: convert it: T.cast(x, \"int32\")");
  EXPECT_EQ(access({0, 1}),
            "error[TL081]: 300 exceeds maximum of int8 (127)\n"
            "  --> k.py:11:5\nhelp: use a wider dtype, or wrap on purpose: T.cast(300, \"int8\")");
  const auto [cls, text] = thrown([] { element(make_buffer("A", DType::f32(), {4, 4}, MemorySpace::kGlobal), {1}); });
  EXPECT_EQ(cls, "IndexError");
  EXPECT_EQ(text,
            "error[TL020]: Buffer A is 2-dimensional (shape=(4, 4)), but 1 index(es) were provided\n"
            "note: `A`, global float32 (4, 4)\nhelp: provide exactly 2 indices");
}

TEST(BuildStatements, TextIsNoElement) {
  EXPECT_EQ(
      kernel([](Builder& b) { b.store(local(b, "l", {4}), {0}, Expr(make_string("s"))); }),
      "error[TL024]: a value of type string cannot be stored in an element of type float32: Incompatible types in "
      "BufferStore\n"
      "  --> k.py:10:5\nhelp: store a number or an element");
}

TEST(BuildStatements, NegativeIndicesCountFromTheEnd) {
  const Var n("n", DType::i32());
  const Buffer a = make_buffer("A", DType::f32(), {n, 4}, MemorySpace::kGlobal);
  EXPECT_EQ(print(element(a, {-1, -4})), "A[n + -1, 0]");
}

TEST(BuildStatements, SlicesHaveExtents) {
  const Var i("i", DType::i32());
  const Buffer a = make_buffer("A", DType::f32(), {64}, MemorySpace::kGlobal);
  const auto times8 = [&](Operand v) { return promote::binary(BinaryOp::kMul, v, 8); };
  const Expr next = times8(promote::binary(BinaryOp::kAdd, i, 1));
  EXPECT_EQ(print(region(a, {times8(i)}, {promote::binary(BinaryOp::kSub, next, times8(i))})), "A[i * 8 :+ 8]");
  EXPECT_EQ(thrown([&] { region(a, {8}, {-4}); }).second,
            "error[TL027]: the slice of dimension 0 of A has the negative extent -4\n"
            "note: `A`, global float32 (64,)\n"
            "help: write the smaller bound first");
}

TEST(BuildStatements, NamesEndWithTheirBlock) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer l = local(b, "l", {4});
              b.at(line(11));
              const Var i = b.loop("i", 0, 4);
              b.at(line(12));
              const Expr y = b.bind("y", promote::binary(BinaryOp::kAdd, i, 1));
              const Buffer inner = local(b, "inner", {4});
              b.end();
              b.at(line(13));
              b.store(l, {0}, y);
              b.at(line(14));
              b.store(inner, {0}, 0);
              b.at(line(15));
              b.store(l, {Operand(i)}, Operand(Var("other", DType::f32())));
            }),
            "error[TL002]: Immutable variable `y` is used outside its defining region\n"
            "  --> k.py:13:5\n"
            "note: `y` is defined here: k.py:12:5\n"
            "help: to carry a value out of a loop or branch, write to a variable made by T.alloc_var before it\n\n"
            "error[TL002]: Buffer `inner` is used outside its defining region\n"
            "  --> k.py:14:5\n"
            "note: `inner` is defined here: k.py:12:5\n"
            "help: allocate it before the loop or branch\n\n"
            "error[TL002]: Immutable variable `i` is used outside its defining region\n"
            "  --> k.py:15:5\n"
            "note: `i` is defined here: k.py:11:5\n"
            "help: to carry a value out of a loop or branch, write to a variable made by T.alloc_var before it\n\n"
            "error[TL002]: Immutable variable `other` is not part of this function\n"
            "  --> k.py:15:5\n"
            "help: make it a parameter, or define it in the function before its first use");
}

TEST(BuildStatements, DiscardDropsTheFrame) {
  EXPECT_EQ(kernel([](Builder& b) {
              b.loop("i", 0, 4);
              b.barrier();
              b.discard();
            }),
            "");
}

}  // namespace
}  // namespace tl
