// place-core-buffers
//
// before:  alloc %a: shared float32[2, 1024]
//          alloc %b: shared float32[7, 9] strides [16, 1]
// after:   alloc %a: shared float32[2, 1024], hints={"offset": 0}
//          alloc %b: shared float32[7, 9] strides [16, 1], hints={"offset": 8192}

#include "passes/core/place_core_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/accesses.h"
#include "ir/walk.h"
#include "passes/core/core_memory.h"

namespace tl {
namespace {

class CorePlaces {
 public:
  CorePlaces(CoreLaunch& core, PassContext& context) : core_(core), context_(context) {}

  void run() {
    walk(core_.body);
    const int64_t scratch = next_[MemorySpace::kShared];
    int64_t most = 0;
    visit_ops(core_.body, [&](Op& op) {
      auto* launch = op.as<Launch>();
      if (launch == nullptr) return;
      launch->hints["scratch"] = scratch;
      most = std::max(most, hint<int64_t>(launch->hints, "shared_bytes", 0));
    });
    next_[MemorySpace::kShared] += round_up(most, core_alignment(MemorySpace::kShared));
    core_.hints["bytes"] = next_[MemorySpace::kShared];
    for (const auto& [space, bytes] : next_) {
      if (bytes > core_capacity(space)) refuse(space, bytes);
    }
  }

 private:
  struct Placed {
    Alloc* alloc;
    int64_t bytes;
    int64_t offset = 0;
    /// Statements of the program.
    size_t first = 0, last = 0;
  };

  /// Allocations of the core itself: those of functions of threads are theirs.
  void each_alloc(Block& block, const std::function<void(Alloc&)>& f) {
    for (OpPtr& op : block) {
      if (auto* alloc = op->as<Alloc>()) f(*alloc);
      if (op->kind == OpKind::kLaunch) continue;
      for_each_block(*op, [&](std::string_view, Block& nested) { each_alloc(nested, f); });
    }
  }

  static MemorySpace memory_of(const BufferNode& b) { return is_shared(b.space) ? MemorySpace::kShared : b.space; }

  void walk(Block& block) {
    each_alloc(block, [&](Alloc& alloc) {
      if (is_per_thread(alloc.buffer->space)) return;
      placed_[memory_of(*alloc.buffer)].push_back({&alloc, core_bytes(*alloc.buffer)});
    });
    for (auto& [space, buffers] : placed_) {
      next_[space] = one_behind_the_other(space, buffers);
      if (next_[space] > core_capacity(space)) next_[space] = by_lifetime(space, buffers);
      for (const Placed& p : buffers) p.alloc->hints["offset"] = p.offset;
    }
  }

  static int64_t aligned(int64_t offset, MemorySpace space) { return round_up(offset, core_alignment(space)); }

  /// The bytes that they take.
  static int64_t one_behind_the_other(MemorySpace space, std::vector<Placed>& buffers) {
    int64_t next = 0;
    for (Placed& p : buffers) {
      p.offset = aligned(next, space);
      next = p.offset + p.bytes;
    }
    return next;
  }

  /// Each at the lowest place that is free while it lives, the largest first. A buffer lives from the first to the last
  /// statement of the program that uses it.
  int64_t by_lifetime(MemorySpace space, std::vector<Placed>& buffers) const {
    for (Placed& p : buffers) find_life(p);
    std::stable_sort(buffers.begin(), buffers.end(),
                     [](const Placed& a, const Placed& b) { return a.bytes > b.bytes; });
    int64_t most = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      Placed& p = buffers[i];
      p.offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < i; ++j) {
          const Placed& other = buffers[j];
          const bool together = p.first <= other.last && other.first <= p.last;
          const bool apart = p.offset + p.bytes <= other.offset || other.offset + other.bytes <= p.offset;
          if (!together || apart) continue;
          p.offset = aligned(other.offset + other.bytes, space);
          moved = true;
        }
      }
      most = std::max(most, p.offset + p.bytes);
    }
    return most;
  }

  void find_life(Placed& p) const {
    const Aliases aliases(core_.body);
    p.first = core_.body.size();
    for (size_t i = 0; i < core_.body.size(); ++i) {
      const std::vector<Access> all = accesses(*core_.body[i]);
      const bool used = std::any_of(all.begin(), all.end(), [&](const Access& a) {
        return aliases.root(a.buffer).get() == p.alloc->buffer.get();
      });
      if (!used) continue;
      p.first = std::min(p.first, i);
      p.last = i;
    }
  }

  void refuse(MemorySpace space, int64_t bytes) {
    Diagnostic& d = context_.diagnostics.error(
        91, core_.loc,
        fmt::format("the buffers of this program take {} bytes of {}; a core has {}", bytes,
                    is_shared(space) ? "UB" : std::string(scope_name(space)), core_capacity(space)));
    for (const Placed& p : placed_[space]) {
      const Buffer& b = p.alloc->buffer;
      d.notes.push_back({fmt::format("`{}` takes {} bytes", b->name, p.bytes), b->loc});
    }
    d.help = "use smaller tiles, or fewer stages of T.Pipelined";
  }

  CoreLaunch& core_;
  PassContext& context_;
  std::map<MemorySpace, int64_t> next_;
  std::map<MemorySpace, std::vector<Placed>> placed_;
};

}  // namespace

void place_core_buffers(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    if (auto* core = op.as<CoreLaunch>()) CorePlaces(*core, context).run();
  });
}

}  // namespace tl
