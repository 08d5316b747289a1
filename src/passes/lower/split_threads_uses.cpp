#include "passes/lower/split_threads_uses.h"

#include <algorithm>

#include "ir/walk.h"

namespace tl {
namespace {

void with_nested(const Op& op, const std::function<void(const Op&)>& f) {
  f(op);
  for_each_block(op, [&](std::string_view, const Block& block) { visit_ops(block, f); });
}

void insert(BufferList& list, const BufferNode* buffer) {
  if (std::find(list.begin(), list.end(), buffer) == list.end()) list.push_back(buffer);
}

void add_own(BufferList& list, const Buffer& buffer, const Aliases& aliases) {
  if (is_per_thread(buffer->space)) insert(list, aliases.root(buffer).get());
}

}  // namespace

void for_each_used_var(const Op& op, const std::function<void(const ExprNode*)>& f) {
  with_nested(op, [&](const Op& o) {
    for_each_expr(o, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (part.kind() == ExprKind::kVar) f(part.get());
      });
    });
  });
}

BufferList own_used_here(const Op& op, const Aliases& aliases) {
  BufferList used;
  for_each_expr(op, [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* load = part.as<LoadNode>()) add_own(used, load->buffer, aliases);
    });
  });
  for_each_region(op, [&](const RegionAccess& a) { add_own(used, a.region->buffer, aliases); });
  if (const auto* store = op.as<Store>()) add_own(used, store->buffer, aliases);
  for_each_definition(op, [](const Var&) {}, [&](const Buffer& b) { add_own(used, b, aliases); });
  return used;
}

BufferList own_used(const Op& op, const Aliases& aliases) {
  BufferList used;
  with_nested(op, [&](const Op& o) {
    for (const BufferNode* root : own_used_here(o, aliases)) insert(used, root);
  });
  return used;
}

BufferList own_written(const Op& op, const Aliases& aliases) {
  BufferList written;
  with_nested(op, [&](const Op& o) {
    if (const auto* store = o.as<Store>()) add_own(written, store->buffer, aliases);
    if (const auto* alloc = o.as<Alloc>(); alloc != nullptr && alloc->init) add_own(written, alloc->buffer, aliases);
    for_each_region(o, [&](const RegionAccess& a) {
      if (a.role != FieldRole::kReads) add_own(written, a.region->buffer, aliases);
    });
  });
  for_each_block(op, [&](std::string_view, const Block& block) {
    visit_ops(block, [&](const Op& o) {
      if (const auto* alloc = o.as<Alloc>()) std::erase(written, alloc->buffer.get());
    });
  });
  return written;
}

bool has_jump(const Block& body, const std::function<bool(const Op&)>& which) {
  for (const OpPtr& op : body) {
    if ((op->kind == OpKind::kBreak || op->kind == OpKind::kContinue) && which(*op)) return true;
    // The jumps inside these belong to them.
    if (op->kind == OpKind::kFor || op->kind == OpKind::kWhile || op->kind == OpKind::kParallel) continue;
    bool found = false;
    for_each_block(std::as_const(*op),
                   [&](std::string_view, const Block& nested) { found |= has_jump(nested, which); });
    if (found) return true;
  }
  return false;
}

bool has_escaping_jump(const Op& op) {
  if (op.kind == OpKind::kBreak || op.kind == OpKind::kContinue) return true;
  if (op.kind == OpKind::kFor || op.kind == OpKind::kWhile || op.kind == OpKind::kParallel) return false;
  bool found = false;
  for_each_block(
      op, [&](std::string_view, const Block& block) { found |= has_jump(block, [](const Op&) { return true; }); });
  return found;
}

}  // namespace tl
