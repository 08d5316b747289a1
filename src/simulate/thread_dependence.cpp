#include "simulate/thread_dependence.h"

#include "ir/walk.h"

namespace tl::simulate {

ThreadDependence::ThreadDependence(const Launch& launch) : launch_(launch) {
  for (const int64_t extent : launch.threads) thread_count_ *= extent;
  for (size_t i = 0; i < launch.lanes.size() && i < launch.threads.size(); ++i) {
    if (launch.threads[i] > 1) vars_.insert(launch.lanes[i].get());
  }
  visit_ops(launch.body, [&](const Op& op) {
    if (const auto* view = op.as<View>()) view_of_[view->buffer.get()] = view->source.get();
    any_ |= op.kind == OpKind::kGroup;
  });
  // Dependence only grows, so this ends.
  do {
    changed_ = false;
    visit(launch.body, Context{});
  } while (changed_);
  visit_ops(launch.body, [&](const Op& op) { any_ |= runs_per_thread(op); });
}

const BufferNode* ThreadDependence::root(const BufferNode* buffer) const {
  for (auto it = view_of_.find(buffer); it != view_of_.end(); it = view_of_.find(buffer)) buffer = it->second;
  return buffer;
}

bool ThreadDependence::depends(const Expr& e) const {
  if (!e) return false;
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    if (part.kind() == ExprKind::kVar) found |= vars_.count(part.get()) != 0;
    if (const auto* load = part.as<LoadNode>()) found |= depends(load->buffer);
  });
  return found;
}

bool ThreadDependence::region_depends(const Region& region) const {
  if (depends(region.buffer)) return true;
  for (const auto* list : {&region.offsets, &region.extents}) {
    for (const Expr& e : *list) {
      if (depends(e)) return true;
    }
  }
  return false;
}

bool ThreadDependence::runs_per_thread(const Op& op) const {
  // Collective statements; where single threads run a part of a group, they refuse later.
  if (op.kind == OpKind::kParallel || op.kind == OpKind::kGroup || op.kind == OpKind::kBarrier) return false;
  if (loops_.count(&op) != 0) return true;
  bool found = false;
  for_each_expr(op, [&](const Expr& e) { found |= depends(e); });
  for_each_region(op, [&](const RegionAccess& access) { found |= depends(access.region->buffer); });
  if (const auto* store = op.as<Store>()) found |= depends(store->buffer);
  return found;
}

void ThreadDependence::write(const Buffer& buffer, bool value_depends, const Context& context) {
  if (!is_per_thread(buffer->space)) return;
  const BufferNode* memory = root(buffer.get());
  const bool other_threads_keep = context.own_of_group != nullptr && context.own_of_group->count(memory) == 0;
  if (value_depends || context.divergent || other_threads_keep) mark(buffers_, memory);
}

void ThreadDependence::visit(const Block& block, const Context& context) {
  for (const OpPtr& op : block) visit(*op, context);
}

void ThreadDependence::visit_loop(const Op& op, const Block& body, const Context& context, bool divergent) {
  Context inside = context;
  inside.loop = &op;
  inside.divergent |= divergent || loops_.count(&op) != 0;
  if (inside.divergent) mark(loops_, &op);
  visit(body, inside);
}

void ThreadDependence::visit(const Op& op, const Context& context) {
  if (const auto* bind = op.as<Bind>()) {
    if (depends(bind->value)) mark(vars_, bind->var.get());
  } else if (const auto* alloc = op.as<Alloc>()) {
    // What is allocated where only some threads are belongs to each of them.
    write(alloc->buffer, depends(alloc->init), {context.divergent, nullptr, nullptr});
  } else if (const auto* store = op.as<Store>()) {
    bool value_depends = depends(store->value);
    for (const Expr& index : store->indices) value_depends |= depends(index);
    write(store->buffer, value_depends, context);
  } else if (const auto* loop = op.as<For>()) {
    if (depends(loop->begin) || depends(loop->step)) mark(vars_, loop->var.get());
    visit_loop(op, loop->body, context, depends(loop->begin) || depends(loop->end) || depends(loop->step));
  } else if (const auto* loop = op.as<While>()) {
    visit_loop(op, loop->body, context, depends(loop->condition));
  } else if (const auto* branch = op.as<If>()) {
    Context inside = context;
    inside.divergent |= depends(branch->condition);
    visit(branch->then_body, inside);
    visit(branch->else_body, inside);
  } else if (op.kind == OpKind::kBreak || op.kind == OpKind::kContinue) {
    if (context.divergent && context.loop != nullptr) mark(loops_, context.loop);
  } else if (const auto* parallel = op.as<Parallel>()) {
    visit(parallel->body, {false, context.own_of_group, nullptr});
  } else if (const auto* group = op.as<Group>()) {
    std::unordered_set<const BufferNode*> own;
    visit_ops(group->body, [&](const Op& inner) {
      if (const auto* alloc = inner.as<Alloc>()) own.insert(alloc->buffer.get());
    });
    const bool all_threads = group->first == 0 && group->count == thread_count_;
    visit(group->body, {false, all_threads ? context.own_of_group : &own, nullptr});
  } else {
    // Tile operations: what goes in gets out.
    bool reads_depend = false;
    for_each_expr(op, [&](const Expr& e) { reads_depend |= depends(e); });
    for_each_region(op, [&](const RegionAccess& access) { reads_depend |= region_depends(*access.region); });
    for_each_region(op, [&](const RegionAccess& access) {
      if (access.role != FieldRole::kReads) write(access.region->buffer, reads_depend, context);
    });
  }
}

}  // namespace tl::simulate
