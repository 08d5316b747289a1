// outline-host-statements
//
// before:  alloc %s: shared float32[4]
//          store %A, [0], 1.0:float32
//          launch [%bx: int32], [4] { store %s, [%bx], 0.0:float32 }
// after:   launch [], [] { store %A, [0], 1.0:float32 }
//          launch [%bx: int32], [4] { alloc %s: shared float32[4]  store %s, [%bx], 0.0:float32 }

#include "passes/lower/outline_host_statements.h"

#include <fmt/format.h>
#include <algorithm>

#include <unordered_set>

#include "analysis/facts.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

bool contains_launch(const Op& op) {
  bool found = op.kind == OpKind::kLaunch;
  for_each_block(op, [&](std::string_view, const Block& nested) {
    visit_ops(nested, [&](const Op& inner) { found |= inner.kind == OpKind::kLaunch; });
  });
  return found;
}

bool uses(const Block& body, const BufferNode* buffer) {
  bool found = false;
  visit_ops(body, [&](const Op& op) {
    for_each_region(op, [&](const RegionAccess& access) { found |= access.region->buffer.get() == buffer; });
    if (const auto* store = op.as<Store>()) found |= store->buffer.get() == buffer;
    if (const auto* view = op.as<View>()) found |= view->source.get() == buffer;
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& sub) {
        if (const auto* n = sub.as<LoadNode>()) found |= n->buffer.get() == buffer;
      });
    });
  });
  return found;
}

class Outliner {
 public:
  explicit Outliner(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void block(Block& ops) {
    Block out, run;
    for (OpPtr& op : ops) {
      if (const auto* alloc = op->as<Alloc>(); alloc != nullptr && alloc->buffer->space != MemorySpace::kGlobal) {
        allocations_.push_back(std::move(op));
        continue;
      }
      if (op->kind == OpKind::kView) {
        allocations_.push_back(std::move(op));
        continue;
      }
      if (op->kind == OpKind::kAlloc) {
        flush(run, out);
        out.push_back(std::move(op));
        continue;
      }
      if (!runs_on_host(*op)) {
        if (contains_launch(*op)) refuse(*op);
        for_each_definition(*op, [&](const Var& var) { in_kernels_.insert(var.get()); }, [](const Buffer&) {});
        run.push_back(std::move(op));
        continue;
      }
      flush(run, out);
      if (auto* launch = op->as<Launch>()) {
        check_values_from_before(*launch);
        move_allocations_in(*launch);
      } else {
        for_each_block(*op, [&](std::string_view, Block& nested) { block(nested); });
      }
      out.push_back(std::move(op));
    }
    flush(run, out);
    ops = std::move(out);
  }

 private:
  /// Whether the runtime can evaluate what the op itself says: integers, from arguments alone.
  bool known_to_host(const Op& op) const {
    bool known = true;
    for_each_expr(op, [&](const Expr& e) {
      known &= is_memory_free(e) && !e.dtype().is_floating();
      visit_exprs(e, [&](const Expr& part) { known &= in_kernels_.count(part.get()) == 0; });
    });
    return known;
  }

  /// What the runtime does itself.
  bool runs_on_host(const Op& op) const {
    switch (op.kind) {
      case OpKind::kAssume:
        return true;
      case OpKind::kLaunch:
      case OpKind::kAssert:
      case OpKind::kBind:
        return known_to_host(op);
      case OpKind::kFor:
      case OpKind::kIf:
        return known_to_host(op) && contains_launch(op);
      default:
        return false;
    }
  }

  void refuse(const Op& op) {
    Diagnostic& d = diagnostics_.error(90, op.loc, "a value in memory decides about a launch");
    d.help = "compute it before the call and pass it as a scalar, or decide inside the kernel";
  }

  /// A name for a value that an earlier launch read from memory does not reach into this one.
  void check_values_from_before(const Launch& launch) {
    std::unordered_set<const ExprNode*> own;
    visit_ops(launch.body, [&](const Op& op) {
      for_each_definition(op, [&](const Var& var) { own.insert(var.get()); }, [](const Buffer&) {});
      for_each_expr(op, [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& part) {
          if (in_kernels_.count(part.get()) == 0 || !own.insert(part.get()).second) return;
          Diagnostic& d = diagnostics_.error(
              90, op.loc, fmt::format("`{}` is read from memory before this launch", python_text(part)));
          d.help = "read it inside the launch, or compute it before the call and pass it as a scalar";
        });
      });
    });
  }

  void flush(Block& run, Block& out) {
    if (run.empty()) return;
    auto launch = make_op<Launch>(run.front()->loc);
    launch->threads = {1};
    launch->body = std::move(run);
    run.clear();
    check_values_from_before(*launch);
    move_allocations_in(*launch);
    out.push_back(std::move(launch));
  }

  void move_allocations_in(Launch& launch) {
    Block inside;
    // A view may be of a view or an allocation before it.
    for (auto op = allocations_.rbegin(); op != allocations_.rend(); ++op) {
      bool used = false;
      for_each_definition(
          **op, [](const Var&) {},
          [&](const Buffer& buffer) { used = uses(launch.body, buffer.get()) || uses(inside, buffer.get()); });
      if (used) inside.push_back(clone(**op));
    }
    if (inside.empty()) return;
    std::reverse(inside.begin(), inside.end());
    for (OpPtr& op : launch.body) inside.push_back(std::move(op));
    // Each launch has buffers of its own.
    launch.body = clone_with_new_definitions(inside);
  }

  Diagnostics& diagnostics_;
  Block allocations_;
  /// Variables whose values kernels compute.
  std::unordered_set<const ExprNode*> in_kernels_;
};

}  // namespace

void outline_host_statements(Function& function, PassContext& context) {
  Outliner(context.diagnostics).block(function.body);
}

}  // namespace tl
