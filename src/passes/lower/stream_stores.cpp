// stream-stores
//
// before:  for %i: int64, 0:int64, 4096:int64, hints={"independent": true} { store %C, [%bx * 4096 + %i], %A[%i] }
// after:   for …, hints={"independent": true, "stream_from_bytes": 33554432} { … }
//
// An ordinary store first reads the line it writes. A tensor that outgrows the caches is not read again before it
// leaves them, so its lines can go to memory directly, and a third of the traffic of a vector addition goes away.

#include "passes/lower/stream_stores.h"

#include "analysis/linear.h"
#include "ir/index.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Whether iteration i of the loop writes element `start + i` of a row of a global tensor.
bool writes_a_row(const For& loop, const Store& store) {
  const BufferNode& b = *store.buffer;
  if (b.space != MemorySpace::kGlobal || store.indices.empty()) return false;
  if (!b.is_contiguous() && !is_const_int(b.strides.back(), 1)) return false;
  for (size_t d = 0; d + 1 < store.indices.size(); ++d) {
    if (mentions(store.indices[d], loop.var)) return false;
  }
  // Arithmetic of an index does not wrap, so that equality modulo 2^64 is equality.
  const LinearForm form = ring_form(widen_index(store.indices.back()));
  Wide coefficient = 0;
  for (const LinearTerm& term : form.terms) {
    if (unwidened(term.atom).get() == loop.var.get()) {
      coefficient += term.coefficient;
    } else if (mentions(term.atom, loop.var)) {
      return false;
    }
  }
  return form.valid && coefficient == 1;
}

}  // namespace

void stream_stores(Function& function, PassContext& context) {
  if (context.target.stream_bytes == 0) return;
  visit_ops(function.body, [&](Op& op) {
    auto* loop = op.as<For>();
    if (loop == nullptr || loop->hints.count("independent") == 0 || loop->body.size() != 1) return;
    const auto* store = loop->body[0]->as<Store>();
    if (store == nullptr || !is_const_int(loop->begin, 0) || !is_const_int(loop->step, 1)) return;
    if (!writes_a_row(*loop, *store) || reads(store->value, store->buffer)) return;
    loop->hints["stream_from_bytes"] = context.target.stream_bytes;
  });
}

}  // namespace tl
