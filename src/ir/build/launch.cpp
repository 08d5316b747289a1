// Launches, and what names the threads of one.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/build/builder.h"
#include "ir/enum_names.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kBlockNames[] = {"bx", "by", "bz"};
constexpr const char* kLaneNames[] = {"tx", "ty", "tz"};
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxCluster = 16;

int64_t product(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

std::string list_text(const std::vector<int64_t>& values) { return fmt::format("({})", fmt::join(values, ", ")); }

}  // namespace

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
  error(71, "T.Kernel: " + problem).help =
      fmt::format("give up to 3 positive entries that divide the grid, with a product of at most {}", kMaxCluster);
  return false;
}

std::vector<Var> Builder::launch(const std::vector<Operand>& grid, const std::vector<int64_t>& threads,
                                 LaunchOptions options) {
  if (const Launch* outer = enclosing<Launch>()) {
    Diagnostic& d = error(72, "T.Kernel inside T.Kernel: launches do not nest");
    d.notes.push_back({"the open launch is here", outer->loc});
    d.help = "close the first `with T.Kernel(...)`; launches of one function stand one after the other";
    fail();
  }
  auto op = make<Launch>();
  for (const Operand& extent : grid) {
    Expr e = 1;
    attempt([&] { e = promote::index(extent, 71, fmt::format("grid extent {} of T.Kernel", op->grid.size())); });
    if (as_int(e).value_or(0) < 0)
      error(71, fmt::format("grid extent {} of T.Kernel is {}, it must not be negative", op->grid.size(), *as_int(e)))
          .help = "an extent of 0 launches nothing";
    op->grid.push_back(e);
  }
  if (grid.size() > 3) {
    error(71, fmt::format("T.Kernel has {} grid extents, at most 3 are allowed", grid.size())).help =
        "combine extents and take the coordinates apart with // and %";
  }
  if (hint(options.hints, kCoresHint, false) && grid.size() != 1) {
    error(71, fmt::format("T.Kernel of AI cores has exactly one grid extent, not {}", grid.size())).help =
        "multiply the extents, and take the coordinate apart with // and %";
    fail();
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

void Builder::close_launch(Launch& launch) {
  if (runs_on_cores(launch)) {
    launch.threads = {1};
    visit_ops(std::as_const(launch.body), [&](const Op& op) {
      if (const auto* group = op.as<Group>()) launch.threads[0] = std::max(launch.threads[0], group->count);
    });
  }
  const bool used = std::any_of(lanes_.begin(), lanes_.end(), [&](const Var& lane) { return scope_.used(lane); });
  if (!used) launch.lanes.clear();
  if (!launch.lanes.empty()) launch.threads.resize(3, 1);  // one extent a lane
}

bool Builder::need_launch(const char* what) {
  if (enclosing<Launch>() != nullptr) return true;
  error(73, fmt::format("{} stands outside a launch", what)).help = "put it into `with T.Kernel(...):`";
  return false;
}

std::vector<Var> Builder::lanes() {
  if (!need_launch("a thread index")) fail();
  Launch& launch = *enclosing<Launch>();
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
    error(75, fmt::format("T.use_swizzle: panel_size must be positive, but it is {}", panel_size)).help =
        "it counts the rows or columns of blocks in a panel, such as 4 or 8";
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
                          product(launch->threads)))
        .help = "a group is a range of the threads of T.Kernel";
  }
  Block* body = &op->body;
  open(std::move(op), body);
}

}  // namespace tl
