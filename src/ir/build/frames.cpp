// Branches, conditional loops, and the end of every frame.

#include "ir/build/builder.h"
#include "support/diagnostic.h"

namespace tl {

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
  if (auto* launch = op->as<Launch>()) close_launch(*launch);
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
