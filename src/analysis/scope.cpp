#include "analysis/scope.h"

#include "ir/walk.h"

namespace tl {
namespace {

void enter(Facts& facts, const Launch& op) {
  for (size_t i = 0; i < op.blocks.size(); ++i) facts.add_index(op.blocks[i], op.grid[i]);
  for (size_t i = 0; i < op.lanes.size() && i < op.threads.size(); ++i) {
    facts.add_range(op.lanes[i], {0, Wide{op.threads[i]} - 1});
  }
  // A lane beyond those that `threads` lists has one value.
  for (size_t i = op.threads.size(); i < op.lanes.size(); ++i) facts.add_range(op.lanes[i], Interval::point(0));
}

void enter(Facts& facts, const CoreLaunch& op) {
  for (size_t i = 0; i < op.blocks.size(); ++i) facts.add_index(op.blocks[i], op.grid[i]);
}

void enter(Facts& facts, const Parallel& op) {
  for (size_t i = 0; i < op.vars.size(); ++i) facts.add_index(op.vars[i], op.extents[i]);
}

}  // namespace

void enter_block(Facts& facts, const Op& op, std::string_view block) {
  if (const auto* launch = op.as<Launch>()) return enter(facts, *launch);
  if (const auto* core = op.as<CoreLaunch>()) return enter(facts, *core);
  if (const auto* parallel = op.as<Parallel>()) return enter(facts, *parallel);
  if (const auto* loop = op.as<For>()) return facts.add_loop(loop->var, loop->begin, loop->end, loop->step);
  if (const auto* loop = op.as<While>()) return facts.add(loop->condition);
  if (const auto* branch = op.as<If>()) {
    return block == "else" ? facts.add_negation(branch->condition) : facts.add(branch->condition);
  }
}

void add_after(Facts& facts, const Op& op) {
  if (const auto* bind = op.as<Bind>()) return facts.add_bind(bind->var, bind->value);
  if (const auto* assume = op.as<Assume>()) return facts.add(assume->condition);
  const auto* branch = op.as<If>();
  if (branch == nullptr) return;
  if (always_leaves(branch->then_body)) facts.add_negation(branch->condition);
  if (always_leaves(branch->else_body)) facts.add(branch->condition);
}

bool always_leaves(const Block& block) {
  for (const OpPtr& op : block) {
    if (op->kind == OpKind::kBreak || op->kind == OpKind::kContinue) return true;
    const auto* branch = op->as<If>();
    if (branch != nullptr && always_leaves(branch->then_body) && always_leaves(branch->else_body)) return true;
  }
  return false;
}

void visit_ops(const Block& block, Facts& facts, const std::function<void(const Op&, const Facts&)>& f) {
  const FactsScope scope(facts);
  for (const OpPtr& op : block) {
    f(*op, facts);
    for_each_block(std::as_const(*op), [&](std::string_view name, const Block& nested) {
      const FactsScope inside(facts);
      enter_block(facts, *op, name);
      visit_ops(nested, facts, f);
    });
    add_after(facts, *op);
  }
}

void visit_ops(const Function& function, const std::function<void(const Op&, const Facts&)>& f) {
  Facts facts(function);
  visit_ops(function.body, facts, f);
}

void rewrite_ops(Block& block, Facts& facts, const std::function<Block(OpPtr, Facts&)>& f) {
  const FactsScope scope(facts);
  Block out;
  out.reserve(block.size());
  for (OpPtr& op : block) {
    for_each_block(*op, [&](std::string_view name, Block& nested) {
      const FactsScope inside(facts);
      enter_block(facts, *op, name);
      rewrite_ops(nested, facts, f);
    });
    // What holds behind the op does not hold where it stands, so only a copy can tell it beforehand.
    const bool tells = op->kind == OpKind::kBind || op->kind == OpKind::kAssume || op->kind == OpKind::kIf;
    const OpPtr before = tells ? clone(*op) : nullptr;
    Block replaced = f(std::move(op), facts);
    for (OpPtr& r : replaced) out.push_back(std::move(r));
    if (before) add_after(facts, *before);
  }
  block = std::move(out);
}

}  // namespace tl
