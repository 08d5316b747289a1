#include "ir/verify.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/text.h"
#include "ir/verify_op.h"
#include "ir/walk.h"

namespace tl {
namespace {

bool legal(OpKind kind, Stage stage) {
  switch (kind) {
    case OpKind::kRelayout:
      return stage == Stage::kAny;
    case OpKind::kThreadReduce:
    case OpKind::kThreadCommit:
    case OpKind::kThreadWait:
      return stage == Stage::kThread || stage == Stage::kCore || stage == Stage::kAny;
    case OpKind::kCoreLaunch:
    case OpKind::kCoreSet:
    case OpKind::kCoreWait:
    case OpKind::kCoreBarrier:
      return stage == Stage::kCore || stage == Stage::kAny;
    case OpKind::kParallel:
    case OpKind::kGroup:
    case OpKind::kAsyncCopy:
    case OpKind::kWait:
      return stage != Stage::kHost && stage != Stage::kThread && stage != Stage::kCore;
    case OpKind::kBarrier:
      return stage != Stage::kHost;
    case OpKind::kCopy:
    case OpKind::kFill:
    case OpKind::kGemm:
    case OpKind::kReduce:
    case OpKind::kScan:
      return stage != Stage::kThread;
    default:
      return true;
  }
}

/// Walks the function with the names in scope and the loops around each op.
class FunctionVerifier {
 public:
  FunctionVerifier(const Function& function, Stage stage) : function_(function), stage_(stage) {}

  std::vector<std::string> run() {
    for (const Var& v : function_.symbols) define(v.get(), v.name());
    for (const Param& p : function_.params) {
      if (const auto* v = std::get_if<Var>(&p)) define(v->get(), v->name());
    }
    for (const Param& p : function_.params) {
      if (const auto* b = std::get_if<Buffer>(&p)) define_buffer(*b);
    }
    for (const int64_t o : function_.outputs) {
      if (o < 0 || o >= static_cast<int64_t>(function_.params.size()))
        problem(fmt::format("output {} is no parameter", o));
    }
    block(function_.body, {});
    return std::move(problems_);
  }

 private:
  struct Around {
    bool in_launch = false;
    bool in_core = false;
    bool in_loop = false;
    bool in_parallel = false;
    bool in_group = false;
  };

  void block(const Block& ops, Around around) {
    std::vector<const void*> here;
    std::swap(here, defined_here_);
    for (const OpPtr& op : ops) {
      if (!op) {
        problem("null op in a block");
        continue;
      }
      at_ = op.get();
      one(*op, around);
    }
    for (const void* node : defined_here_) in_scope_.erase(node);
    std::swap(here, defined_here_);
  }

  void one(const Op& op, Around around) {
    if (!legal(op.kind, stage_)) problem("op is not legal in this stage");
    for_each_expr(op, [&](const Expr& e) { uses(e); });
    for_each_region(op, [&](const RegionAccess& access) { region(*access.region, access.field); });
    if (const auto* view = op.as<View>()) use(view->source.get(), view->source->name);
    if (const auto* store = op.as<Store>()) use(store->buffer.get(), store->buffer->name);
    placement(op, around);
    verify_op(op, [&](std::string message) { problem(std::move(message)); });
    if (op.kind == OpKind::kLaunch) around.in_launch = true;
    if (op.kind == OpKind::kCoreLaunch) around.in_core = true;
    if (op.kind == OpKind::kFor || op.kind == OpKind::kWhile) around.in_loop = true;
    if (op.kind == OpKind::kParallel) around.in_loop = around.in_parallel = true;
    if (op.kind == OpKind::kGroup) around.in_group = true;
    // What an op defines is in scope behind it (bind, alloc, view) or inside it (loops, launches).
    std::vector<const void*> outside;
    const bool nests = has_blocks(op);
    if (nests) std::swap(outside, defined_here_);
    for_each_definition(
        op, [&](const Var& v) { define(v.get(), v.name()); }, [&](const Buffer& b) { define_buffer(b); });
    if (!nests) return;
    for_each_block(op, [&](std::string_view, const Block& nested) {
      block(nested, around);
      at_ = &op;
    });
    for (const void* node : defined_here_) in_scope_.erase(node);
    std::swap(outside, defined_here_);
  }

  static bool has_blocks(const Op& op) {
    bool any = false;
    for_each_block(op, [&](std::string_view, const Block&) { any = true; });
    return any;
  }

  void placement(const Op& op, Around around) {
    const bool needs_launch = op.kind == OpKind::kParallel || op.kind == OpKind::kGroup || op.kind == OpKind::kBarrier;
    if (needs_launch && !around.in_launch) problem("op outside a launch");
    if (op.kind == OpKind::kLaunch && around.in_launch) problem("launch inside a launch");
    if (op.kind == OpKind::kCoreLaunch && (around.in_launch || around.in_core)) problem("launch inside a launch");
    const bool of_core = op.kind == OpKind::kCoreSet || op.kind == OpKind::kCoreWait || op.kind == OpKind::kCoreBarrier;
    if (of_core && (!around.in_core || around.in_launch)) problem("op outside the program of a core");
    if (is_grid_barrier(op) && around.in_group) problem("a barrier of the grid in a group");
    const auto* alloc = op.as<Alloc>();
    if (alloc != nullptr && alloc->buffer->space == MemorySpace::kGlobal && (around.in_launch || around.in_core)) {
      problem("global memory of a launch");
    }
    if ((op.kind == OpKind::kBreak || op.kind == OpKind::kContinue) && !around.in_loop)
      problem("no loop around the op");
    if (around.in_parallel && (op.kind == OpKind::kParallel || op.kind == OpKind::kBarrier)) {
      problem("collective op inside a parallel loop");
    }
  }

  void region(const Region& r, std::string_view field) {
    use(r.buffer.get(), r.buffer->name);
    if (r.offsets.size() != r.buffer->rank() || r.extents.size() != r.buffer->rank()) {
      problem(fmt::format("region `{}` has another rank than its buffer", field));
    }
    for (const Expr& e : r.offsets) integral(e, "offset");
    for (const Expr& e : r.extents) integral(e, "extent");
  }

  void integral(const Expr& e, std::string_view what) {
    if (!e.dtype().is_integral()) problem(fmt::format("{} `{}` is {}", what, print(e), e.dtype().name()));
  }

  void uses(const Expr& e) {
    visit_exprs(e, [&](const Expr& sub) {
      if (sub.kind() == ExprKind::kVar) use(sub.get(), sub.as<VarNode>()->name);
      if (const auto* n = sub.as<LoadNode>()) {
        use(n->buffer.get(), n->buffer->name);
        for (const Expr& i : n->indices) integral(i, "index");
      }
    });
  }

  void use(const void* node, const std::string& name) {
    if (in_scope_.count(node) == 0) problem(fmt::format("`{}` is used outside the scope that defines it", name));
  }

  void define(const void* node, const std::string& name) {
    if (!ever_defined_.insert(node).second) problem(fmt::format("`{}` is defined twice", name));
    in_scope_.insert(node);
    defined_here_.push_back(node);
  }

  void define_buffer(const Buffer& b) {
    for (const Expr& e : b->shape) uses(e);
    for (const Expr& e : b->strides) uses(e);
    define(b.get(), b->name);
  }

  void problem(std::string message) {
    if (at_ != nullptr) {
      std::string text = print(*at_);
      message += fmt::format(" in `{}`", text.substr(0, text.find('\n')));
      if (at_->loc) message += " at " + to_string(at_->loc);
    }
    problems_.push_back(std::move(message));
  }

  const Function& function_;
  const Stage stage_;
  const Op* at_ = nullptr;
  std::unordered_set<const void*> in_scope_, ever_defined_;
  std::vector<const void*> defined_here_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Function& function, Stage stage) {
  return FunctionVerifier(function, stage).run();
}

void check_sound(const Function& function, Stage stage, const std::string& after) {
  const std::vector<std::string> problems = verify(function, stage);
  if (problems.empty()) return;
  std::string text = fmt::format("internal error: unsound IR after {}:", after);
  for (const std::string& p : problems) text += "\n  " + p;
  throw InternalError(text + "\n" + print(function));
}

}  // namespace tl
