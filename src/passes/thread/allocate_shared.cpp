// allocate-shared
//
// before:  alloc %s: shared float32[1024]
//          … last use of %s …
//          alloc %t: shared float32[1024]
// after:   alloc %s: shared float32[1024], hints={"offset": 0}
//          … last use of %s …
//          alloc %t: shared float32[1024], hints={"offset": 0}                      # and "shared_bytes": 4096
//
// A buffer lives from its first use to its last one; a use inside a loop that the buffer was allocated outside of lasts
// for the whole loop. Buffers are placed largest first, each at the lowest offset where no living neighbour is.

#include "passes/thread/allocate_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/accesses.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr int64_t kAlignment = 128;

struct Placed {
  Alloc* alloc;
  int64_t bytes = 0;
  /// Statements by number, both included; -1 where nothing uses it.
  int64_t first = -1, last = -1;
  int64_t offset = 0;
};

class SharedPlacement {
 public:
  explicit SharedPlacement(Launch& launch) : aliases_(launch.body) { walk(launch.body); }

  /// Bytes of the whole area.
  int64_t place() {
    std::vector<Placed*> order;
    for (Placed& p : buffers_) order.push_back(&p);
    std::stable_sort(order.begin(), order.end(), [](const Placed* a, const Placed* b) { return a->bytes > b->bytes; });
    int64_t total = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      order[i]->offset = lowest({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i)}, *order[i]);
      total = std::max(total, order[i]->offset + order[i]->bytes);
    }
    for (Placed& p : buffers_) p.alloc->hints["offset"] = p.offset;
    return total;
  }

  const std::vector<Placed>& buffers() const { return buffers_; }

 private:
  static int64_t lowest(std::vector<Placed*> placed, const Placed& p) {
    std::erase_if(placed, [&](const Placed* other) { return other->last < p.first || p.last < other->first; });
    std::sort(placed.begin(), placed.end(), [](const Placed* a, const Placed* b) { return a->offset < b->offset; });
    int64_t at = 0;
    for (const Placed* other : placed) {
      if (at + p.bytes <= other->offset) break;
      at = std::max(at, (other->offset + other->bytes + kAlignment - 1) / kAlignment * kAlignment);
    }
    return at;
  }

  void walk(Block& block) {
    for (OpPtr& op : block) {
      const int64_t number = next_++;
      if (auto* alloc = op->as<Alloc>(); alloc != nullptr && is_shared(alloc->buffer->space)) add(*alloc);
      for_each_expr(*op, [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& part) {
          if (const auto* n = part.as<LoadNode>()) use(n->buffer, number);
        });
      });
      if (const auto* store = op->as<Store>()) use(store->buffer, number);
      for_each_region(*op, [&](const RegionAccess& access) { use(access.region->buffer, number); });
      const bool loop = op->kind == OpKind::kFor || op->kind == OpKind::kWhile;
      if (loop) loops_.push_back({number, buffers_.size()});
      for_each_block(*op, [&](std::string_view, Block& nested) { walk(nested); });
      if (loop) leave();
    }
  }

  void add(Alloc& alloc) {
    index_[alloc.buffer.get()] = buffers_.size();
    buffers_.push_back({&alloc, shared_size(*alloc.buffer)});
  }

  void use(const Buffer& buffer, int64_t number) {
    const auto it = index_.find(aliases_.root(buffer).get());
    if (it == index_.end()) return;
    Placed& p = buffers_[it->second];
    int64_t from = number;
    // Inside a loop around which it lives, the buffer lives from the loop's start to its end.
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      if (it->second < loop->buffers_before) {
        from = loop->number;
        loop->used.push_back(it->second);
      }
    }
    p.first = p.first < 0 ? from : std::min(p.first, from);
    p.last = std::max(p.last, number);
  }

  void leave() {
    for (const size_t used : loops_.back().used) buffers_[used].last = std::max(buffers_[used].last, next_);
    loops_.pop_back();
  }

  struct OpenLoop {
    int64_t number;
    /// Buffers allocated before it.
    size_t buffers_before;
    std::vector<size_t> used = {};
  };

  const Aliases aliases_;
  std::vector<Placed> buffers_;
  std::unordered_map<const BufferNode*, size_t> index_;
  std::vector<OpenLoop> loops_;
  int64_t next_ = 0;
};

void refuse(const Launch& launch, const std::vector<Placed>& buffers, int64_t bytes, PassContext& context) {
  Diagnostic& d =
      context.diagnostics.error(91, launch.loc,
                                fmt::format("the kernel needs {} bytes of shared memory, but {} has {} for a block",
                                            bytes, context.target.name, context.target.max_shared));
  const auto largest = std::max_element(buffers.begin(), buffers.end(),
                                        [](const Placed& a, const Placed& b) { return a.bytes < b.bytes; });
  if (largest != buffers.end() && largest->alloc->loc) {
    d.notes.push_back({fmt::format("`{}`, the largest buffer, takes {}", largest->alloc->buffer->name, largest->bytes),
                       largest->alloc->loc});
  }
  d.help = "use smaller tiles or fewer pipeline stages";
}

}  // namespace

int64_t shared_size(const BufferNode& buffer) {
  const auto shape = static_shape(buffer);
  TL_CHECK(shape.has_value(), "a shared buffer of run-time shape");
  const std::vector<Expr> strides = strides_of(buffer);
  int64_t elements = 1;
  for (size_t d = 0; d < shape->size(); ++d) {
    if ((*shape)[d] == 0) return 0;
    elements += ((*shape)[d] - 1) * *as_int(strides[d]);
  }
  return (elements * buffer.dtype.storage_bits() + 7) / 8;
}

void allocate_shared(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    SharedPlacement placement(*launch);
    const int64_t bytes = placement.place();
    launch->hints["shared_bytes"] = bytes;
    if (bytes > context.target.max_shared) refuse(*launch, placement.buffers(), bytes, context);
  });
}

}  // namespace tl
