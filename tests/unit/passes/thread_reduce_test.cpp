// Reductions over threads of which some hold nothing: all that is combined has a value.

#include <fmt/format.h>

#include "passes/pipeline.h"
#include "simulate/interpreter.h"
#include "unit/passes/pass_run.h"

namespace tl {
namespace {

/// Y = the sum of X, a tile of `rows` x `columns`, along `dim`.
void expect_sums(int64_t rows, int64_t columns, int dim, int64_t threads) {
  const int64_t results = dim == 0 ? columns : rows;
  const std::string text = fmt::format(
      R"(func @f params [%X: global float32[{0}, {1}], %Y: global float32[{2}]] {{
  launch [%bx: int32], [1], threads=[{3}] {{
    alloc %x: fragment float32[{0}, {1}]
    alloc %s: fragment float32[{2}]
    tile.copy src=%X[0 :+ {0}, 0 :+ {1}], dst=%x[0 :+ {0}, 0 :+ {1}]
    tile.reduce sum, src=%x[0 :+ {0}, 0 :+ {1}], dst=%s[0 :+ {2}], {4}
    tile.copy src=%s[0 :+ {2}], dst=%Y[0 :+ {2}]
  }}
}}
)",
      rows, columns, results, threads, dim);
  auto function = parse_function(text);
  Diagnostics diagnostics;
  const Attrs config;
  const Target& target = *find_target("sm_90a");
  PassContext context{target, config, diagnostics};
  for (const Step& step : pipeline_for(target.kind)) {
    const std::string_view one[] = {step.pass};
    run_passes(*function, one, context, {});
  }
  std::vector<float> x(static_cast<size_t>(rows * columns)), y(static_cast<size_t>(results), -1);
  std::vector<float> wanted(y.size(), 0);
  for (int64_t i = 0; i < rows * columns; ++i) {
    x[static_cast<size_t>(i)] = static_cast<float>(i * 7 % 23) - 9;
    wanted[static_cast<size_t>(dim == 0 ? i % columns : i / columns)] += x[static_cast<size_t>(i)];
  }
  const DType f32 = DType::f32();
  const Arg args[] = {TensorArg{x.data(), f32, {rows, columns}, {columns, 1}},
                      TensorArg{y.data(), f32, {results}, {1}}};
  const RunReport report = interpret(*function, args, {.check = true, .implicit_barriers = false});
  EXPECT_TRUE(report.findings.empty()) << render(report.findings[0].diagnostic) << print(*function);
  EXPECT_EQ(y, wanted) << print(*function);
}

TEST(ThreadReduce, CombinesOnlyWhatHasAValue) {
  for (const int64_t threads : {1, 32, 33, 64, 100, 128}) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 7}, {1, 40}, {33, 3}, {16, 64}, {128, 1}}) {
      for (const int dim : {0, 1}) expect_sums(rows, columns, dim, threads);
    }
  }
}

}  // namespace
}  // namespace tl
