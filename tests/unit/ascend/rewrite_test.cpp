#include <algorithm>

#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

std::string rewritten(std::string_view text) { return rewrite(text).text; }

TEST(AscendRewrite, PointersAndCasts) {
  EXPECT_EQ(rewritten("__ubuf__ float* a"), "tl_ub_ptr< float >  a");
  EXPECT_EQ(rewritten("const __gm__ unsigned char *p"), "const tl_gm_ptr< unsigned char  > p");
  EXPECT_EQ(rewritten("(__cc__ V<int, W<2>>*)0"), "(tl_l0c_ptr< V<int, W<2>> > )0");
  EXPECT_EQ(rewritten("reinterpret_cast<__ubuf__ half*>(x)"), "tl_ascend::cast_pointer<tl_ub_ptr< half > >(x)");
  EXPECT_EQ(rewritten("reinterpret_cast<float*>(x)"), "reinterpret_cast<float*>(x)");
  EXPECT_EQ(rewritten("\"__ubuf__ float*\" // __gm__ int* x"), "\"__ubuf__ float*\" // __gm__ int* x");
}

TEST(AscendRewrite, ElementsThatAreOnlyRead) {
  EXPECT_EQ(rewritten("y = f(x[i]);"), "y = f(x[tl_ascend::Read(i)]);");
  EXPECT_EQ(rewritten("x[t[i]] = 1;"), "x[t[tl_ascend::Read(i)]] = 1;");
  EXPECT_EQ(rewritten("x[i] == 1"), "x[tl_ascend::Read(i)] == 1");
  EXPECT_EQ(rewritten("((T)p)[i] < q"), "((T)p)[tl_ascend::Read(i)] < q");
  EXPECT_EQ(rewritten("a & x[i]"), "a & x[tl_ascend::Read(i)]");
  EXPECT_EQ(rewritten("(&(x[i]))"), "(&(x[i]))");
  EXPECT_EQ(rewritten("(x[i]) = 1;"), "(x[i]) = 1;");
  EXPECT_EQ(rewritten("f((x[i]))"), "f((x[tl_ascend::Read(i)]))");
  for (const char* text :
       {"x[i] = 1", "x[i] += 1", "x[i] <<= 1", "x[i]++", "--x[i]", "f(&x[i])", "p = &((T)q)[i]", "x[i].y = 1",
        "x[i][j] = 1", "auto [a, b] = c", "int x[] = {}", "f([=](int) {})", "operator[](I)"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

TEST(AscendRewrite, LoopsCountTheirTurns) {
  EXPECT_EQ(rewritten("for (int i = 0; i < n; ++i) {"), "for (int i = 0; i < n; ++i, tl_ascend::turn()) {");
  EXPECT_EQ(rewritten("for (;;);"), "for (;;tl_ascend::turn());");
  EXPECT_EQ(rewritten("for (auto f = [] { a; b; }; f(); g(f, 1) ) x;"),
            "for (auto f = [] { a; b; }; f(); g(f, 1) , tl_ascend::turn()) x;");
  EXPECT_EQ(rewritten("for (int i : {1, 2}) x;"), "for (int i : {1, 2}) x;");
  EXPECT_EQ(rewritten("while (x[i] < (n)) {}"), "while (tl_ascend::turn(), x[tl_ascend::Read(i)] < (n)) {}");
  EXPECT_EQ(rewritten("do x; while ((a));"), "do x; while (tl_ascend::turn(), (a));");
  EXPECT_EQ(rewritten("while (int n = next()) {}"), "while (int n = next()) {}");
}

TEST(AscendRewrite, LinesStay) {
  const std::string text =
      "#include <tl_templates/ascend/common.h>\n/* a\nb */ __ubuf__\n float\n *x;\n#define A \\\n  1\nint y[\n2\n];\n";
  const std::string out = rewritten(text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(out.begin(), out.end(), '\n'));
}

TEST(AscendRewrite, KernelsAndRegions) {
  const RewrittenText out = rewrite(
      "__simt_vf__ __launch_bounds__(2 * 64) inline void r() {}\nnamespace a { namespace b {\n"
      "extern \"C\" __global__ __mix__(1, 2) void k(__gm__ float* x) { if (true) {} }\n} }\n"
      "extern \"C\" __global__ __cube__ void c() {}\n");
  ASSERT_EQ(out.kernels.size(), 2U);
  EXPECT_EQ(out.kernels[0].qualified, "a::b::k");
  EXPECT_EQ(out.kernels[0].kind, CoreKind::kMixed);
  EXPECT_EQ(out.kernels[1].qualified, "c");
  EXPECT_EQ(out.kernels[1].kind, CoreKind::kCube);
  ASSERT_EQ(out.bounds.size(), 1U);
  EXPECT_EQ(out.bounds[0].name, "r");
}

TEST(AscendRewrite, LinesOfHeadersAreNamed) {
  const TextFile header{"own.h", "// first\n__simt_vf__ inline void bad(__ubuf__ float* x) { x[0] = x[1]; }\n"};
  const std::string source =
      "#include \"own.h\"\nextern \"C\" __global__ __vector__ void k() {\n  asc_vf_call<bad>(cce::dim3(1), (__ubuf__ "
      "float*)0);\n}\n";
  const SharedObject object("k", compile_shared_object(find_host_toolchain({}),
                                                       {"k", host_text(source, {&header, 1}), host_flags(), 0, false}));
  const Program program([&](const std::string& name) { return object.find(name); }, "k.asc", {"own.h"});
  const RunReport report = run(program, {"k", 1, {}, {}});
  ASSERT_TRUE(has_code(report, 121)) << text_of(report);
  EXPECT_EQ(to_string(report.findings[0].diagnostic.loc), "own.h:2");
}

}  // namespace
}  // namespace tl::simulate::ascend
