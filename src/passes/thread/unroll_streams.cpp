// unroll-streams
//
// before:  for %k, 0, 256 { for %v < 4, vectorized { store %x, [%v], %A[%k * 1024 + %tx * 4 + %v] } … }
// after:   for %k, 0, 256, hints={"unroll": 8} { … }
//
// Memory answers after some hundred cycles, so what a thread has asked for at a time decides how fast it is served. The
// source compiler unrolls by a measure of its own, the size of the code, which small changes of the text move.

#include "passes/thread/unroll_streams.h"

#include <algorithm>

#include "analysis/accesses.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// What one iteration of the unrolled loop loads, about: 32 registers. On an H200 half of it leaves a sum of a vector
/// 8 % slower.
constexpr int64_t kBytesAtATime = 128;

/// Bytes that a thread loads as vectors from global memory in a block without inner loops; none where something in it
/// keeps the loads of the next iteration behind it.
std::optional<int64_t> streamed_bytes(const Block& block) {
  int64_t out = 0;
  for (const OpPtr& op : block) {
    if (const auto* loop = op->as<For>()) {
      const auto trips = as_int(loop->end);
      const bool registers = loop->loop == LoopKind::kUnrolled || loop->loop == LoopKind::kVectorized;
      if (!registers || !trips || !is_const_int(loop->begin, 0) || is_async(loop->hints)) return std::nullopt;
      const auto* store = loop->body.size() == 1 ? loop->body[0]->as<Store>() : nullptr;
      const auto* load = store != nullptr ? store->value.as<LoadNode>() : nullptr;
      if (loop->loop == LoopKind::kVectorized && load != nullptr && load->buffer->space == MemorySpace::kGlobal) {
        out += *trips * load->buffer->dtype.storage_bits() / 8;
      }
      const auto inner = streamed_bytes(loop->body);
      if (!inner) return std::nullopt;
      out += *trips * *inner;
    } else if (const auto* branch = op->as<If>()) {
      const auto then_bytes = streamed_bytes(branch->then_body), else_bytes = streamed_bytes(branch->else_body);
      if (!then_bytes || !else_bytes) return std::nullopt;
      out += std::max(*then_bytes, *else_bytes);
    } else if (const auto* store = op->as<Store>()) {
      if (!is_per_thread(store->buffer->space)) return std::nullopt;
    } else if (op->kind != OpKind::kAlloc && op->kind != OpKind::kBind) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

void unroll_streams(Function& function, PassContext&) {
  visit_ops(function.body, [&](Op& op) {
    auto* loop = op.as<For>();
    if (loop == nullptr || loop->loop != LoopKind::kSerial || loop->hints.count("unroll") != 0) return;
    const int64_t bytes = streamed_bytes(loop->body).value_or(0);
    if (bytes == 0) return;
    const int64_t copies = kBytesAtATime / bytes;
    if (copies > 1) loop->hints["unroll"] = copies;
  });
}

}  // namespace tl
