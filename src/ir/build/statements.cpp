// Statements on single values and elements.

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/build/describe.h"

namespace tl {

Expr Builder::bind(const std::string& name, const Operand& value) {
  Expr e = value.as_written();
  if (e.kind() == ExprKind::kConst || e.kind() == ExprKind::kString || e.kind() == ExprKind::kVar) return e;
  auto op = make<Bind>();
  op->value = e;
  // The name comes into being even where the value is wrong, so that one mistake is reported once.
  const bool good = check_uses(*op);
  op->var = new_var(name, e.dtype(), scope_.dependence(e));
  Expr var = static_cast<const Expr&>(op->var);
  if (good) frames_.back().block->push_back(std::move(op));
  return var;
}

Expr Builder::converted(const Operand& value, const BufferNode& buffer) {
  const promote::Stored stored = promote::stored(value, buffer.dtype);
  if (stored.may_lose_precision) {
    diagnostics_
        .warning(87, here_,
                 fmt::format("storing {} in `{}` of type {} may lose precision", value.dtype().name(), buffer.name,
                             buffer.dtype.name()))
        .help = fmt::format("say that it is meant: T.cast(x, \"{}\")", buffer.dtype.name());
  }
  return stored.value;
}

void Builder::store(const Buffer& buffer, const std::vector<Operand>& indices, const Operand& value) {
  attempt([&] {
    auto op = make<Store>();
    op->buffer = buffer;
    op->indices = element_indices(buffer, indices, AccessKind::kStore);
    op->value = converted(value, *buffer);
    check_core_store(value, *buffer);
    add(std::move(op));
  });
}

void Builder::evaluate(const Operand& value) {
  auto op = make<Evaluate>();
  op->value = value.as_written();
  add(std::move(op));
}

void Builder::assert_(const Operand& condition, std::string message) {
  attempt([&] {
    auto op = make<Assert>();
    op->condition = promote::condition(condition);
    op->message = std::move(message);
    add(std::move(op));
  });
}

void Builder::assume(const Operand& condition) {
  attempt([&] {
    auto op = make<Assume>();
    op->condition = promote::condition(condition);
    add(std::move(op));
  });
}

void Builder::print(std::string message, const std::vector<Operand>& values, std::optional<TileOperand> tile) {
  auto op = make<Print>();
  op->message = std::move(message);
  for (const Operand& value : values) op->values.push_back(value.as_written());
  if (tile) {
    if (!check_region("T.print", tile->region)) return;
    op->region = tile->region;
  }
  add(std::move(op));
}

void Builder::break_() {
  for (auto frame = frames_.rbegin(); frame != frames_.rend() && frame->op != nullptr; ++frame) {
    if (frame->op->as<For>() != nullptr || frame->op->as<While>() != nullptr) return add(make<Break>());
    if (const Parallel* loop = frame->op->as<Parallel>()) {
      Diagnostic& d = error(67, "break inside T.Parallel: its iterations run in no order");
      d.notes.push_back({"the parallel loop is here", loop->loc});
      d.help = "guard the body with `if`, or make the loop T.serial";
      return;
    }
    if (frame->op->as<If>() == nullptr) break;
  }
  error(67, "break outside a loop").help = "break leaves the innermost T.serial, T.unroll, T.Pipelined or while loop";
}

void Builder::continue_() {
  for (auto frame = frames_.rbegin(); frame != frames_.rend() && frame->op != nullptr; ++frame) {
    const Op& op = *frame->op;
    if (op.as<For>() != nullptr || op.as<While>() != nullptr || op.as<Parallel>() != nullptr)
      return add(make<Continue>());
    if (op.as<If>() == nullptr) break;
  }
  error(67, "continue outside a loop").help = "continue starts the next iteration of the innermost loop";
}

bool Builder::check_barrier(const char* what) {
  if (!need_launch(what)) return false;
  const Parallel* loop = enclosing<Parallel>();
  if (loop == nullptr) return true;
  Diagnostic& d = error(76, fmt::format("{} inside T.Parallel: not all threads reach it equally often", what));
  d.notes.push_back({"the parallel loop is here", loop->loc});
  d.help = "end the parallel loop before the barrier and start another one behind it";
  return false;
}

void Builder::grid_barrier() {
  if (!check_barrier("T.sync_grid")) return;
  if (const Group* group = enclosing<Group>()) {
    Diagnostic& d = error(76, "T.sync_grid inside a group of threads: all threads take part in it");
    d.notes.push_back({"the group is here", group->loc});
    d.help = "close the group before it";
    return;
  }
  auto op = make<Barrier>();
  op->grid = true;
  add(std::move(op));
}

void Builder::barrier(int64_t id, int64_t count) {
  if (!check_barrier("T.sync_threads") || !check_in_region("T.sync_threads")) return;
  auto op = make<Barrier>();
  op->id = id;
  op->count = count;
  add(std::move(op));
}

}  // namespace tl
