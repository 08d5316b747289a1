// unroll-streams
//
// before:  for %k, 0, 256 { for %v < 4, vectorized { store %x, [%v], %A[%k * 1024 + %tx * 4 + %v] } … }
// after:   for %k, 0, 256, hints={"unroll": 2} { … }
//
// Memory answers after some hundred cycles, so enough must be asked for at a time: with few threads, by several
// iterations of each. More than enough costs registers and reads from more places at once: the sum of 2^30 float32 on
// an H200, 32 bytes an iteration and 2,048 threads a multiprocessor, reads at 1.02 of a copy's rate with 1 or 2
// iterations at a time, at 0.96 with 4 and 0.93 with 8. The source compiler unrolls by the size of the code.

#include "passes/thread/unroll_streams.h"

#include <algorithm>

#include "ir/walk.h"

namespace tl {
namespace {

/// Of one multiprocessor: what memory serves in the time that it takes to answer, on the fastest machines.
constexpr int64_t kBytesAtATime = 64 << 10;
constexpr int64_t kMostThreads = 2048;
/// About so many share the programs of a launch.
constexpr int64_t kMultiprocessors = 128;
/// Of one thread: 64 registers.
constexpr int64_t kMostBytes = 256;

/// Threads that a multiprocessor has at a time, if they find room.
int64_t resident_threads(const Launch& launch) {
  int64_t programs = 1, threads = 1;
  for (const Expr& extent : launch.grid)
    programs *= std::min(as_int(extent).value_or(kMostThreads), kMostThreads * kMultiprocessors);
  for (const int64_t extent : launch.threads) threads *= extent;
  const int64_t blocks = (std::max<int64_t>(programs, 1) - 1) / kMultiprocessors + 1;
  return blocks >= kMostThreads ? kMostThreads : std::min(kMostThreads, blocks * threads);
}

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
    auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    const int64_t wanted = std::min(kBytesAtATime / resident_threads(*launch), kMostBytes);
    visit_ops(launch->body, [&](Op& inner) {
      auto* loop = inner.as<For>();
      if (loop == nullptr || loop->loop != LoopKind::kSerial || loop->hints.count("unroll") != 0) return;
      const int64_t bytes = streamed_bytes(loop->body).value_or(0);
      if (bytes > 0) loop->hints["unroll"] = std::max<int64_t>(wanted / bytes, 1);
    });
  });
}

}  // namespace tl
