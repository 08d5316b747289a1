// Loops of every kind, and what may stand in a parallel one.

#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using namespace testing;

TEST(BuildLoops, EveryKind) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer l = local(b, "l", {4});
              b.loop("i", 8, 0, -2, LoopKind::kUnrolled,
                     {.stages = 0, .order = {}, .stage = {}, .hints = {{"factor", int64_t{2}}}});
              b.end();
              b.loop("i", 0, Operand(promote::converted(8, DType::u64())), 1, LoopKind::kVectorized);
              b.end();
              b.loop("k", 0, 8, 1, LoopKind::kPipelined, {.stages = -1, .order = {}, .stage = {}, .hints = {}});
              b.end();
              const Var k = b.loop("k", 0, 8, 1, LoopKind::kPipelined,
                                   {.stages = 2, .order = {1, 0}, .stage = {0, 1}, .hints = {}});
              b.bind("x", promote::binary(BinaryOp::kAdd, k, 1));
              b.store(l, {0}, 0);
              b.store(l, {1}, 0);
              b.end();
            }),
            "alloc %l: local float32[4]\n"
            "for %i: int32, 8, 0, step=-2, loop=unrolled, hints={\"factor\": 2} {}\n"
            "for %i_1: uint64, 0:uint64, 8:uint64, step=1:uint64, loop=vectorized {}\n"
            "for %k: int32, 0, 8, loop=pipelined {}\n"
            "for %k_1: int32, 0, 8, loop=pipelined, stages=2, order=[1, 0], stage=[0, 1] {\n"
            "  bind %x: int32, %k_1 + 1\n"
            "  store %l, [0], 0.0:float32\n"
            "  store %l, [1], 0.0:float32\n"
            "}\n");
}

TEST(BuildLoops, Refused) {
  EXPECT_EQ(kernel([](Builder& b) {
              b.loop("i", 0, 1.5, 0);
              b.break_();
              b.end();
              b.loop("k", 0, 8, 1, LoopKind::kPipelined, {.stages = 2, .order = {1}, .stage = {0}, .hints = {}});
              b.end();
              b.while_(true);
              b.end();
              b.break_();
              b.continue_();
            }),
            "error[TL066]: the end of the loop is `1.5`, which is float32 and not an integer\n"
            "  --> k.py:10:5\n"
            "help: convert it: T.cast(x, \"int32\")\n\n"
            "error[TL065]: step must be non-zero\n"
            "  --> k.py:10:5\n"
            "help: use a positive step to count up, a negative one to count down\n\n"
            "error[TL077]: T.Pipelined: expected pipeline annotation size 0, one entry a statement of the body, but "
            "order has 1 "
            "and stage has 1\n"
            "  --> k.py:10:5\n"
            "help: statements that only bind a name are not counted\n\n"
            "error[TL004]: Infinite while loop: the condition is always true\n"
            "  --> k.py:10:5\n"
            "help: let the condition read a variable of T.alloc_var or an element that the loop changes\n\n"
            "error[TL067]: break outside a loop\n"
            "  --> k.py:10:5\n"
            "help: break leaves the innermost T.serial, T.unroll, T.Pipelined or while loop\n\n"
            "error[TL067]: continue outside a loop\n"
            "  --> k.py:10:5\n"
            "help: continue starts the next iteration of the innermost loop");
}

TEST(BuildLoops, NonConstantStepWarns) {
  Builder b("f");
  const Var s = b.scalar("s", DType::i32());
  b.loop("i", 0, 8, s);
  b.end();
  EXPECT_EQ(render(b.found(Severity::kWarning).at(0)), "warning[TL065]: Non-constant step s of loop `i`");
}

TEST(BuildParallel, DirectlyNestedLoopsBecomeOne) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer r = fragment(b, "r", {4, 8, 2});
              const Var i = b.parallel({"i"}, {4}, {{"coalesced_width", int64_t{4}}})[0];
              const auto jk = b.parallel({"j", "k"}, {8, 2}, {{"x", true}});
              b.store(r, {i, jk[0], jk[1]}, 1);
              b.continue_();
              b.end();
              b.end();
            }),
            "alloc %r: fragment float32[4, 8, 2]\n"
            "parallel [%i: int32, %j: int32, %k: int32], [4, 8, 2], hints={\"coalesced_width\": 4, \"x\": true} {\n"
            "  store %r, [%i, %j, %k], 1.0:float32\n"
            "  continue\n"
            "}\n");
}

TEST(BuildParallel, OtherNestsAreRefused) {
  const std::string tail =
      "\nnote: the outer parallel loop is here: k.py:11:5"
      "\nhelp: write one loop over both: `for i, j in T.Parallel(M, N):`, or make the inner one T.serial";
  EXPECT_EQ(
      kernel([](Builder& b) {
        const Buffer r = fragment(b, "r", {4});
        b.at(line(11));
        b.parallel({"i"}, {4});
        b.at(line(12));
        b.loop("s", 0, 2);
        b.at(line(13));
        b.parallel({"j"}, {8});
        b.end();
        b.end();
        b.end();
      }),
      "error[TL060]: [Tilelang Semantic Check] Nested parallel loops are not allowed unless one directly contains the "
      "other\n"
      "  --> k.py:13:5" +
          tail);
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer r = fragment(b, "r", {4});
              b.at(line(11));
              const Var i = b.parallel({"i"}, {4})[0];
              b.at(line(12));
              b.parallel({"j"}, {8});
              b.end();
              b.store(r, {i}, 0);
              b.end();
            }),
            "error[TL060]: [Tilelang Semantic Check] Nested parallel loops are not allowed beside other statements\n"
            "  --> k.py:12:5\n"
            "note: the outer parallel loop is here: k.py:11:5\n"
            "help: give the other statements a loop of their own");
  EXPECT_EQ(kernel([](Builder& b) {
              b.at(line(11));
              const Var i = b.parallel({"i"}, {4})[0];
              b.at(line(12));
              b.parallel({"j"}, {Operand(i)});
              b.end();
              b.end();
            }),
            "error[TL060]: [Tilelang Semantic Check] Nested parallel loops are not allowed: the extent of the inner "
            "one depends "
            "on the outer one\n"
            "  --> k.py:12:5\n"
            "note: the outer parallel loop is here: k.py:11:5\n"
            "help: run the inner loop over its largest extent and guard the body: `if j < i:`");
}

TEST(BuildParallel, WhatMayNotStandInside) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer s = shared(b, "s", {4, 4});
              b.at(line(11));
              b.parallel({"i"}, {4});
              b.at(line(12));
              b.loop("k", 0, 4, 1, LoopKind::kPipelined);
              b.end();
              b.at(line(13));
              b.fill(s, 0);
              b.at(line(14));
              b.barrier();
              b.at(line(15));
              b.break_();
              b.end();
            }),
            "error[TL061]: [Tilelang Semantic Check] Pipelined loop cannot be nested inside a parallel loop\n"
            "  --> k.py:12:5\n"
            "note: the parallel loop is here: k.py:11:5\n"
            "help: put the T.Parallel loop into the T.Pipelined loop\n\n"
            "error[TL062]: [Tilelang Semantic Check] Only elementwise operations are allowed inside a parallel loop, "
            "not T.fill\n"
            "  --> k.py:13:5\n"
            "note: the parallel loop is here: k.py:11:5\n"
            "help: move it out of the loop: a tile operation runs on all threads by itself\n\n"
            "error[TL076]: T.sync_threads inside T.Parallel: not all threads reach it equally often\n"
            "  --> k.py:14:5\n"
            "note: the parallel loop is here: k.py:11:5\n"
            "help: end the parallel loop before the barrier and start another one behind it\n\n"
            "error[TL067]: break inside T.Parallel: its iterations run in no order\n"
            "  --> k.py:15:5\n"
            "note: the parallel loop is here: k.py:11:5\n"
            "help: guard the body with `if`, or make the loop T.serial");
}

TEST(BuildParallel, NeedsExtents) {
  EXPECT_EQ(kernel([](Builder& b) { b.parallel({}, {}); }),
            "error[TL068]: T.Parallel has no extents\n"
            "  --> k.py:10:5\n"
            "help: give one extent a loop variable: `for i, j in T.Parallel(M, N):`");
}

TEST(BuildParallel, FragmentsAndRunTimeExtents) {
  EXPECT_EQ(
      built([](Builder& b) {
        const Var n = b.symbol("n");
        b.launch({1}, {128});
        b.at(line(10));
        const Buffer r = fragment(b, "r", {64}), s = shared(b, "s", {64}, DType::f32());
        b.at(line(11));
        const Var i = b.parallel({"i"}, {n})[0];
        const Expr j = b.bind("j", promote::binary(BinaryOp::kAdd, i, 1));
        b.store(s, {i}, element(r, {0}));
        b.at(line(12));
        b.store(r, {j}, 0);
        b.at(line(13));
        b.store(s, {i}, element(r, {i}));
        b.end();
        b.end();
      }),
      "error[TL063]: [Tilelang Semantic Check] fragment `r` is indexed by a T.Parallel variable of symbolic range\n"
      "  --> k.py:12:5\n"
      "note: `r`, fragment float32 (64,), is declared here: k.py:10:5\n"
      "help: give the loop a constant extent and guard the body: `if i < n:`\n\n"
      "error[TL063]: [Tilelang Semantic Check] fragment `r` is indexed by a T.Parallel variable of symbolic range\n"
      "  --> k.py:13:5\n"
      "note: `r`, fragment float32 (64,), is declared here: k.py:10:5\n"
      "help: give the loop a constant extent and guard the body: `if i < n:`");
}

TEST(BuildParallel, LocalBuffers) {
  EXPECT_EQ(
      kernel([](Builder& b) {
        const Buffer l = local(b, "l", {64});
        b.at(line(11));
        const Var i = b.parallel({"i"}, {64})[0];
        b.store(l, {0}, 0);
        b.at(line(12));
        b.store(l, {i}, 0);
        b.end();
      }),
      "error[TL064]: [Tilelang Semantic Check] Local buffer `l` is indexed by a T.Parallel variable\n"
      "  --> k.py:12:5\n"
      "note: `l`, local float32 (64,), is declared here: k.py:10:5\n"
      "help: every thread has its own copy of a local buffer: use T.alloc_fragment for a tile spread over the threads");
}

}  // namespace
}  // namespace tl
