// Products on scalar units: what they compute, from which accesses.

#include "passes/thread/gemm_loop.h"

#include <fmt/format.h>

#include "passes/pipeline.h"
#include "passes/thread/choose_layout.h"
#include "simulate/interpreter.h"
#include "unit/passes/pass_run.h"

namespace tl {
namespace {

/// C[m, n] = A * B by one block.
struct Product {
  int64_t m, n, k, threads;
  bool transpose_a = false, transpose_b = false;
  std::string operands = "float32", sums = "float32";

  std::string text() const {
    const auto shape = [](int64_t rows, int64_t columns, bool turned) {
      return turned ? fmt::format("{}, {}", columns, rows) : fmt::format("{}, {}", rows, columns);
    };
    const auto all = [](int64_t rows, int64_t columns, bool turned) {
      return turned ? fmt::format("[0 :+ {}, 0 :+ {}]", columns, rows)
                    : fmt::format("[0 :+ {}, 0 :+ {}]", rows, columns);
    };
    const std::string a = shape(m, k, transpose_a), b = shape(k, n, transpose_b), c = shape(m, n, false);
    const std::string all_a = all(m, k, transpose_a), all_b = all(k, n, transpose_b), all_c = all(m, n, false);
    return fmt::format(
        R"(func @f params [%A: global {0}[{2}], %B: global {0}[{3}], %C: global {1}[{4}]] {{
  launch [%bx: int32], [1], threads=[{5}] {{
    alloc %a: shared {0}[{2}]
    alloc %b: shared {0}[{3}]
    alloc %c: fragment {1}[{4}]
    tile.copy src=%A{6}, dst=%a{6}
    tile.copy src=%B{7}, dst=%b{7}
    tile.gemm a=%a{6}, b=%b{7}, c=%c{8}, transpose_a={9}, transpose_b={10}, clear=true
    tile.copy src=%c{8}, dst=%C{8}
  }}
}}
)",
        operands, sums, a, b, c, threads, all_a, all_b, all_c, transpose_a, transpose_b);
  }
};

template <class T, class Sum>
void expect_product(const Product& product) {
  auto function = parse_function(product.text());
  Diagnostics diagnostics;
  const Attrs config;
  const Target& target = *find_target("sm_90a");
  PassContext context{target, config, diagnostics, 16};
  for (const Step& step : pipeline_for(target.kind)) {
    const std::string_view one[] = {step.pass};
    run_passes(*function, one, context, {});
  }
  const auto [m, n, k] = std::tuple(product.m, product.n, product.k);
  std::vector<T> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
  std::vector<Sum> c(static_cast<size_t>(m * n), Sum(77)), wanted(c.size(), Sum(0));
  const auto a_at = [&](int64_t i, int64_t p) {
    return static_cast<size_t>(product.transpose_a ? p * m + i : i * k + p);
  };
  const auto b_at = [&](int64_t p, int64_t j) {
    return static_cast<size_t>(product.transpose_b ? j * k + p : p * n + j);
  };
  // Small whole numbers: every sum is exact.
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i * 7 % 23) - 9);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i * 5 % 19) - 8);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) {
        wanted[static_cast<size_t>(i * n + j)] += static_cast<Sum>(a[a_at(i, p)]) * static_cast<Sum>(b[b_at(p, j)]);
      }
    }
  }
  const auto tensor = [](auto& data, DType dtype, int64_t rows, int64_t columns) {
    return TensorArg{data.data(), dtype, {rows, columns}, {columns, 1}};
  };
  const DType operands = *parse_dtype(product.operands), sums = *parse_dtype(product.sums);
  const Arg args[] = {product.transpose_a ? tensor(a, operands, k, m) : tensor(a, operands, m, k),
                      product.transpose_b ? tensor(b, operands, n, k) : tensor(b, operands, k, n),
                      tensor(c, sums, m, n)};
  const RunReport report = interpret(*function, args, {.check = true, .implicit_barriers = false});
  EXPECT_TRUE(report.findings.empty()) << render(report.findings[0].diagnostic) << print(*function);
  EXPECT_EQ(c, wanted) << print(*function);
}

std::string lowered(const Product& product) {
  auto function = parse_function(product.text());
  Diagnostics diagnostics;
  const Attrs config;
  PassContext context{*find_target("sm_90a"), config, diagnostics, 16};
  const std::string_view passes[] = {"tiles-to-loops", "infer-layouts", "lower-threads", "simplify"};
  run_passes(*function, passes, context, {});
  return print(*function);
}

int64_t count(const std::string& text, std::string_view part) {
  int64_t out = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(GemmLoop, AnyTileAndTransposition) {
  struct Shape {
    int64_t m, n, k, threads;
  };
  for (const Shape& s : {Shape{16, 32, 8, 32}, Shape{32, 16, 16, 64}, Shape{8, 8, 4, 96}, Shape{13, 7, 5, 32},
                         Shape{12, 20, 6, 32}, Shape{20, 12, 3, 48}, Shape{1, 16, 4, 32}, Shape{16, 1, 4, 32}}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        SCOPED_TRACE(fmt::format("{}x{}x{} {} {}", s.m, s.n, s.k, ta, tb));
        expect_product<float, float>({s.m, s.n, s.k, s.threads, ta, tb});
        expect_product<double, double>({s.m, s.n, s.k, s.threads, ta, tb, "float64", "float64"});
        expect_product<int8_t, int32_t>({s.m, s.n, s.k, s.threads, ta, tb, "int8", "int32"});
        expect_product<float, double>({s.m, s.n, s.k, s.threads, ta, tb, "float32", "float64"});
      }
    }
  }
}

TEST(GemmLoop, OperandsComeInVectorsInEveryOrder) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const std::string text = lowered({64, 64, 16, 128, ta, tb});
      const size_t loop = text.find("\"unroll\": ");
      // One for A, one for B.
      EXPECT_EQ(count(text.substr(loop, text.find("fma(") - loop), "0, 4, loop=vectorized"), 2) << text;
      EXPECT_EQ(count(text, "fma("), 1) << text;
    }
  }
}

TEST(GemmLoop, GroupsAreShorterWhereRegistersRunOut) {
  EXPECT_EQ(count(lowered({128, 128, 16, 256}), "step=4, hints={\"unroll\": 2}"), 1);
  EXPECT_EQ(count(lowered({128, 128, 16, 256, false, true}), "step=2, hints={\"unroll\": 1}"), 1);
}

TEST(GemmLoop, IntegersAreNotFused) {
  EXPECT_EQ(count(lowered({32, 32, 16, 64, false, false, "int8", "int32"}), "fma("), 0);
}

TEST(GemmLoop, LargeBlocksAskForANeighbourWhereRegistersSuffice) {
  constexpr std::string_view kHint = "\"resident_blocks\": 2";
  EXPECT_EQ(count(lowered({128, 128, 16, 256}), kHint), 1);
  EXPECT_EQ(count(lowered({256, 128, 16, 256}), kHint), 0);
  EXPECT_EQ(count(lowered({64, 64, 64, 128}), kHint), 0);
}

TEST(AccumulatorLayout, FollowsTheOperands) {
  Gemm gemm;
  const auto layout = [&](bool ta, bool tb) {
    gemm.transpose_a = ta, gemm.transpose_b = tb;
    return accumulator_layout(gemm, {64, 64}, 128);
  };
  // Registers 0 to 3 of thread 0, as row-major elements.
  const auto first = [](const Fragment& f) {
    return std::vector<int64_t>{*f.element(0, 0), *f.element(0, 1), *f.element(0, 2), *f.element(0, 3)};
  };
  EXPECT_EQ(first(layout(false, false)), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(first(layout(true, true)), (std::vector<int64_t>{0, 8, 16, 24}));
  // Four rows follow the eight columns.
  EXPECT_EQ(*layout(true, false).element(0, 8), 64);
  EXPECT_EQ(*layout(false, false).element(0, 8), 16 * 64);
}

}  // namespace
}  // namespace tl
