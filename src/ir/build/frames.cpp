// Blocks: launches, loops, branches, groups.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/build/builder.h"
#include "ir/build/describe.h"
#include "ir/enum_names.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[Tilelang Semantic Check] ";
constexpr const char* kBlockNames[] = {"bx", "by", "bz"};
constexpr const char* kLaneNames[] = {"tx", "ty", "tz"};
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxCluster = 16;

int64_t product(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

std::string list_text(const std::vector<int64_t>& values) { return fmt::format("({})", fmt::join(values, ", ")); }

}  // namespace

// --- launch
// ---------------------------------------------------------------------------------------------------------------

bool Builder::check_threads(const std::vector<int64_t>& threads) {
  std::string problem;
  if (threads.size() > 3) {
    problem = fmt::format("threads has {} dimensions, at most 3 are allowed", threads.size());
  } else if (std::any_of(threads.begin(), threads.end(), [](int64_t n) { return n <= 0; })) {
    problem = fmt::format("threads must be positive, but they are {}", list_text(threads));
  } else if (product(threads) > kMaxThreads) {
    problem = fmt::format("{} threads are more than the {} that a block may have", product(threads), kMaxThreads);
  }
  if (problem.empty()) return true;
  error(70, "T.Kernel: " + problem).help = fmt::format("use 1 to {} threads in all, such as threads=128", kMaxThreads);
  return false;
}

bool Builder::check_cluster(const std::vector<Expr>& grid, std::vector<int64_t>& cluster) {
  std::string problem;
  if (cluster.size() > 3) {
    problem = fmt::format("cluster_dims has {} dimensions, at most 3 are allowed", cluster.size());
  } else if (std::any_of(cluster.begin(), cluster.end(), [](int64_t n) { return n <= 0; })) {
    problem = fmt::format("cluster_dims must be positive, but they are {}", list_text(cluster));
  } else if (product(cluster) > kMaxCluster) {
    problem = fmt::format("a cluster of {} blocks is more than the {} allowed", product(cluster), kMaxCluster);
  }
  for (size_t i = 0; problem.empty() && i < cluster.size(); ++i) {
    const auto extent = i < grid.size() ? as_int(grid[i]) : std::optional<int64_t>(1);
    if (!extent || *extent % cluster[i] == 0) continue;
    problem = fmt::format("cluster dimension {} of {} does not divide the grid extent {}", i, cluster[i], *extent);
  }
  if (problem.empty()) {
    if (product(cluster) == 1) cluster.clear();
    return true;
  }
  error(71, "T.Kernel: " + problem);
  return false;
}

std::vector<Var> Builder::launch(const std::vector<Operand>& grid, const std::vector<int64_t>& threads,
                                 LaunchOptions options) {
  if (const Launch* outer = enclosing<Launch>()) {
    Diagnostic& d = error(72, "T.Kernel inside another T.Kernel");
    d.notes.push_back({"the open launch is here", outer->loc});
    d.help = "close the first `with T.Kernel(...)`; launches of one function stand one after the other";
    fail();
  }
  auto op = make<Launch>();
  for (const Operand& extent : grid) {
    Expr e = 1;
    attempt([&] { e = promote::index(extent, 71, fmt::format("grid extent {} of T.Kernel", op->grid.size())); });
    if (as_int(e).value_or(0) < 0)
      error(71, fmt::format("grid extent {} of T.Kernel is {}, it must not be negative", op->grid.size(), *as_int(e)));
    op->grid.push_back(e);
  }
  if (grid.size() > 3) {
    error(71, fmt::format("T.Kernel has {} grid extents, at most 3 are allowed", grid.size())).help =
        "combine extents and take the coordinates apart with // and %";
  }
  op->threads = threads.empty() ? std::vector<int64_t>{128} : threads;
  op->cluster = std::move(options.cluster);
  check_threads(op->threads);
  check_cluster(op->grid, op->cluster);
  op->prelude = std::move(options.prelude);
  op->hints = std::move(options.hints);
  Launch& launch = *op;
  Block* body = &op->body;
  open(std::move(op), body);
  for (size_t i = 0; i < grid.size(); ++i) {
    const std::string name = i < options.names.size() ? options.names[i] : kBlockNames[std::min<size_t>(i, 2)];
    launch.blocks.push_back(new_var(name, launch.grid[i].dtype()));
  }
  lanes_.clear();
  for (const char* name : kLaneNames) lanes_.push_back(new_var(name, DType::i32()));
  return launch.blocks;
}

bool Builder::need_launch(const char* what) {
  if (enclosing<Launch>() != nullptr) return true;
  error(73, fmt::format("{} stands outside a launch", what)).help = "put it into `with T.Kernel(...):`";
  return false;
}

std::vector<Var> Builder::lanes() {
  if (!need_launch("a thread index")) fail();
  Launch& launch = *enclosing<Launch>();
  launch.threads.resize(3, 1);
  launch.lanes = lanes_;
  return lanes_;
}

void Builder::swizzle(int64_t panel_size, const std::string& order) {
  if (!need_launch("T.use_swizzle")) return;
  const auto rasterization = parse_enum<Rasterization>(order);
  if (!rasterization || *rasterization == Rasterization::kNone) {
    error(75, fmt::format("Unsupported swizzle order `{}`", order)).help = "use \"row\", \"column\" or \"mlx\"";
    return;
  }
  if (panel_size <= 0) {
    error(75, fmt::format("T.use_swizzle: panel_size must be positive, but it is {}", panel_size));
    return;
  }
  Launch& launch = *enclosing<Launch>();
  launch.rasterization = *rasterization;
  launch.panel_size = panel_size;
}

void Builder::group(const std::string& engine, int64_t first, int64_t count) {
  need_launch("a group of threads");
  auto op = make<Group>();
  op->engine = engine;
  op->first = first;
  op->count = count;
  const Launch* launch = enclosing<Launch>();
  if (launch != nullptr && engine == "threads" &&
      (first < 0 || count <= 0 || first + count > product(launch->threads))) {
    error(70, fmt::format("threads {} to {} are not among the {} of the launch", first, first + count - 1,
                          product(launch->threads)));
  }
  Block* body = &op->body;
  open(std::move(op), body);
}

// --- loops
// ----------------------------------------------------------------------------------------------------------------

Var Builder::loop(const std::string& name, const Operand& begin, const Operand& end, const Operand& step, LoopKind kind,
                  LoopOptions options) {
  auto op = make<For>();
  Expr bounds[3] = {0, 0, 1};
  const std::pair<const Operand*, const char*> written[] = {
      {&begin, "the start of the loop"}, {&end, "the end of the loop"}, {&step, "the step of the loop"}};
  DType dtype = DType::i32();
  for (size_t i = 0; i < 3; ++i) {
    attempt([&] { bounds[i] = promote::index(*written[i].first, 66, written[i].second); });
    dtype = *promote::common_dtype(dtype, bounds[i].dtype());
  }
  if (is_const_int(bounds[2], 0)) {
    error(65, "step must be non-zero").help = "use a positive step to count up, a negative one to count down";
    bounds[2] = 1;
  }
  if (!as_int(bounds[2]))
    diagnostics_.warning(65, here_, fmt::format("Non-constant step {} of loop `{}`", tl::print(bounds[2]), name));
  if (const Parallel* outer = enclosing<Parallel>(); outer != nullptr && kind == LoopKind::kPipelined) {
    Diagnostic& d = error(61, fmt::format("{}Pipelined loop cannot be nested inside a parallel loop", kCheck));
    d.notes.push_back({"the parallel loop is here", outer->loc});
    d.help = "put the T.Parallel loop into the T.Pipelined loop";
  }
  op->begin = cast(dtype, bounds[0]);
  op->end = cast(dtype, bounds[1]);
  op->step = cast(dtype, bounds[2]);
  op->loop = kind;
  op->stages = kind == LoopKind::kPipelined ? std::max<int64_t>(options.stages, 0) : 0;
  op->order = std::move(options.order);
  op->stage = std::move(options.stage);
  op->hints = std::move(options.hints);
  const uint8_t dependence = scope_.dependence(op->begin) | scope_.dependence(op->end);
  For& loop = *op;
  Block* body = &op->body;
  open(std::move(op), body);
  loop.var = new_var(name, dtype, dependence);
  return loop.var;
}

std::vector<Var> Builder::parallel(const std::vector<std::string>& names, const std::vector<Operand>& extents,
                                   Attrs hints) {
  auto op = make<Parallel>();
  if (extents.empty()) {
    error(68, "T.Parallel has no extents").help = "give one extent a loop variable: `for i, j in T.Parallel(M, N):`";
    fail();
  }
  need_launch("T.Parallel");
  for (const Operand& extent : extents) {
    Expr e = 1;
    attempt([&] { e = promote::index(extent, 66, fmt::format("extent {} of T.Parallel", op->extents.size())); });
    op->extents.push_back(e);
  }
  op->hints = std::move(hints);
  const Parallel* outer = enclosing<Parallel>();
  if (outer != nullptr && (innermost<Parallel>() == nullptr || !outer->body.empty())) {
    Diagnostic& d = error(
        60, fmt::format("{}Nested parallel loops are not allowed unless one directly contains the other", kCheck));
    d.notes.push_back({"the outer parallel loop is here", outer->loc});
    d.help = "write one loop over both: `for i, j in T.Parallel(M, N):`, or make the inner one T.serial";
  }
  Parallel& loop = *op;
  Block* body = &op->body;
  open(std::move(op), body);
  for (size_t i = 0; i < loop.extents.size(); ++i) {
    const uint8_t dependence = Scope::kOnParallel | (as_int(loop.extents[i]) ? 0 : Scope::kOnRuntimeParallel);
    loop.vars.push_back(new_var(i < names.size() ? names[i] : "i", loop.extents[i].dtype(), dependence));
  }
  return loop.vars;
}

/// A parallel loop whose whole body is another one becomes one loop over the box of both.
void Builder::close_parallel(Parallel& outer) {
  const auto inner_at =
      std::find_if(outer.body.begin(), outer.body.end(), [](const OpPtr& op) { return op->as<Parallel>() != nullptr; });
  if (inner_at == outer.body.end()) return;
  Parallel& inner = *(*inner_at)->as<Parallel>();
  bool depends = false;
  for (const Expr& extent : inner.extents) {
    visit_exprs(extent, [&](const Expr& part) {
      depends |= std::any_of(outer.vars.begin(), outer.vars.end(), [&](const Var& v) { return v.get() == part.get(); });
    });
  }
  if (depends || (outer.body.size() > 1 && inner_at == outer.body.begin())) {
    Diagnostic& d = diagnostics_.error(
        60, inner.loc,
        fmt::format("{}Nested parallel loops are not allowed{}", kCheck,
                    depends ? ": the extent of the inner one depends on the outer one" : " beside other statements"));
    d.notes.push_back({"the outer parallel loop is here", outer.loc});
    d.help = depends ? "run the inner loop over its largest extent and guard the body: `if j < i:`"
                     : "give the other statements a loop of their own";
  }
  if (depends || outer.body.size() > 1) return;
  const OpPtr taken = std::move(outer.body.front());
  outer.body.clear();
  outer.vars.insert(outer.vars.end(), inner.vars.begin(), inner.vars.end());
  outer.extents.insert(outer.extents.end(), inner.extents.begin(), inner.extents.end());
  outer.hints.merge(inner.hints);
  outer.body = std::move(inner.body);
}

void Builder::close_pipelined(const For& loop) {
  if (loop.order.empty() && loop.stage.empty()) return;
  const auto statements = static_cast<size_t>(
      std::count_if(loop.body.begin(), loop.body.end(), [](const OpPtr& op) { return op->as<Bind>() == nullptr; }));
  if (loop.order.size() == statements && loop.stage.size() == statements) return;
  Diagnostic& d = diagnostics_.error(
      77, loop.loc,
      fmt::format(
          "T.Pipelined: expected pipeline annotation size {}, one entry a statement of the body, but order has {} and "
          "stage has {}",
          statements, loop.order.size(), loop.stage.size()));
  d.help = "statements that only bind a name are not counted";
}

// --- branches
// -------------------------------------------------------------------------------------------------------------

void Builder::if_(const Operand& condition) {
  auto op = make<If>();
  op->condition = make_bool(true);
  attempt([&] { op->condition = promote::condition(condition); });
  Block* body = &op->then_body;
  open(std::move(op), body);
}

void Builder::else_() {
  If* op = innermost<If>();
  TL_CHECK(op != nullptr && frames_.back().block == &op->then_body, "else without an if");
  scope_.close();
  scope_.open();
  frames_.back().block = &op->else_body;
}

void Builder::while_(const Operand& condition) {
  auto op = make<While>();
  op->condition = make_bool(false);
  attempt([&] { op->condition = promote::condition(condition); });
  if (is_const_int(op->condition, 1)) {
    error(4, "Infinite while loop: the condition is always true").help =
        "let the condition read a variable of T.alloc_var or an element that the loop changes";
  }
  Block* body = &op->body;
  open(std::move(op), body);
}

void Builder::end() {
  TL_CHECK(frames_.size() > 1, "end without an open frame");
  OpPtr op = std::move(frames_.back().op);
  frames_.pop_back();
  scope_.close();
  if (auto* parallel = op->as<Parallel>()) close_parallel(*parallel);
  if (auto* loop = op->as<For>()) close_pipelined(*loop);
  frames_.back().block->push_back(std::move(op));
}

void Builder::discard() {
  TL_CHECK(frames_.size() > 1, "discard without an open frame");
  frames_.pop_back();
  scope_.close();
}

}  // namespace tl
