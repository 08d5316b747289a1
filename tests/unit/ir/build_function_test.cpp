// The function's own parts, launches, allocation, views.

#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using namespace testing;

TEST(BuildFunction, Parameters) {
  EXPECT_EQ(
      built([](Builder& b) {
        const Var n = b.symbol("n");
        b.tensor("A", DType::f16(), {n, 64});
        b.tensor("B", DType::f32(), {n}, {2});
        b.scalar("s", DType::f32());
        b.attr("flag", true);
        const Var fresh("m", DType::i32());
        b.tensor("C", DType::i8(), {promote::binary(BinaryOp::kMul, fresh, 2)});
      }),
      "func @f symbols [%n: int32, %m: int32] params [%A: global float16[%n, 64], %B: global float32[%n] strides [2], "
      "%s: float32, %C: global int8[%m * 2]] attrs {\"flag\": true} {}\n");
}

TEST(BuildFunction, WrongParameters) {
  EXPECT_EQ(built([](Builder& b) { b.tensor("A", DType::f16(), {4, 4}, {1}); }),
            "error[TL025]: Invalid shape/strides' dimensions: tensor `A` has shape (4, 4) and strides (1,)\n"
            "  --> k.py:1:5\n"
            "help: give one stride a dimension, in elements");
  EXPECT_EQ(built([](Builder& b) { b.tensor("A", DType::f16(), {4, -4}); }),
            "error[TL027]: tensor `A` has the negative extent -4 in shape (4, -4)\n"
            "  --> k.py:1:5\nhelp: extents are 0 or more");
  EXPECT_EQ(built([](Builder& b) { b.tensor("A", DType::f16(), {1.5}); }),
            "error[TL022]: extent 0 of tensor A is `1.5`, which is float32 and not an integer\n"
            "  --> k.py:1:5\n"
            "help: convert it: T.cast(x, \"int32\")");
  EXPECT_EQ(built([](Builder& b) { b.tensor("A", DType::void_(), {4}); }),
            "error[TL074]: tensor `A` cannot have elements of type void\n"
            "  --> k.py:1:5\nhelp: use a number type such as \"float32\"");
}

TEST(BuildFunction, OutputsExist) {
  Builder b("f");
  b.tensor("A", DType::f32(), {4});
  EXPECT_EQ(thrown([&] { b.finish({2}); }).second,
            "error[TL108]: output index 2 is out of range for a function with 1 parameters\nhelp: outputs are "
            "positions of parameters, from 0");
}

TEST(BuildFunction, ParametersCanBeReordered) {
  Builder b("f");
  b.tensor("A", DType::f32(), {4});
  b.scalar("s", DType::i32());
  b.reorder_parameters({1, 0});
  EXPECT_EQ(print(*b.finish({1})), "func @f params [%s: int32, %A: global float32[4]] outputs [1] {}\n");
}

TEST(BuildLaunch, GridAndLanes) {
  EXPECT_EQ(built([](Builder& b) {
              const Var n = b.symbol("n");
              const auto blocks =
                  b.launch({n, 2, 3}, {128}, {.names = {"i"}, .cluster = {1, 2}, .prelude = "// p", .hints = {}});
              EXPECT_EQ(blocks.size(), 3u);
              b.swizzle(4, "column");
              b.group("threads", 0, 32);
              b.evaluate(promote::binary(BinaryOp::kAdd, blocks[2], b.lanes()[0]));
              b.end();
              b.end();
              EXPECT_TRUE(b.launch({}, {32, 2}).empty());
              b.barrier();
              b.end();
            }),
            "func @f symbols [%n: int32] params [] {\n"
            "  launch [%i: int32, %by: int32, %bz: int32], [%n, 2, 3], lanes=[%tx: int32, %ty: int32, %tz: int32], "
            "threads=[128, 1, 1], cluster=[1, 2], rasterization=column, panel_size=4, prelude=\"// p\" {\n"
            "    group count=32 {\n"
            "      evaluate %bz + %tx\n"
            "    }\n"
            "  }\n"
            "  launch [], [], threads=[32, 2] {\n"
            "    barrier\n"
            "  }\n"
            "}\n");
}

TEST(BuildLaunch, SeveralMistakesInOneReport) {
  EXPECT_EQ(built([](Builder& b) {
              EXPECT_EQ(
                  b.launch({1, 2.5, 3, -4}, {0}, {.names = {}, .cluster = {4, 8}, .prelude = {}, .hints = {}}).size(),
                  4u);
              b.end();
            }),
            "error[TL071]: grid extent 1 of T.Kernel is `2.5`, which is float32 and not an integer\n"
            "  --> k.py:1:5\n"
            "help: convert it: T.cast(x, \"int32\")\n\n"
            "error[TL071]: grid extent 3 of T.Kernel is -4, it must not be negative\n"
            "  --> k.py:1:5\nhelp: an extent of 0 launches nothing\n\n"
            "error[TL071]: T.Kernel has 4 grid extents, at most 3 are allowed\n"
            "  --> k.py:1:5\n"
            "help: combine extents and take the coordinates apart with // and %\n\n"
            "error[TL070]: T.Kernel: threads must be positive, but they are (0)\n"
            "  --> k.py:1:5\n"
            "help: use 1 to 1024 threads in all, such as threads=128\n\n"
            "error[TL071]: T.Kernel: a cluster of 32 blocks is more than the 16 allowed\n"
            "  --> k.py:1:5\nhelp: give up to 3 positive entries that divide the grid, with a product of at most 16");
}

TEST(BuildLaunch, WrongThreadsAndClusters) {
  const auto launch = [](std::vector<Operand> grid, std::vector<int64_t> threads, std::vector<int64_t> cluster = {}) {
    return built([&](Builder& b) {
      b.launch(grid, threads, {.names = {}, .cluster = cluster, .prelude = {}, .hints = {}});
      b.end();
    });
  };
  EXPECT_EQ(launch({1}, {1025}),
            "error[TL070]: T.Kernel: 1025 threads are more than the 1024 that a block may have\n"
            "  --> k.py:1:5\n"
            "help: use 1 to 1024 threads in all, such as threads=128");
  EXPECT_EQ(launch({1}, {1, 1, 1, 1}),
            "error[TL070]: T.Kernel: threads has 4 dimensions, at most 3 are allowed\n"
            "  --> k.py:1:5\n"
            "help: use 1 to 1024 threads in all, such as threads=128");
  EXPECT_EQ(launch({3}, {1}, {2}),
            "error[TL071]: T.Kernel: cluster dimension 0 of 2 does not divide the grid extent 3\n"
            "  --> k.py:1:5\nhelp: give up to 3 positive entries that divide the grid, with a product of at most 16");
  EXPECT_EQ(launch({3}, {1}, {0}),
            "error[TL071]: T.Kernel: cluster_dims must be positive, but they are (0)\n  --> k.py:1:5\nhelp: give up to "
            "3 positive entries that divide the grid, with a product of at most 16");
  EXPECT_EQ(launch({3}, {1}, {1, 1, 1, 1}),
            "error[TL071]: T.Kernel: cluster_dims has 4 dimensions, at most 3 are allowed\n  --> k.py:1:5\nhelp: give "
            "up to 3 positive entries that divide the grid, with a product of at most 16");
  EXPECT_EQ(launch({0}, {33}), "func @f params [] {\n  launch [%bx: int32], [0], threads=[33] {}\n}\n");
}

TEST(BuildLaunch, NestedLaunch) {
  EXPECT_EQ(kernel([](Builder& b) { b.launch({1}, {1}); }),
            "error[TL072]: T.Kernel inside T.Kernel: launches do not nest\n"
            "  --> k.py:10:5\n"
            "note: the open launch is here: k.py:1:5\n"
            "help: close the first `with T.Kernel(...)`; launches of one function stand one after the other");
}

TEST(BuildLaunch, StatementsThatNeedOne) {
  EXPECT_EQ(built([](Builder& b) {
              b.swizzle(4);
              b.barrier();
              b.parallel({"i"}, {4});
              b.end();
              b.fill(b.alloc("s", DType::f32(), {4}, MemorySpace::kShared), 0);
              b.lanes();
            }),
            "error[TL073]: T.use_swizzle stands outside a launch\n"
            "  --> k.py:1:5\n"
            "help: put it into `with T.Kernel(...):`\n\n"
            "error[TL073]: T.sync_threads stands outside a launch\n"
            "  --> k.py:1:5\n"
            "help: put it into `with T.Kernel(...):`\n\n"
            "error[TL073]: T.Parallel stands outside a launch\n"
            "  --> k.py:1:5\n"
            "help: put it into `with T.Kernel(...):`\n\n"
            "error[TL073]: T.fill stands outside a launch\n"
            "  --> k.py:1:5\n"
            "help: put it into `with T.Kernel(...):`\n\n"
            "error[TL073]: a thread index stands outside a launch\n"
            "  --> k.py:1:5\n"
            "help: put it into `with T.Kernel(...):`");
}

TEST(BuildLaunch, SwizzleAndGroups) {
  EXPECT_EQ(kernel([](Builder& b) {
              b.swizzle(4, "diagonal");
              b.swizzle(0, "row");
              b.group("threads", 96, 64);
              b.end();
            }),
            "error[TL075]: Unsupported swizzle order `diagonal`\n"
            "  --> k.py:10:5\n"
            "help: use \"row\", \"column\" or \"mlx\"\n\n"
            "error[TL075]: T.use_swizzle: panel_size must be positive, but it is 0\n"
            "  --> k.py:10:5\nhelp: it counts the rows or columns of blocks in a panel, such as 4 or 8\n\n"
            "error[TL070]: threads 96 to 159 are not among the 128 of the launch\n"
            "  --> k.py:10:5\nhelp: a group is a range of the threads of T.Kernel");
}

TEST(BuildAlloc, EveryMemory) {
  EXPECT_EQ(kernel([](Builder& b) {
              shared(b, "s", {8, 8});
              shared(b, "s", {8, 8});
              shared(b, "mask", {8}, DType::boolean());
              fragment(b, "r", {8});
              b.alloc("l", DType::i8(), {3}, MemorySpace::kLocal, {}, {{"align", int64_t{16}}});
              b.alloc("v", DType::i32(), {1}, MemorySpace::kVar, 2.7);
              b.alloc("w", DType::f32(), {Operand(b.symbol("n"))}, MemorySpace::kGlobal);
            }).substr(0, 20),
            "func @f symbols [%n:");
  EXPECT_EQ(kernel([](Builder& b) {
              shared(b, "s", {8, 8});
              shared(b, "s", {8, 8});
              shared(b, "mask", {8}, DType::boolean());
              b.alloc("l", DType::i8(), {3}, MemorySpace::kLocal, {}, {{"align", int64_t{16}}});
              b.alloc("v", DType::i32(), {1}, MemorySpace::kVar, 2.7);
            }),
            "alloc %s: shared float16[8, 8]\n"
            "alloc %s_1: shared float16[8, 8]\n"
            "alloc %mask: shared_static bool[8]\n"
            "alloc %l: local int8[3], hints={\"align\": 16}\n"
            "alloc %v: var int32[1], init=2\n");
}

TEST(BuildAlloc, Refused) {
  const auto alloc = [](DType t, Operand extent, MemorySpace space, std::optional<Operand> init = {}) {
    return kernel([&](Builder& b) { b.alloc("s", t, {8, extent}, space, init); });
  };
  const Operand n = Var("n", DType::i32());
  EXPECT_EQ(alloc(DType::f16(), 0, MemorySpace::kShared),
            "error[TL074]: `s`: extent 1 of shape (8, 0) is 0, it must be positive\n"
            "  --> k.py:10:5\nhelp: give every extent at least 1");
  EXPECT_EQ(alloc(DType::f16(), n, MemorySpace::kLocal),
            "error[TL074]: `s`: the local shape (8, n) is known only at run time: Can only handle constant size stack "
            "allocation\n"
            "  --> k.py:10:5\n"
            "help: allocate the largest tile and guard what lies beyond the run-time extent");
  EXPECT_EQ(
      alloc(DType::f16(), n, MemorySpace::kFragment),
      "error[TL074]: `s`: the fragment shape (8, n) is known only at run time: the layout for a fragment of run-time "
      "size can not be inferred\n"
      "  --> k.py:10:5\n"
      "help: allocate the largest tile and guard what lies beyond the run-time extent");
  EXPECT_EQ(alloc(DType::void_(), 4, MemorySpace::kShared),
            "error[TL074]: `s`: elements cannot be of type void\n"
            "  --> k.py:10:5\n"
            "help: use a number type such as \"float32\"");
  EXPECT_EQ(alloc(*parse_dtype("float4_e2m1_unpacked"), 4, MemorySpace::kFragment),
            "error[TL074]: `s`: elements of type float4_e2m1_unpacked exist in shared memory only\n"
            "  --> k.py:10:5\n"
            "help: use \"float4_e2m1fn\"");
  EXPECT_EQ(alloc(DType::f32(), 4, MemorySpace::kVar),
            "error[TL074]: `s`: a variable has one element, not the shape (8, 4)\n"
            "  --> k.py:10:5\n"
            "help: use T.alloc_local");
  EXPECT_EQ(alloc(DType::f32(), 4, MemorySpace::kShared, 0),
            "error[TL074]: `s`: only variables take an initial value\n"
            "  --> k.py:10:5\n"
            "help: use T.fill after the allocation");
}

TEST(BuildView, SameSize) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer s = shared(b, "s", {8, 8});
              b.view("t", s, DType::f16(), {64});
              b.view("u", s, DType::i32(), {8, 4});
            }),
            "alloc %s: shared float16[8, 8]\n"
            "view %t: shared float16[64], %s\n"
            "view %u: shared int32[8, 4], %s\n");
  EXPECT_EQ(built([](Builder& b) {
              const Var n = b.symbol("n"), m = b.symbol("m");
              const Buffer a = b.tensor("A", DType::f16(), {n, 8});
              b.view("t", a, DType::f16(), {promote::binary(BinaryOp::kMul, n, 8)});
              b.view("u", a, DType::f16(), {m});
            }),
            "func @f symbols [%n: int32, %m: int32] params [%A: global float16[%n, 8]] {\n"
            "  view %t: global float16[%n * 8], %A\n"
            "  assert 16:int64 * cast(int64, %m) == 16:int64 * cast(int64, %n) * 8:int64, message=\"T.reshape/view "
            "shape check "
            "failed: `u` has another size than `A`\"\n"
            "  view %u: global float16[%m], %A\n"
            "}\n");
}

TEST(BuildView, Refused) {
  const auto view = [](std::vector<Operand> shape, std::vector<Operand> strides = {}) {
    return kernel([&](Builder& b) {
      const Buffer s = shared(b, "s", {8, 8});
      b.at(line(11));
      b.view("t", s, DType::i32(), shape, strides);
    });
  };
  EXPECT_EQ(view({64}),
            "error[TL026]: T.reshape/view shape check failed: int32 (64,) has another size than float16 (8, 8)\n"
            "  --> k.py:11:5\n"
            "note: `s`, shared float16 (8, 8), is declared here: k.py:10:5\n"
            "help: a view has as many bits as the buffer it names");
  EXPECT_EQ(view({4, 8}, {1}),
            "error[TL025]: Invalid shape/strides' dimensions: shape (4, 8), strides (1,)\n"
            "  --> k.py:11:5\n"
            "note: `s`, shared float16 (8, 8), is declared here: k.py:10:5\n"
            "help: give one stride a dimension, in elements");
  EXPECT_EQ(built([](Builder& b) { b.view("t", b.tensor("A", DType::f16(), {8, 8}, {16, 1}), DType::f16(), {64}); }),
            "error[TL025]: T.view of `A`, which is not contiguous\n"
            "  --> k.py:1:5\n"
            "note: `A`, global float16 (8, 8), is declared here: k.py:1:5\n"
            "help: give the strides of the view");
}

}  // namespace
}  // namespace tl
