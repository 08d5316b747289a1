#include "backend/host/host_emitter.h"

#include <gtest/gtest.h>

#include "backend/host/host_prelude.h"
#include "embedded/host_prelude.h"
#include "ir/text.h"
#include "types/math_fn.h"
#include "unit/backend/prelude_defines.h"

namespace tl {
namespace {

/// The kernels of the emitted program, without the prelude.
std::string kernels_of(std::string_view text) {
  const auto function = parse_function(text);
  const std::string source = emit_host(*function, LineTable(*function)).text;
  return source.substr(source.find("extern \"C\" __attribute__"));
}

std::string body_of(std::string_view body) {
  const std::string kernel = kernels_of(
      "func @f symbols [%n: int32] params [%A: global float32[%n, 8], %B: global int8[16], %s: float32] {\n"
      "  launch [%bx: int32], [%n] {\n" +
      std::string(body) + "\n  }\n}\n");
  const std::string start = "const i64 bx = program;\n";
  const size_t from = kernel.find(start) + start.size();
  return kernel.substr(from, kernel.find("  }\n  (void)args") - from);
}

TEST(HostEmitter, KernelReadsItsArgumentsAndWalksItsPrograms) {
  EXPECT_EQ(
      kernels_of("func @scale symbols [%n: int32] params [%A: global float32[%n], %s: float32] {\n"
                 "  launch [%bx: int32, %by: int32], [4, %n] {\n"
                 "    store %A, [%bx], %A[%by] * %s\n"
                 "  }\n}\n"),
      R"(extern "C" __attribute__((visibility("default"))) void scale_kernel(const u64* args, const i64* grid, i64 first, i64 last, const tl_host_context* context) {
  float* const A = (float*)args[0];
  const float s = __builtin_bit_cast(float, u32(args[1]));
  const i64 n = i64(i32(args[2]));
  for (i64 program = first; program < last; ++program) {
    const i64 bx = program % grid[0];
    const i64 by = program / grid[0] % grid[1];
    A[bx] = A[by] * s;
  }
  (void)args, (void)grid, (void)context;
}

}  // namespace tlp
)");
}

TEST(HostEmitter, ValuesWrapAndIndicesDoNot) {
  EXPECT_EQ(body_of("store %A, [%bx * 64 + 1, floormod(%bx, 8)], cast(float32, %bx * 64 + 1)"),
            "    A[(bx * 64 + 1) * 8 + floor_mod<i64>(bx, 8)] = cast<float>(i32(bx) * 64 + 1);\n");
  EXPECT_EQ(body_of("store %B, [0], %B[1] * %B[2] - %B[3]"), "    B[0] = i8(i8(B[1] * B[2]) - B[3]);\n");
}

TEST(HostEmitter, PrecedenceIsThatOfCpp) {
  EXPECT_EQ(body_of("if (%bx & 3) == 1 && (%bx < 4 || %bx > 8) && !(%bx == 5) { store %A, [0, 0], -(%s - 1.0:float32) "
                    "* 2.0:float32 }"),
            "    if ((i32(bx) & 3) == 1 && (i32(bx) < 4 || i32(bx) > 8) && !(i32(bx) == 5)) {\n"
            "      A[0] = -(s - 1.0f) * 2.0f;\n"
            "    }\n");
}

TEST(HostEmitter, LoopsCountUpAndDown) {
  EXPECT_EQ(body_of("for %i: int32, 8, 0, step=-2 { store %A, [0, %i], 0.0:float32 }"),
            "    for (i64 i = 8; i > 0; i += -2) {\n      A[i] = 0.0f;\n    }\n");
}

TEST(HostEmitter, PreludeTableNamesTheHeaderThatDefinesEachFunction) {
  const auto defines = [](std::string_view header, const std::string& name) {
    return testing::prelude_defines(embedded::host_prelude::files, header, name);
  };
  for (size_t i = 0; i < kNumMathFns; ++i) {
    const std::string name(math_fn_name(static_cast<MathFn>(i)));
    EXPECT_TRUE(defines(host_prelude_header(name), name)) << name;
  }
  for (const char* name : {"abs", "min", "max", "cast", "floor_div", "floor_mod", "trunc_div", "trunc_mod",
                           "shift_left", "shift_right", "gemm", "reduce_row", "signed_value"}) {
    EXPECT_TRUE(defines(host_prelude_header(name), name)) << name;
  }
}

TEST(HostEmitter, LinesOfTheUserComeFromATable) {
  const auto function = parse_function(
      "func @f params [%A: global float32[4]] {\n  launch [], [] {\n    store %A, [0], 1.0:float32 @\"k.py\":7:3-9\n  "
      "}\n}\n");
  const LineTable lines(*function);
  const std::string source = emit_host(*function, lines).text;
  EXPECT_NE(source.find("//@0\n"), std::string::npos);
  const std::string shown =
      with_user_lines(source, lines.lines(), [](const std::string&, int) { return "  A[0] = 1"; });
  EXPECT_NE(shown.find("    // k.py:7  A[0] = 1\n    A[0] = 1.0f;\n"), std::string::npos) << shown;
}

}  // namespace
}  // namespace tl
