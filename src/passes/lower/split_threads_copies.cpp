#include "passes/lower/split_threads_copies.h"

#include "ir/walk.h"

namespace tl {
namespace {

std::vector<Expr> behind(Expr first, std::vector<Expr> rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

/// Elements from one thread's entry to the next: the entry as it lies in memory.
Expr entry_span(const BufferNode& buffer) {
  Expr span = 1;
  for (size_t d = 0; d < buffer.rank(); ++d) {
    const auto extent = as_int(buffer.shape[d]), stride = as_int(buffer.strides[d]);
    TL_CHECK(extent && stride, "a per-thread buffer of run-time size");
    span = max(span, make_int(span.dtype(), (*extent - 1) * *stride + 1));
  }
  return span;
}

}  // namespace

Buffer ThreadCopies::all_of(const Buffer& buffer) {
  Buffer& all = all_[buffer.get()];
  if (all) return all;
  auto made = make_ref<BufferNode>(*buffer);
  made->space = MemorySpace::kShared;
  made->shape = behind(make_int(DType::i32(), threads_), made->shape);
  if (!buffer->is_contiguous()) made->strides = behind(entry_span(*buffer), made->strides);
  all = made;
  return all;
}

Expr ThreadCopies::at_thread(const Expr& e, const Expr& thread) {
  Expr mapped = map_operands(e, [&](const Expr& operand) { return at_thread(operand, thread); });
  const auto* n = mapped.as<LoadNode>();
  return n != nullptr && holds(n->buffer) ? load(all_of(n->buffer), behind(thread, n->indices)) : mapped;
}

void ThreadCopies::own_fields_at_thread(Op& op, const Expr& thread) {
  map_exprs(op, [&](const Expr& e) { return at_thread(e, thread); });
  if (auto* store = op.as<Store>(); store != nullptr && holds(store->buffer)) {
    store->buffer = all_of(store->buffer);
    store->indices = behind(thread, std::move(store->indices));
  }
  if (auto* view = op.as<View>(); view != nullptr && holds(view->source)) {
    view->source = all_of(view->source);
    view->buffer = all_of(view->buffer);
  }
  // The dimension a reduction counts is one of its source's.
  if (auto* reduce = op.as<Reduce>(); reduce != nullptr && holds(reduce->src.buffer)) ++reduce->dim;
  visit(op, [&](auto& typed) {
    for_each_field(typed, [&](const auto&, auto& value) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, Region>) {
        if (!value || !holds(value.buffer)) return;
        value.buffer = all_of(value.buffer);
        value.offsets = behind(thread, std::move(value.offsets));
        value.extents = behind(1, std::move(value.extents));
      }
    });
  });
}

void ThreadCopies::at_thread(Op& op, const Expr& thread) {
  own_fields_at_thread(op, thread);
  for_each_block(op, [&](std::string_view, Block& block) {
    for (OpPtr& inner : block) at_thread(*inner, thread);
  });
}

}  // namespace tl
