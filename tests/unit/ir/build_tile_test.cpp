// Copies, fills, matrix products, reductions.

#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using namespace testing;

Operand times(Operand a, int b) { return promote::binary(BinaryOp::kMul, a, b); }

/// A function with parameters A, float16 (n, 100), and B, float16 (8, 64, 32), and a launch around `body`.
std::string copies(const std::function<void(Builder&, Buffer, Buffer, Var)>& body) {
  const std::string text = built([&](Builder& b) {
    const Var n = b.symbol("n");
    const Buffer A = b.tensor("A", DType::f16(), {n, 100}), B = b.tensor("B", DType::f16(), {8, 64, 32});
    const Var bx = b.launch({4}, {128})[0];
    b.at(line(10));
    body(b, A, B, bx);
    b.end();
  });
  const size_t at = text.find("tile.copy"), end = text.find("\n  }\n}");
  return at == std::string::npos ? text : text.substr(at, end - at);
}

TEST(BuildCopy, AnElementIsAStart) {
  EXPECT_EQ(copies([](Builder& b, Buffer A, Buffer, Var bx) {
              b.copy(TileOperand::element(*element(A, {times(bx, 64), 32}).as<LoadNode>()), shared(b, "s", {64, 32}),
                     {.prefer = CopyPreference::kTma,
                      .evict = EvictionPolicy::kFirst,
                      .pad = 1,
                      .hints = {{"width", int64_t{2}}}});
            }),
            "tile.copy src=%A[%bx * 64 :+ 64, 32 :+ 32], dst=%s[0 :+ 64, 0 :+ 32], pad=1.0:float16, prefer=tma, "
            "evict=evict_first, hints={\"width\": 2}");
  EXPECT_EQ(copies([](Builder& b, Buffer, Buffer B, Var bx) {
              b.copy(shared(b, "s", {64, 32}), TileOperand::element(*element(B, {bx, 0, 0}).as<LoadNode>()));
            }),
            "tile.copy src=%s[0 :+ 64, 0 :+ 32], dst=%B[%bx :+ 1, 0 :+ 64, 0 :+ 32]");
  EXPECT_EQ(copies([](Builder& b, Buffer A, Buffer, Var) {
              b.copy(TileOperand::element(*element(A, {0, 0}).as<LoadNode>()), shared(b, "s", {1, 64, 32}));
            }),
            "tile.copy src=%A[0 :+ 64, 0 :+ 32], dst=%s[0 :+ 1, 0 :+ 64, 0 :+ 32]");
}

TEST(BuildCopy, ExtentsOfOneAside) {
  EXPECT_EQ(copies([](Builder& b, Buffer, Buffer B, Var bx) {
              b.copy(region(B, {bx, 0, 0}, {1, 64, 32}), shared(b, "s", {64, 32}));
            }),
            "tile.copy src=%B[%bx :+ 1, 0 :+ 64, 0 :+ 32], dst=%s[0 :+ 64, 0 :+ 32]");
}

TEST(BuildCopy, ASmallerSourceIsCopiedAsItIs) {
  EXPECT_EQ(
      copies([](Builder& b, Buffer A, Buffer, Var) { b.copy(region(A, {0, 0}, {32, 16}), shared(b, "s", {32, 32})); }),
      "tile.copy src=%A[0 :+ 32, 0 :+ 16], dst=%s[0 :+ 32, 0 :+ 16]");
  EXPECT_EQ(
      copies([](Builder& b, Buffer A, Buffer, Var) { b.copy(shared(b, "s", {32, 16}), region(A, {0, 0}, {32, 32})); }),
      "tile.copy src=%s[0 :+ 32, 0 :+ 16], dst=%A[0 :+ 32, 0 :+ 16]");
  EXPECT_EQ(
      copies([](Builder& b, Buffer A, Buffer, Var) { b.copy(region(A, {0, 0}, {1, 16}), shared(b, "s", {32, 32})); }),
      "tile.copy src=%A[0 :+ 1, 0 :+ 16], dst=%s[0 :+ 1, 0 :+ 16]");
  EXPECT_EQ(copies([](Builder& b, Buffer A, Buffer, Var) {
              b.copy(region(A, {0, 0}, {A->shape[0], 16}), shared(b, "s", {32, 16}));
            }),
            "tile.copy src=%A[0 :+ min(%n, 32), 0 :+ 16], dst=%s[0 :+ min(%n, 32), 0 :+ 16]");
}

TEST(BuildCopy, OneValueIsAStore) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer s = shared(b, "s", {4}, DType::i64()),
                           v = b.alloc("v", DType::i32(), {1}, MemorySpace::kVar);
              const auto s1 = TileOperand::element(*element(s, {1}).as<LoadNode>());
              b.copy(s1, v);
              b.copy(v, s1);
              b.copy(region(s, {1}, {1}), v);
              b.copy(s1, TileOperand::element(*element(s, {2}).as<LoadNode>()));
              b.fill(v, 3);
            }),
            "alloc %s: shared int64[4]\n"
            "alloc %v: var int32[1]\n"
            "store %v, [0], cast(int32, %s[1])\n"
            "store %s, [1], cast(int64, %v[0])\n"
            "store %v, [0], cast(int32, %s[1])\n"
            "store %s, [2], %s[1]\n"
            "store %v, [0], 3\n");
}

TEST(BuildCopy, Refused) {
  const auto copy = [](const std::function<void(Builder&, Buffer, Buffer)>& body) {
    return kernel([&](Builder& b) {
      const Buffer s = shared(b, "s", {64, 32}), t = shared(b, "t", {32, 64});
      b.at(line(11));
      body(b, s, t);
    });
  };
  const std::string notes =
      "\nnote: `s`, shared float16 (64, 32), is declared here: k.py:10:5"
      "\nnote: `t`, shared float16 (32, 64), is declared here: k.py:10:5";
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer t) { b.copy(s, t); }),
            "error[TL040]: T.copy between unequal shapes: s is (64, 32), t is (32, 64) (StructuralEqual check failed)\n"
            "  --> k.py:11:5" +
                notes + "\nhelp: copy a slice of the larger one, such as A[0:n, :]");
  EXPECT_EQ(
      copy([](Builder& b, Buffer s, Buffer t) {
        b.copy(TileOperand::element(*element(s, {0, 0}).as<LoadNode>()),
               TileOperand::element(*element(t, {0, 0}).as<LoadNode>()),
               {.prefer = CopyPreference::kAny, .evict = EvictionPolicy::kNormal, .pad = {}, .hints = {{"a", true}}});
      }),
      "error[TL041]: Can't deduce copy extents: both sides of T.copy are elements\n"
      "  --> k.py:11:5" +
          notes + "\nhelp: write a slice on one side: A[i, 0:n]");
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer t) { b.copy(region(s, {0, 0}, {64, 16}), t); }),
            "error[TL043]: T.copy: the source is larger than the destination: s[0:64, 0:16] is (64, 16), t is (32, 64) "
            "(Selected "
            "loop range is smaller than original src range)\n"
            "  --> k.py:11:5" +
                notes + "\nhelp: copy a slice of the source that fits");
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer t) { b.copy(s, region(t, {0, 8}, {32, 64})); }),
            "error[TL043]: T.copy: the source is larger than the destination: s is (64, 32), t[0:32, 8:72] is (32, 64) "
            "(Selected "
            "loop range is smaller than original src range)\n"
            "  --> k.py:11:5" +
                notes + "\nhelp: copy a slice of the source that fits");
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer) { b.copy(region(s, {0, 8}, {64, 32}), s); }),
            "error[TL054]: T.copy: s[0:64, 8:40] exceeds dimension 1 of `s`, which has extent 32\n"
            "  --> k.py:11:5\n"
            "note: `s`, shared float16 (64, 32), is declared here: k.py:10:5\nhelp: use a slice inside 0:32");
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer) {
              const Buffer row = shared(b, "row", {64});
              b.copy(s, TileOperand::element(*element(row, {0}).as<LoadNode>()));
            }),
            "error[TL040]: T.copy: row has fewer dimensions than the extents (64, 32) it would take\n"
            "  --> k.py:11:5\n"
            "note: `s`, shared float16 (64, 32), is declared here: k.py:10:5\n"
            "note: `row`, shared float16 (64,), is declared here: k.py:11:5\n"
            "help: write a slice of row with the extents to copy");
  EXPECT_EQ(copy([](Builder& b, Buffer s, Buffer) { b.copy(region(shared(b, "row", {64}), {0}, {32}), s); }),
            "error[TL040]: T.copy: the extents do not belong together: row[0:32] is (32,), s is (64, 32)\n"
            "  --> k.py:11:5\n"
            "note: `row`, shared float16 (64,), is declared here: k.py:11:5\n"
            "note: `s`, shared float16 (64, 32), is declared here: k.py:10:5\n"
            "help: extents of 1 aside, both sides need the same number of extents");
}

TEST(BuildFill, WholeAndPart) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer s = shared(b, "s", {8}, DType::i8());
              b.fill(s, -7);
              b.fill(region(s, {2}, {4}), 1);
              b.fill(TileOperand::element(*element(s, {1}).as<LoadNode>()), 2);
            }),
            "alloc %s: shared int8[8]\n"
            "tile.fill dst=%s[0 :+ 8], value=-7:int8\n"
            "tile.fill dst=%s[2 :+ 4], value=1:int8\n"
            "tile.fill dst=%s[1 :+ 1], value=2:int8\n");
}

TEST(BuildFill, Refused) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer s = shared(b, "S", {8}, DType::i8());
              b.at(line(11));
              b.fill(region(s, {6}, {6}), 7);
              b.at(line(12));
              b.fill(s, 128);
            }),
            "error[TL054]: T.fill: S[6:12] exceeds dimension 0 of `S`, which has extent 8\n"
            "  --> k.py:11:5\n"
            "note: `S`, shared int8 (8,), is declared here: k.py:10:5\nhelp: use a slice inside 0:8\n\n"
            "error[TL081]: 128 exceeds maximum of int8 (127)\n"
            "  --> k.py:12:5\n"
            "help: use a wider dtype, or wrap on purpose: T.cast(128, \"int8\")");
}

TEST(BuildGemm, Transposes) {
  EXPECT_EQ(
      kernel([](Builder& b) {
        const Buffer a = shared(b, "a", {1, 32, 64}, DType::i8()), w = fragment(b, "w", {16, 32}, DType::i8());
        const Buffer c = fragment(b, "c", {64, 16}, DType::i32());
        b.gemm(a, w, c,
               {.transpose_a = true, .transpose_b = true, .policy = WarpPolicy::kFullRow, .clear = 1, .hints = {}});
      }),
      "alloc %a: shared int8[1, 32, 64]\n"
      "alloc %w: fragment int8[16, 32]\n"
      "alloc %c: fragment int32[64, 16]\n"
      "tile.gemm a=%a[0 :+ 1, 0 :+ 32, 0 :+ 64], b=%w[0 :+ 16, 0 :+ 32], c=%c[0 :+ 64, 0 :+ 16], transpose_a=true, "
      "transpose_b=true, policy=full_row, clear=true\n");
}

struct Tile {
  std::vector<Operand> shape;
  DType dtype;
  MemorySpace space;
};

std::string gemm(Tile a, Tile w, Tile c, GemmOptions options = {}) {
  return kernel([&](Builder& b) {
    const Buffer A = b.alloc("A", a.dtype, a.shape, a.space), B = b.alloc("B", w.dtype, w.shape, w.space);
    const Buffer C = b.alloc("C", c.dtype, c.shape, c.space);
    b.at(line(11));
    b.gemm(A, B, C, options);
  });
}

TEST(BuildGemm, Refused) {
  const auto s = MemorySpace::kShared, r = MemorySpace::kFragment;
  const DType f16 = DType::f16(), f32 = DType::f32();
  EXPECT_EQ(gemm({{128, 32}, f16, s}, {{64, 128}, f16, s}, {{128, 64}, f32, r}),
            "error[TL031]: T.gemm: inner extents differ: A is (128, 32), B is (64, 128)\n"
            "  --> k.py:11:5\n"
            "note: `B`, shared float16 (64, 128), is declared here: k.py:10:5\n"
            "note: T.gemm K shape check failed: K_A = 32, K_B = 64\n"
            "help: allocate B as (32, 64), or pass transpose_B=True for (64, 32)\n\n"
            "error[TL031]: T.gemm: column extents differ: B is (64, 128), C is (128, 64)\n"
            "  --> k.py:11:5\n"
            "note: `C`, fragment float32 (128, 64), is declared here: k.py:10:5\n"
            "note: T.gemm N shape check failed: N_B = 128, N_C = 64\nhelp: C is M x N: allocate C with N = 128");
  EXPECT_EQ(gemm({{128, 32}, f16, s}, {{64, 32}, f16, s}, {{64, 64}, f32, r}),
            "error[TL031]: T.gemm: inner extents differ: A is (128, 32), B is (64, 32)\n"
            "  --> k.py:11:5\n"
            "note: `B`, shared float16 (64, 32), is declared here: k.py:10:5\n"
            "note: T.gemm K shape check failed: K_A = 32, K_B = 64\n"
            "help: pass transpose_B=True\n\n"
            "error[TL031]: T.gemm: row extents differ: A is (128, 32), C is (64, 64)\n"
            "  --> k.py:11:5\n"
            "note: `C`, fragment float32 (64, 64), is declared here: k.py:10:5\n"
            "note: T.gemm M shape check failed: M_A = 128, M_C = 64\nhelp: C is M x N: allocate C with M = 128");
  EXPECT_EQ(gemm({{32}, f16, s}, {{2, 32, 64}, f16, s}, {{64, 64}, f32, r}),
            "error[TL030]: T.gemm: current only support A as a 2D or higher-order tensor, but A is (32,)\n"
            "  --> k.py:11:5\n"
            "note: `A`, shared float16 (32,), is declared here: k.py:10:5\nhelp: a vector is a matrix with an extent "
            "of 1: give A a second extent\n\n"
            "error[TL030]: T.gemm: the leading extents of B must be 1, but B is (2, 32, 64)\n"
            "  --> k.py:11:5\n"
            "note: `B`, shared float16 (2, 32, 64), is declared here: k.py:10:5\n"
            "help: take one matrix: B[i, :, :]");
  EXPECT_EQ(gemm({{16, 16}, DType::bf16(), s}, {{16, 16}, DType::bf16(), s}, {{16, 16}, f16, r}),
            "error[TL032]: T.gemm: products of bfloat16 cannot be summed in float16\n"
            "  --> k.py:11:5\n"
            "note: `C`, fragment float16 (16, 16), is declared here: k.py:10:5\n"
            "help: allocate C as float32");
  EXPECT_EQ(gemm({{16, 16}, f16, s}, {{16, 16}, DType::i8(), s}, {{16, 16}, f32, r}),
            "error[TL032]: T.gemm: A is float16 and B is int8: Mixed-dtype GEMM only supports f8f6f4\n"
            "  --> k.py:11:5\n"
            "note: `B`, shared int8 (16, 16), is declared here: k.py:10:5\n"
            "help: copy B into a tile of float16");
  EXPECT_EQ(gemm({{16, 16}, DType::i64(), s}, {{16, 16}, DType::i64(), s}, {{16, 16}, DType::i64(), r}),
            "error[TL032]: T.gemm: A is int64, which no matrix product takes\n"
            "  --> k.py:11:5\n"
            "note: `A`, shared int64 (16, 16), is declared here: k.py:10:5\n"
            "help: use float16, bfloat16, tfloat32, float32, float64, int8, uint8, or an 8-, 6- or 4-bit float");
  EXPECT_EQ(gemm({{16, 16}, f16, MemorySpace::kGlobal}, {{16, 16}, f16, s}, {{16, 16}, f32, s}),
            "error[TL033]: T.gemm: Unsupported gemm combination: A is in global memory\n"
            "  --> k.py:11:5\n"
            "note: `A`, global float16 (16, 16), is declared here: k.py:10:5\n"
            "help: copy the tile into shared memory or a fragment first\n\n"
            "error[TL033]: T.gemm: local_buf must be a fragment: C is in shared memory\n"
            "  --> k.py:11:5\n"
            "note: `C`, shared float32 (16, 16), is declared here: k.py:10:5\n"
            "help: allocate C with T.alloc_fragment and copy it out afterwards");
}

TEST(BuildGemm, TheAccumulatorStandsAlone) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer c = fragment(b, "c", {16, 16}, DType::f32());
              const Buffer v = b.view("v", c, DType::f32(), {16, 16});
              b.at(line(11));
              b.gemm(v, shared(b, "s", {16, 16}, DType::f32()), c);
            }),
            "error[TL034]: T.gemm: the accumulator c overlaps A\n"
            "  --> k.py:11:5\n"
            "note: `c`, fragment float32 (16, 16), is declared here: k.py:10:5\n"
            "help: give C a fragment of its own");
}

TEST(BuildGemm, ExtentsAreConstants) {
  EXPECT_EQ(built([](Builder& b) {
              const Var n = b.symbol("n");
              b.launch({1}, {128});
              const Buffer s = shared(b, "s", {16, 16});
              b.gemm(region(s, {0, 0}, {16, n}), s, fragment(b, "c", {16, 16}));
              b.end();
            }),
            "error[TL085]: T.gemm: the tile A has extents known only at run time: s is (16, n)\n"
            "  --> k.py:1:5\n"
            "note: `s`, shared float16 (16, 16), is declared here: k.py:1:5\n"
            "help: use constant tile extents; what lies beyond the tensor reads as 0");
}

TEST(BuildReduce, SqueezedOrKept) {
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer x = fragment(b, "x", {8, 16}), row = fragment(b, "row", {8}),
                           kept = fragment(b, "kept", {1, 16});
              b.reduce("max", x, row, -1, false);
              b.reduce("sum", x, kept, 0);
              b.reduce("absmax", region(x, {3, 0}, {1, 16}), fragment(b, "one", {1}), 1);
            }),
            "alloc %x: fragment float32[8, 16]\n"
            "alloc %row: fragment float32[8]\n"
            "alloc %kept: fragment float32[1, 16]\n"
            "tile.reduce max, src=%x[0 :+ 8, 0 :+ 16], dst=%row[0 :+ 8], 1, clear=false\n"
            "tile.reduce sum, src=%x[0 :+ 8, 0 :+ 16], dst=%kept[0 :+ 1, 0 :+ 16], 0\n"
            "alloc %one: fragment float32[1]\n"
            "tile.reduce absmax, src=%x[3 :+ 1, 0 :+ 16], dst=%one[0 :+ 1], 1\n");
}

TEST(BuildReduce, Refused) {
  EXPECT_EQ(
      kernel([](Builder& b) {
        const Buffer x = fragment(b, "x", {8, 16}), row = fragment(b, "row", {8});
        b.at(line(11));
        b.reduce("sum", x, row, 0);
        b.at(line(12));
        b.reduce("sum", x, row, 2);
        b.at(line(13));
        b.reduce("mean", x, row, 1);
        b.at(line(14));
        b.reduce("bitor", x, row, 1);
        b.at(line(15));
        b.reduce("sum", b.alloc("w", DType::f32(), {8, 16}, MemorySpace::kGlobal), row, 1);
      }),
      "error[TL050]: T.reduce_sum: Invalid reduce output shape: (8, 16) reduced along dimension 0 gives (16,) or (1, "
      "16), but "
      "`row` is (8,)\n"
      "  --> k.py:11:5\n"
      "note: `x`, fragment float32 (8, 16), is declared here: k.py:10:5\n"
      "note: `row`, fragment float32 (8,), is declared here: k.py:10:5\nhelp: give `row` one of the two shapes\n\n"
      "error[TL053]: T.reduce_sum: dimension 2 is out of range for `x` of shape (8, 16) (Invalid reduce output shape)\n"
      "  --> k.py:12:5\n"
      "help: use a dimension from -2 to 1\n\n"
      "error[TL052]: Invalid reduce type `mean`\n"
      "  --> k.py:13:5\n"
      "help: use one of sum, abssum, max, min, absmax, bitand, bitor, bitxor\n\n"
      "error[TL080]: T.reduce_bitor takes integers or bool, not float32\n"
      "  --> k.py:14:5\n"
      "note: `x`, fragment float32 (8, 16), is declared here: k.py:10:5\nhelp: use sum, max or min for floats\n\n"
      "error[TL051]: T.reduce_sum: Invalid buffer scopes: `w` is in global memory\n"
      "  --> k.py:15:5\n"
      "note: `w`, global float32 (8, 16), is declared here: k.py:15:5\n"
      "help: copy the tile into shared memory or a fragment first");
}

}  // namespace
}  // namespace tl
