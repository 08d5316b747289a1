#include "passes/thread/pipeline_copies.h"

#include <gtest/gtest.h>

#include "ir/walk.h"
#include "passes/pipeline.h"
#include "simulate/interpreter.h"
#include "unit/passes/pass_run.h"

namespace tl {
namespace {

/// A product of tiles over `trips` steps; `after` stands behind the loop.
std::string product(const std::string& trips, int stages, const std::string& after = "") {
  return "func @f symbols [%n: int32] params [%A: global float32[64, 1024], %B: global float32[1024, 64], %C: global "
         "float32[64, 64]] {\n  launch [%bx: int32], [1], threads=[128] {\n"
         "    alloc %a: shared float32[64, 32]\n    alloc %b: shared float32[32, 64]\n"
         "    alloc %c: fragment float32[64, 64]\n    tile.fill dst=%c[0 :+ 64, 0 :+ 64], value=0.0:float32\n"
         "    for %k: int32, 0, " +
         trips + ", loop=pipelined, stages=" + std::to_string(stages) +
         " {\n"
         "      tile.copy src=%A[0 :+ 64, %k * 32 :+ 32], dst=%a[0 :+ 64, 0 :+ 32]\n"
         "      tile.copy src=%B[%k * 32 :+ 32, 0 :+ 64], dst=%b[0 :+ 32, 0 :+ 64]\n"
         "      tile.gemm a=%a[0 :+ 64, 0 :+ 32], b=%b[0 :+ 32, 0 :+ 64], c=%c[0 :+ 64, 0 :+ 64]\n    }\n" +
         after + "    tile.copy src=%c[0 :+ 64, 0 :+ 64], dst=%C[0 :+ 64, 0 :+ 64]\n  }\n}\n";
}

struct Lowered {
  std::unique_ptr<Function> function;
  Diagnostics diagnostics;
};

Lowered lowered(const std::string& text, const char* target, bool whole = true, int64_t alignment = 16) {
  Lowered out;
  out.function = parse_function(text);
  const Attrs config;
  const Target& machine = *find_target(target);
  PassContext context{machine, config, out.diagnostics, alignment};
  std::vector<std::string_view> passes = {"pipeline-copies"};
  if (whole) {
    passes.clear();
    for (const Step& step : pipeline_for(machine.kind)) passes.push_back(step.pass);
  }
  run_passes(*out.function, passes, context, PipelineOptions());
  return out;
}

int count(const Block& block, OpKind kind) {
  int n = 0;
  visit_ops(block, [&](const Op& op) { n += op.kind == kind ? 1 : 0; });
  return n;
}

/// The loop that waits.
const For* main_loop(const Function& function) {
  const For* found = nullptr;
  visit_ops(function.body, [&](const Op& op) {
    const auto* loop = op.as<For>();
    if (loop != nullptr && !loop->body.empty() && loop->body[0]->kind == OpKind::kThreadWait) found = loop;
  });
  return found;
}

int asynchronous_moves(const Block& block) {
  int n = 0;
  visit_ops(block, [&](const Op& op) { n += op.kind == OpKind::kFor && is_async(op.as<For>()->hints) ? 1 : 0; });
  return n;
}

TEST(PipelineCopies, OneBarrierAnIterationIsEnough) {
  for (const char* trips : {"32", "%n"}) {
    for (const int stages : {2, 3, 4}) {
      const Lowered run = lowered(product(trips, stages), "sm_90a");
      const For* loop = main_loop(*run.function);
      ASSERT_NE(loop, nullptr);
      EXPECT_EQ(count(loop->body, OpKind::kBarrier), 1) << trips << " " << stages;
      EXPECT_EQ(count(run.function->body, OpKind::kBarrier), 1) << trips << " " << stages;
      EXPECT_EQ(asynchronous_moves(loop->body), 2) << trips << " " << stages;
      EXPECT_EQ(loop->body[0]->as<ThreadWait>()->pending, stages - 2);
    }
  }
}

TEST(PipelineCopies, TensorsOfUnknownAlignmentAreLoadedAheadByThreads) {
  const Lowered run = lowered(product("32", 3), "sm_90a", true, 1);
  const For* loop = main_loop(*run.function);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(asynchronous_moves(loop->body), 0);
  EXPECT_EQ(count(run.function->body, OpKind::kBarrier), 1);
}

TEST(PipelineCopies, MachinesWithoutAsynchronousCopiesKeepTheLoop) {
  EXPECT_EQ(print(*lowered(product("32", 3), "sm_75", false).function), testing::normal(product("32", 3)));
  EXPECT_EQ(main_loop(*lowered(product("32", 3), "sm_75").function), nullptr);
}

TEST(PipelineCopies, NoMoreVersionsThanIterationsOrSharedMemory) {
  const auto pending = [](const Lowered& run) { return main_loop(*run.function)->body[0]->as<ThreadWait>()->pending; };
  EXPECT_EQ(pending(lowered(product("3", 5), "sm_90a", false)), 1);
  EXPECT_EQ(main_loop(*lowered(product("1", 5), "sm_90a", false).function), nullptr);
  // A little more than 16 KiB a version.
  const Lowered tight = lowered(product("32", 9), "sm_86", false);
  EXPECT_EQ(pending(tight), 3);
  ASSERT_EQ(tight.diagnostics.all().size(), 1u);
  EXPECT_EQ(tight.diagnostics.all()[0].severity, Severity::kNote);
  EXPECT_EQ(tight.diagnostics.all()[0].message,
            "this loop keeps 5 of 9 stages: more do not fit into the 101376 bytes of shared memory of sm_86");
  EXPECT_NO_THROW(lowered(product("32", 9), "sm_86"));
}

TEST(PipelineCopies, ATileThatIsUsedElsewhereStays) {
  const Lowered run =
      lowered(product("32", 3, "    tile.copy src=%a[0 :+ 64, 0 :+ 32], dst=%C[0 :+ 64, 0 :+ 32]\n"), "sm_90a", false);
  const For* loop = main_loop(*run.function);
  ASSERT_NE(loop, nullptr);
  const auto* left = loop->body[4]->as<Copy>();
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->dst.buffer->name, "a");
  EXPECT_EQ(left->dst.buffer->rank(), 2u);
}

/// Whether the checker finds a race in code of threads whose barriers are all there is to order them.
bool races(const Function& function) {
  std::vector<float> a(64 * 1024), b(1024 * 64), c(64 * 64);
  const auto arg = [](std::vector<float>& v, int64_t rows, int64_t columns) {
    return TensorArg{v.data(), DType::f32(), {rows, columns}, {columns, 1}};
  };
  InterpretOptions options;
  options.implicit_barriers = false;
  const std::vector<Arg> args = {arg(a, 64, 1024), arg(b, 1024, 64), arg(c, 64, 64)};
  return !interpret(function, args, options).findings.empty();
}

TEST(PipelineCopies, EveryWaitAndBarrierIsNeeded) {
  std::string text = product("6", 3);
  text.replace(text.find(" symbols [%n: int32]"), 20, "");
  EXPECT_FALSE(races(*lowered(text, "sm_90a").function));
  for (const OpKind kind : {OpKind::kThreadWait, OpKind::kBarrier, OpKind::kThreadCommit}) {
    Lowered run = lowered(text, "sm_90a");
    rewrite_ops(run.function->body, [&](OpPtr op) {
      Block out;
      if (op->kind != kind) out.push_back(std::move(op));
      return out;
    });
    EXPECT_TRUE(races(*run.function)) << static_cast<int>(kind);
  }
  Lowered late = lowered(text, "sm_90a");
  visit_ops(late.function->body, [](Op& op) {
    if (auto* wait = op.as<ThreadWait>()) ++wait->pending;
  });
  EXPECT_TRUE(races(*late.function));
}

}  // namespace
}  // namespace tl
