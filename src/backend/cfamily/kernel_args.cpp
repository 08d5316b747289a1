#include "backend/cfamily/kernel_args.h"

#include <fmt/format.h>

#include <unordered_set>

#include "ir/walk.h"

namespace tl {
namespace {

class OuterNames {
 public:
  explicit OuterNames(const Function& function) : function_(function) {}

  std::vector<Param> of(const Op& launch) {
    define_all(launch);
    for_each_block(launch, [&](std::string_view, const Block& body) { use_all(body); });
    std::vector<Param> out;
    for (const Param& p : function_.params) {
      std::visit([&](const auto& node) { take(node, out); }, p);
    }
    for (const Buffer& buffer : buffers_) take(buffer, out);
    for (const Var& symbol : function_.symbols) take(symbol, out);
    for (const Var& var : vars_) take(var, out);
    return out;
  }

 private:
  template <class T>
  void take(const T& node, std::vector<Param>& out) {
    if (used_.count(node.get()) != 0 && taken_.insert(node.get()).second) out.push_back(node);
  }

  void define_all(const Op& launch) {
    const auto define = [&](const Op& op) {
      for_each_definition(
          op, [&](const Var& v) { inside_.insert(v.get()); }, [&](const Buffer& b) { inside_.insert(b.get()); });
    };
    define(launch);
    for_each_block(launch, [&](std::string_view, const Block& body) { visit_ops(body, define); });
  }

  void use(const Expr& e) {
    visit_exprs(e, [&](const Expr& sub) {
      if (sub.kind() == ExprKind::kVar && inside_.count(sub.get()) == 0 && used_.insert(sub.get()).second)
        vars_.push_back(Var(sub));
      if (const auto* n = sub.as<LoadNode>()) use(n->buffer);
    });
  }

  void use(const Buffer& b) {
    if (!used_.insert(b.get()).second) return;
    if (inside_.count(b.get()) == 0) buffers_.push_back(b);
    for (const Expr& e : b->shape) use(e);
    for (const Expr& e : b->strides) use(e);
  }

  void use_all(const Block& body) {
    visit_ops(body, [&](const Op& op) {
      for_each_expr(op, [&](const Expr& e) { use(e); });
      for_each_region(op, [&](const RegionAccess& access) { use(access.region->buffer); });
      if (const auto* store = op.as<Store>()) use(store->buffer);
      if (const auto* view = op.as<View>()) use(view->source);
    });
  }

  const Function& function_;
  std::unordered_set<const void*> inside_, used_, taken_;
  std::vector<Var> vars_;
  std::vector<Buffer> buffers_;
};

}  // namespace

std::vector<Param> kernel_args(const Function& function, const Op& launch) { return OuterNames(function).of(launch); }

EmittedKernel kernel_of(const Function& function, const Op& launch, size_t before) {
  EmittedKernel kernel;
  kernel.symbol = function.name + "_kernel";
  if (before != 0) kernel.symbol += fmt::format("_{}", before);
  if (const auto* of_threads = launch.as<Launch>()) {
    for (size_t i = 0; i < of_threads->threads.size(); ++i) kernel.threads[i] = of_threads->threads[i];
  }
  kernel.args = kernel_args(function, launch);
  kernel.loc = launch.loc;
  return kernel;
}

}  // namespace tl
