#include "backend/cuda/cuda_emitter.h"

#include <gtest/gtest.h>

#include "backend/cuda/cuda_prelude.h"
#include "embedded/cuda_prelude.h"
#include "ir/text.h"
#include "types/math_fn.h"
#include "unit/backend/prelude_defines.h"

namespace tl {
namespace {

EmittedSource emitted(std::string_view text) {
  const auto function = parse_function(text);
  return emit_cuda(*function, LineTable(*function), *find_target("sm_90a"));
}

/// The kernels of the emitted program, without the prelude.
std::string kernels_of(std::string_view text) {
  const std::string source = emitted(text).text;
  return source.substr(source.find("extern \"C\""));
}

std::string with_body(std::string_view body, std::string_view hints) {
  return "func @f symbols [%n: int32] params [%A: global float32[%n, 8], %B: global int8[16], %C: global int32[%n], "
         "%D: global uint16[16], %s: float32] {\n  launch [%bx: int32], [100], lanes=[%tx: int32, %ty: int32, %tz: "
         "int32], threads=[128], hints={" +
         std::string(hints) + "} {\n" + std::string(body) + "\n  }\n}\n";
}

/// What a kernel does behind its coordinates.
std::string body_of(std::string_view body, std::string_view hints = "\"index_bits\": 32, \"shared_bytes\": 4096") {
  const std::string kernel = kernels_of(with_body(body, hints));
  size_t from = kernel.find('\n') + 1;
  for (const char* declaration : {"  __shared__", "  extern __shared__", "  const int bx", "  const int tx",
                                  "  const i64 bx", "  const i64 tx"}) {
    if (kernel.compare(from, std::string(declaration).size(), declaration) == 0) from = kernel.find('\n', from) + 1;
  }
  return kernel.substr(from, kernel.find("\n}\n", from) + 1 - from);
}

TEST(CudaEmitter, AsynchronousMovesAndTheirGroups) {
  EXPECT_EQ(body_of("    alloc %tile: shared float32[4, 8], hints={\"offset\": 0}\n"
                    "    for %v: int32, 0, 4, loop=vectorized, hints={\"async\": true} {\n"
                    "      store %tile, [%tx, 4 + %v], %A[%bx, 4 + %v]\n    }\n"
                    "    thread.commit\n    thread.wait 1\n"),
            "  float* const tile = (float*)shared_area;\n"
            "  copy_async<4>(&tile[tx * 8 + 4], &A[bx * 8 + 4]);\n"
            "  commit_async();\n"
            "  wait_async<1>();\n");
}

TEST(CudaEmitter, KernelTakesItsArgumentsAndMovesVectors) {
  EXPECT_EQ(
      kernels_of(
          "func @scale symbols [%n: int32] params [%A: global float32[%n], %B: global float32[%n], %s: float32] {\n"
          "  launch [%bx: int32], [4], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[32, 4], "
          "hints={\"index_bits\": 32, \"shared_bytes\": 0} {\n"
          "    alloc %a: local float32[4]\n"
          "    if %bx * 128 + %tx * 4 < %n {\n"
          "      for %v: int32, 0, 4, loop=vectorized { store %a, [%v], %A[%bx * 128 + %tx * 4 + %v] }\n"
          "      for %i: int32, 0, 4, loop=unrolled { store %a, [%i], %a[%i] * %s }\n"
          "      for %w: int32, 0, 4, loop=vectorized { store %B, [%bx * 128 + %tx * 4 + %w], %a[%w] }\n"
          "    }\n  }\n}\n"),
      R"(extern "C" __global__ void __launch_bounds__(128) scale_kernel(const float* A, float* B, float s, int n) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  alignas(16) float a[4];
  if (bx * 128 + tx * 4 < n) {
    copy<4>(a, &A[bx * 128 + tx * 4]);
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = a[i] * s;
    }
    copy<4>(&B[bx * 128 + tx * 4], a);
  }
}

}  // namespace tlp
)");
}

TEST(CudaEmitter, HintsBoundRegistersAndUnrolling) {
  const std::string kernel = kernels_of(with_body("for %k: int32, 0, 8, hints={\"unroll\": 2} { store %C, [%k], 1 }",
                                                  "\"index_bits\": 32, \"resident_blocks\": 2"));
  EXPECT_NE(kernel.find("__launch_bounds__(128, 2)"), std::string::npos) << kernel;
  EXPECT_NE(kernel.find("  #pragma unroll 2\n  for (int k = 0; k < 8; ++k) {"), std::string::npos) << kernel;
}

TEST(CudaEmitter, IndicesHaveTheWidthOfTheHint) {
  const char* body = "store %A, [%bx * 64 + %tx, floormod(%tx, 8)], %s";
  EXPECT_EQ(body_of(body, "\"index_bits\": 32"), "  A[(bx * 64 + tx) * 8 + tx % 8] = s;\n");
  const std::string wide = kernels_of(with_body(body, ""));
  EXPECT_NE(wide.find("  const i64 bx = blockIdx.x;\n"), std::string::npos) << wide;
  EXPECT_EQ(body_of("store %C, [%n - 1 - %bx], %bx", ""), "  C[i64(n) - 1 - bx] = int(bx);\n");
}

TEST(CudaEmitter, ValuesThatMayLeaveTheirTypeAreComputedInWords) {
  EXPECT_EQ(body_of("store %C, [0], %bx * 64 + %tx"), "  C[0] = bx * 64 + tx;\n");
  EXPECT_EQ(body_of("store %C, [0], %C[1] * 3 - %tx"), "  C[0] = int(u32(C[1]) * 3u - u32(tx));\n");
  EXPECT_EQ(body_of("store %C, [0], -%C[1]"), "  C[0] = int(-u32(C[1]));\n");
  EXPECT_EQ(body_of("store %B, [0], %B[1] * %B[2] - %B[3]"), "  B[0] = i8(i8(B[1] * B[2]) - B[3]);\n");
  EXPECT_EQ(body_of("store %D, [0], %D[1] * %D[2]"), "  D[0] = u16(u32(D[1]) * u32(D[2]));\n");
}

TEST(CudaEmitter, DivisionIsThatOfCppWhereItMeansTheSame) {
  EXPECT_EQ(body_of("store %C, [floordiv(%tx, 32)], floordiv(%tx, 5) + floormod(%tx + 1, 32)"),
            "  C[tx / 32] = tx / 5 + (tx + 1) % 32;\n");
  EXPECT_EQ(body_of("store %C, [0], floordiv(%C[0], 8)"), "  C[0] = C[0] >> 3;\n");
  EXPECT_EQ(body_of("store %C, [0], floormod(%C[0], 8)"), "  C[0] = C[0] & 7;\n");
  EXPECT_EQ(body_of("store %C, [0], floordiv(%C[0], %C[1])"), "  C[0] = floor_div(C[0], C[1]);\n");
}

TEST(CudaEmitter, RangesComeFromDeclarations) {
  EXPECT_EQ(
      body_of("bind %k: int32, floormod(%C[%tx], 100)\n"
              "for %i: int32, 3, 0, step=-1 { store %C, [0], floordiv(%k * %i, 3) }"),
      "  const int k = floor_mod(C[tx], 100);\n  for (int i = 3; i > 0; i += -1) {\n    C[0] = k * i / 3;\n  }\n");
  EXPECT_EQ(body_of("store %C, [0], select(%bx < 3, %tx, 5) * 1000000"), "  C[0] = (bx < 3 ? tx : 5) * 1000000;\n");
  EXPECT_EQ(body_of("store %C, [0], %n * 2 - 1"), "  C[0] = int(u32(n) * 2u - 1u);\n");
}

TEST(CudaEmitter, BuffersOfTheBlockLieInOneArea) {
  const std::string_view body =
      "alloc %tile: shared float32[16, 16], hints={\"offset\": 0}\n"
      "alloc %other: shared float16[64], hints={\"offset\": 1024}\n"
      "store %tile, [0, %tx], %s\nbarrier\nstore %other, [%tx], cast(float16, %tile[1, 2])";
  const EmittedSource small = emitted(with_body(body, "\"index_bits\": 32, \"shared_bytes\": 1152"));
  EXPECT_NE(small.text.find("  __shared__ __align__(128) unsigned char shared_area[1152];\n"), std::string::npos);
  EXPECT_EQ(small.kernels[0].shared_bytes, 0);
  const EmittedSource large = emitted(with_body(body, "\"index_bits\": 32, \"shared_bytes\": 49664"));
  EXPECT_NE(large.text.find("  extern __shared__ __align__(128) unsigned char shared_area[];\n"), std::string::npos);
  EXPECT_EQ(large.kernels[0].shared_bytes, 49664);
  EXPECT_EQ(body_of(body),
            "  float* const tile = (float*)shared_area;\n"
            "  f16* const other = (f16*)(shared_area + 1024);\n"
            "  tile[tx] = s;\n"
            "  __syncthreads();\n"
            "  other[tx] = f16(tile[18]);\n");
}

TEST(CudaEmitter, OnlyMovesOfOneAccessAreVectors) {
  const auto is_move = [&](const std::string& body) {
    return body_of("alloc %a: local float32[8]\n" + body).find("copy<") != std::string::npos;
  };
  EXPECT_TRUE(is_move("for %v: int32, 0, 2, loop=vectorized { store %a, [4 + %v], %A[%tx, %v + 2] }"));
  EXPECT_TRUE(is_move("for %v: int64, 0:int64, 4:int64, loop=vectorized { store %a, [%v], %A[%tx, %v + 4:int64] }"));
  EXPECT_EQ(body_of("alloc %a: local float32[8]\nfor %v: int32, 4, 8, loop=vectorized { store %a, [%v], %A[%tx, %v] }"),
            "  alignas(16) float a[8];\n  copy<4>(&a[4], &A[tx * 8 + 4]);\n");
  EXPECT_FALSE(is_move("for %v: int32, 0, 4, loop=vectorized { store %a, [%v], %A[%v, 0] }"));
  EXPECT_FALSE(is_move("for %v: int32, 0, 4, loop=vectorized { store %a, [%v * 2], %A[0, %v] }"));
  EXPECT_FALSE(is_move("for %v: int32, 0, 8, loop=vectorized { store %a, [%v], %A[0, %v] }"));
  EXPECT_FALSE(is_move("for %v: int32, 0, 4, loop=vectorized { store %a, [%v], %A[0, %v] + 1.0 }"));
}

TEST(CudaEmitter, ThreadsReduceByThePrelude) {
  EXPECT_EQ(body_of("alloc %x: local float32[2]\nalloc %scratch: shared float32[8], hints={\"offset\": 64}\n"
                    "thread.reduce max, values=%x[0 :+ 2], extent=128, stride=1, scratch=%scratch[0 :+ 8]\n"
                    "thread.reduce sum, values=%x[1 :+ 1], extent=8, stride=4"),
            "  alignas(16) float x[2];\n"
            "  float* const scratch = (float*)(shared_area + 64);\n"
            "  thread_reduce<max_of, 128, 128, 1, 2>(tx, x, scratch);\n"
            "  thread_reduce<sum_of, 128, 8, 4, 1>(tx, &x[1]);\n");
}

TEST(CudaEmitter, SeveralLaunchesAreSeveralKernels) {
  const EmittedSource source = emitted(
      "func @f params [%A: global float32[4], %B: global float32[4]] {\n"
      "  launch [], [] { store %A, [0], 1.0 }\n  launch [], [], threads=[8, 4] { store %B, [0], %A[0] }\n}\n");
  ASSERT_EQ(source.kernels.size(), 2u);
  EXPECT_EQ(source.kernels[0].symbol, "f_kernel");
  EXPECT_EQ(source.kernels[1].symbol, "f_kernel_1");
  EXPECT_EQ(source.kernels[0].args.size(), 1u);
  EXPECT_EQ(source.kernels[1].threads, (std::array<int64_t, 3>{8, 4, 1}));
  EXPECT_NE(source.text.find("f_kernel_1(const float* A, float* B) {"), std::string::npos) << source.text;
}

TEST(CudaEmitter, AViewThatIsWrittenMakesItsTensorWritten) {
  const std::string kernels = kernels_of(
      "func @f params [%A: global float32[4], %B: global float32[4]] {\n  launch [], [] {\n"
      "    view %V: global int32[4], %A\n    view %W: global int32[4], %B\n    store %V, [0], %W[1]\n  }\n}\n");
  EXPECT_NE(kernels.find("(float* A, const float* B) {\n"), std::string::npos) << kernels;
  EXPECT_NE(kernels.find("  int* const V = (int*)A;\n  const int* const W = (const int*)B;\n"), std::string::npos);
}

TEST(CudaEmitter, NamesOfTheLanguageAndOfThePreludeStayFree) {
  const std::string kernels = kernels_of(
      "func @f params [%threadIdx: global float32[4], %copy: global float32[4], %f: float32] {\n  launch [], [] {\n"
      "    store %threadIdx, [0], pure_extern:float32(\"f\", %copy[0]) + %f\n  }\n}\n");
  EXPECT_NE(kernels.find("  threadIdx_1[0] = f(copy_1[0]) + f_1;\n"), std::string::npos) << kernels;
}

TEST(CudaEmitter, AssertionsNameTheirPlaceAndStop) {
  EXPECT_EQ(body_of("assert %n > 3, message=\"100% \\\"n\\\"\" @\"k.py\":12:3-9"),
            "  //@0\n  if (!(n > 3)) {\n"
            "    printf(\"k.py:12: Device assert failed: 100%% \\\"n\\\"; the condition is n > 3; it failed at \" "
            "TLP_PLACE \"\\n\", TLP_HERE);\n"
            "    __trap();\n  }\n");
}

TEST(CudaEmitter, PrintsHaveTheFormOfTheHost) {
  EXPECT_EQ(body_of("print message=\"here\", values=[%n, %s, %n > 2]\nprint region=%B[2 :+ 3]"),
            "  printf(\"here: \" TLP_PLACE \": n=%d\\n\", TLP_HERE, n);\n"
            "  printf(\"here: \" TLP_PLACE \": s=%.9g\\n\", TLP_HERE, double(s));\n"
            "  printf(\"here: \" TLP_PLACE \": n > 2=%s\\n\", TLP_HERE, n > 2 ? \"true\" : \"false\");\n"
            "  for (int i0 = 2; i0 < 5; ++i0) {\n"
            "    printf(TLP_PLACE \": B[%lld]=%d\\n\", TLP_HERE, i64(i0), B[i0]);\n"
            "  }\n");
}

TEST(CudaEmitter, ProgramsThatWaitForEachOtherTakeAWordMore) {
  const EmittedSource source = emitted(
      "func @f params [%A: global int32[8]] {\n"
      "  launch [%grid_state: int32], [8], threads=[32] {\n"
      "    store %A, [%grid_state], 1\n"
      "    barrier grid=true\n"
      "    store %A, [%grid_state], %A[7 - %grid_state]\n"
      "  }\n"
      "  launch [], [] { barrier }\n"
      "}\n");
  ASSERT_EQ(source.kernels.size(), 2u);
  EXPECT_TRUE(source.kernels[0].programs_meet);
  EXPECT_FALSE(source.kernels[1].programs_meet);
  EXPECT_EQ(source.kernels[0].args.size(), 1u);
  EXPECT_NE(source.text.find("f_kernel(int* A, u32* grid_state)"), std::string::npos) << source.text;
  EXPECT_NE(source.text.find("  grid_barrier(grid_state);\n"), std::string::npos) << source.text;
  EXPECT_NE(source.text.find("f_kernel_1()"), std::string::npos) << source.text;
}

TEST(CudaEmitter, TypesThatCudaLacksAreRefused) {
  try {
    emitted("func @f params [%A: global float8_e4m3[4]] { launch [], [] { store %A, [0], %A[1] } }");
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_EQ(e.diagnostics().at(0).code, 90);
  }
}

TEST(CudaEmitter, PreludeTableNamesTheHeaderThatDefinesEachFunction) {
  const auto defines = [](std::string_view header, const std::string& name) {
    return testing::prelude_defines(embedded::cuda_prelude::files, header, name);
  };
  for (size_t i = 0; i < kNumMathFns; ++i) {
    const std::string name(math_fn_name(static_cast<MathFn>(i)));
    EXPECT_TRUE(defines(cuda_prelude_header(name), name)) << name;
  }
  for (const char* name : {"abs", "min", "max", "cast", "floor_div", "floor_mod", "trunc_div", "trunc_mod",
                           "shift_left", "shift_right", "copy", "thread_reduce", "sum_of", "max_of", "grid_barrier"}) {
    EXPECT_TRUE(defines(cuda_prelude_header(name), name)) << name;
  }
  EXPECT_TRUE(defines(cuda_prelude_header("floor_div", DType::f32()), "floor_div"));
}

}  // namespace
}  // namespace tl
