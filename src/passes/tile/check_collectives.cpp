#include "passes/tile/check_collectives.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

bool has_own_operand(const Op& op) {
  bool own = false;
  for_each_region(op, [&](const RegionAccess& a) { own |= is_per_thread(a.region->buffer->space); });
  return own;
}

/// What the user calls the op.
std::string_view user_name(const Op& op) {
  switch (op.kind) {
    case OpKind::kBarrier:
      return static_cast<const Barrier&>(op).grid ? "T.sync_grid" : "T.sync_threads";
    case OpKind::kParallel:
      return "T.Parallel";
    case OpKind::kGroup:
      return "a group of threads";
    case OpKind::kCopy:
      return "T.copy";
    case OpKind::kAsyncCopy:
      return "T.async_copy";
    case OpKind::kFill:
      return "T.fill";
    case OpKind::kGemm:
      return "T.gemm";
    case OpKind::kReduce:
      return "T.reduce";
    case OpKind::kScan:
      return static_cast<const Scan&>(op).scan == ReduceKind::kMax ? "T.cummax" : "T.cumsum";
    default:
      return op_name(op);
  }
}

class CollectiveCheck {
 public:
  CollectiveCheck(const Launch& launch, const Uniformity& uniformity, Diagnostics& diagnostics)
      : uniformity_(uniformity), diagnostics_(diagnostics) {
    visit_ops(launch.body, [&](const Op& op) {
      if (op.kind == OpKind::kParallel) note_stores(static_cast<const Parallel&>(op));
    });
    block(launch.body);
  }

 private:
  void note_stores(const Parallel& loop) {
    visit_ops(loop.body, [&](const Op& op) {
      if (const auto* store = op.as<Store>()) stored_by_points_.insert(store->buffer.get());
    });
  }

  void block(const Block& ops) {
    for (const OpPtr& op : ops) {
      if (is_collective(*op)) {
        if (uniformity_.in_differing_control(*op)) partly_reached(*op);
        if (op->kind != OpKind::kGroup) same_for_all(*op);
      }
      if (op->kind == OpKind::kParallel) continue;
      around_.push_back(op.get());
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { block(nested); });
      around_.pop_back();
    }
  }

  void partly_reached(const Op& op) {
    const auto* barrier = op.as<Barrier>();
    if (barrier != nullptr && barrier->count > 0) return;
    Diagnostic& d = diagnostics_.error(
        76, op.loc, fmt::format("{} is reached by some threads only, but all threads do it together", user_name(op)));
    for (size_t i = around_.size(); i-- > 0;) {
      if (!decides(*around_[i])) continue;
      d.notes.push_back({"what is done here depends on the thread", around_[i]->loc});
      break;
    }
    d.help = barrier != nullptr ? "move the barrier out of the branch or loop"
                                : "move it out of the branch or loop, or make the condition the same for all threads";
  }

  /// Whether the op itself makes threads part ways.
  bool decides(const Op& op) const {
    bool differs = false;
    for_each_expr(op, [&](const Expr& e) { differs |= !uniformity_.is_uniform(e); });
    if (op.kind != OpKind::kFor && op.kind != OpKind::kWhile) return differs;
    visit_ops(static_cast<const Block&>(*body_of(op)), [&](const Op& inner) {
      const bool jump = inner.kind == OpKind::kBreak || inner.kind == OpKind::kContinue;
      differs |= jump && uniformity_.in_differing_control(inner);
    });
    return differs;
  }

  static const Block* body_of(const Op& op) {
    const Block* body = nullptr;
    for_each_block(op, [&](std::string_view, const Block& b) { body = &b; });
    return body;
  }

  /// A parallel loop or a tile operation whose operands are the same for all threads. What a parallel loop defines or
  /// stores itself belongs to its points, not to the threads around it.
  void same_for_all(const Op& op) {
    std::unordered_set<const void*> own;
    const auto define = [&](const Op& inner) {
      for_each_definition(
          inner, [&](const Var& v) { own.insert(v.get()); }, [&](const Buffer& b) { own.insert(b.get()); });
    };
    define(op);
    for_each_block(op, [&](std::string_view, const Block& body) { visit_ops(body, define); });
    bool reported = false;
    const auto check = [&](const Op& inner) {
      for_each_expr(inner, [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& part) {
          if (reported || !differs(part, own)) return;
          reported = true;
          differs_here(op, inner, part);
        });
      });
    };
    check(op);
    for_each_block(op, [&](std::string_view, const Block& body) { visit_ops(body, check); });
  }

  bool differs(const Expr& e, const std::unordered_set<const void*>& own) const {
    if (e.kind() == ExprKind::kVar) return own.count(e.get()) == 0 && !uniformity_.is_uniform(e);
    const auto* load = e.as<LoadNode>();
    if (load == nullptr || own.count(load->buffer.get()) != 0) return false;
    return !uniformity_.is_uniform(load->buffer) && stored_by_points_.count(load->buffer.get()) == 0;
  }

  void differs_here(const Op& op, const Op& inner, const Expr& part) {
    const auto* load = part.as<LoadNode>();
    Diagnostic& d =
        diagnostics_.error(78, inner.loc ? inner.loc : op.loc,
                           fmt::format("{} is done by all threads together, but `{}` differs from thread to thread",
                                       user_name(op), load != nullptr ? load->buffer->name : python_text(part)));
    if (load != nullptr && load->buffer->loc)
      d.notes.push_back({"every thread has its own copy of it", load->buffer->loc});
    d.help = "use values that are the same for all threads here, or write the operation as loops over elements";
  }

  const Uniformity& uniformity_;
  Diagnostics& diagnostics_;
  std::vector<const Op*> around_;
  std::unordered_set<const BufferNode*> stored_by_points_;
};

}  // namespace

bool is_collective(const Op& op) {
  switch (op.kind) {
    case OpKind::kBarrier:
    case OpKind::kParallel:
    case OpKind::kGroup:
      return true;
    case OpKind::kCopy:
    case OpKind::kAsyncCopy:
    case OpKind::kFill:
    case OpKind::kGemm:
    case OpKind::kReduce:
    case OpKind::kScan:
    case OpKind::kRelayout:
      return !has_own_operand(op);
    default:
      return false;
  }
}

void check_collectives(const Launch& launch, const Uniformity& uniformity, Diagnostics& diagnostics) {
  CollectiveCheck(launch, uniformity, diagnostics);
}

}  // namespace tl
