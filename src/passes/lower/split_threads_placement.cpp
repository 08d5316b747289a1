#include "passes/lower/split_threads_placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"
#include "passes/lower/split_threads_uses.h"
#include "passes/tile/check_collectives.h"

namespace tl {
namespace {

bool is_control(const Op& op) {
  return op.kind == OpKind::kFor || op.kind == OpKind::kWhile || op.kind == OpKind::kIf || op.kind == OpKind::kGroup;
}

bool is_loop(const Op& op) { return op.kind == OpKind::kFor || op.kind == OpKind::kWhile; }

}  // namespace

Placement::Placement(const Launch& launch, const Uniformity& uniformity, const ThreadAccesses& accesses,
                     const Aliases& aliases, Diagnostics& diagnostics)
    : uniformity_(uniformity), accesses_(accesses), aliases_(aliases), diagnostics_(diagnostics) {
  for (const OpPtr& op : launch.body) decide(*op, false);
  // The threads outside a group keep their copies of what the group writes.
  visit_ops(launch.body, [&](const Op& op) {
    if (op.kind != OpKind::kGroup) return;
    for (const BufferNode* root : own_written(op, aliases_)) stored_.insert(root);
  });
  // A statement per thread stores to every thread's copy, so all stores to that buffer become per thread, and with them
  // the control flow around them, and with it what else is stored there.
  while (spread(launch.body)) {
  }
  check_jumps(launch.body);
}

bool Placement::has_collective(const Op& op) const {
  bool found = is_collective(op);
  for_each_block(op, [&](std::string_view, const Block& block) {
    visit_ops(block, [&](const Op& inner) { found |= is_collective(inner); });
  });
  return found;
}

/// Whether all threads take the same way through the op: its condition or bounds, and the jumps that go on with it.
bool Placement::is_uniform_control(const Op& op) const {
  bool same = !uniformity_.in_differing_control(op);
  for_each_expr(op, [&](const Expr& e) { same &= uniformity_.is_uniform(e); });
  if (!is_loop(op)) return same;
  for_each_block(op, [&](std::string_view, const Block& body) {
    same &= !has_jump(body, [&](const Op& jump) { return uniformity_.in_differing_control(jump); });
  });
  return same;
}

/// Control flow stays around the threads' loops where threads have to wait for each other inside it, and where a jump
/// in it leaves or continues a loop that does.
void Placement::decide(const Op& op, bool in_outside_loop) {
  if (!is_control(op)) return;
  bool outside = has_collective(op);
  if (!outside && is_uniform_control(op)) {
    outside = accesses_.conflict_inside(op) || (in_outside_loop && has_escaping_jump(op));
  }
  if (!outside) return;
  outside_.insert(&op);
  for_each_block(op, [&](std::string_view, const Block& nested) {
    for (const OpPtr& inner : nested) decide(*inner, is_loop(op) || in_outside_loop);
  });
}

bool Placement::floats(const Op& op) const {
  if (op.kind == OpKind::kView) return true;
  const auto* alloc = op.as<Alloc>();
  return alloc != nullptr && (!alloc->init || (is_memory_free(alloc->init) && uniformity_.is_uniform(alloc->init)));
}

bool Placement::is_thread_code(const Op& op) const {
  if (per_thread(op)) return true;
  if (op.kind == OpKind::kParallel || floats(op)) return false;
  if (!uniformity_.is_uniform(op)) return true;
  const BufferList written = own_written(op, aliases_);
  return std::any_of(written.begin(), written.end(), [&](const BufferNode* b) { return stored_per_thread(b); });
}

bool Placement::spread(const Block& block) {
  bool changed = false;
  for (const OpPtr& op : block) {
    if (split(*op)) {
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { changed |= spread(nested); });
      continue;
    }
    if (!is_thread_code(*op)) continue;
    changed |= per_thread_.insert(op.get()).second;
    for (const BufferNode* root : own_written(*op, aliases_)) changed |= stored_.insert(root).second;
  }
  return changed;
}

/// A jump at this level goes on with a loop that all threads run together, so none of them may jump alone.
void Placement::check_jumps(const Block& block) {
  for (const OpPtr& op : block) {
    if (split(*op)) {
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { check_jumps(nested); });
    } else if (per_thread(*op) && has_escaping_jump(*op)) {
      diagnostics_
          .error(
              90, op->loc,
              "a break or continue that depends on the thread leaves a loop that all threads run together, which this "
              "target cannot do")
          .help = "guard the rest of the loop's body with `if` instead";
    }
  }
}

}  // namespace tl
