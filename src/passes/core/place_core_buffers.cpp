// place-core-buffers
//
// before:  alloc %a: shared float32[2, 1024]
//          alloc %b: shared float32[7, 9]
// after:   alloc %a: shared float32[2, 1024], hints={"offset": 0}
//          alloc %b: shared float32[7, 9] strides [16, 1], hints={"offset": 8192}

#include "passes/core/place_core_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/walk.h"
#include "passes/core/core_memory.h"

namespace tl {
namespace {

/// Bytes to which rows that engines move are aligned.
constexpr int64_t kRowBytes = 32;

class CorePlaces {
 public:
  CorePlaces(CoreLaunch& core, PassContext& context) : core_(core), context_(context) {}

  void run() {
    align_rows();
    walk(core_.body);
    const int64_t scratch = next_[MemorySpace::kShared];
    int64_t most = 0;
    visit_ops(core_.body, [&](Op& op) {
      auto* launch = op.as<Launch>();
      if (launch == nullptr) return;
      launch->hints["scratch"] = scratch;
      most = std::max(most, hint<int64_t>(launch->hints, "shared_bytes", 0));
    });
    next_[MemorySpace::kShared] += (most + kRowBytes - 1) / kRowBytes * kRowBytes;
    core_.hints["bytes"] = next_[MemorySpace::kShared];
    for (const auto& [space, bytes] : next_) {
      if (bytes > core_capacity(space)) refuse(space, bytes);
    }
  }

 private:
  void align_rows() {
    Substitution s;
    visit_ops(std::as_const(core_.body), [&](const Op& op) {
      if (op.kind == OpKind::kView) viewed_.push_back(op.as<View>()->source.get());
    });
    each_alloc(core_.body, [&](Alloc& alloc) {
      if (std::find(viewed_.begin(), viewed_.end(), alloc.buffer.get()) != viewed_.end()) return;
      const Buffer aligned = with_aligned_rows(alloc.buffer);
      if (aligned.get() == alloc.buffer.get()) return;
      s.buffers[alloc.buffer.get()] = aligned;
      alloc.buffer = aligned;
    });
    if (!s.empty()) substitute(core_.body, s);
  }

  /// Allocations of the core itself: those of functions of threads are theirs.
  void each_alloc(Block& block, const std::function<void(Alloc&)>& f) {
    for (OpPtr& op : block) {
      if (auto* alloc = op->as<Alloc>()) f(*alloc);
      if (op->kind == OpKind::kLaunch) continue;
      for_each_block(*op, [&](std::string_view, Block& nested) { each_alloc(nested, f); });
    }
  }

  void walk(Block& block) {
    each_alloc(block, [&](Alloc& alloc) {
      const BufferNode& b = *alloc.buffer;
      if (is_per_thread(b.space)) return;
      int64_t& next = next_[is_shared(b.space) ? MemorySpace::kShared : b.space];
      const int64_t alignment = core_alignment(b.space);
      next = (next + alignment - 1) / alignment * alignment;
      alloc.hints["offset"] = next;
      next += core_bytes(b);
      users_[is_shared(b.space) ? MemorySpace::kShared : b.space].push_back(alloc.buffer);
    });
  }

  void refuse(MemorySpace space, int64_t bytes) {
    Diagnostic& d = context_.diagnostics.error(
        91, core_.loc,
        fmt::format("the buffers of this program take {} bytes of {}; a core has {}", bytes,
                    is_shared(space) ? "UB" : std::string(scope_name(space)), core_capacity(space)));
    for (const Buffer& b : users_[space]) {
      d.notes.push_back({fmt::format("`{}` takes {} bytes", b->name, core_bytes(*b)), b->loc});
    }
    d.help = "use smaller tiles, or fewer stages of T.Pipelined";
  }

  CoreLaunch& core_;
  PassContext& context_;
  std::map<MemorySpace, int64_t> next_;
  std::map<MemorySpace, std::vector<Buffer>> users_;
  std::vector<const BufferNode*> viewed_;
};

}  // namespace

void place_core_buffers(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    if (auto* core = op.as<CoreLaunch>()) CorePlaces(*core, context).run();
  });
}

}  // namespace tl
