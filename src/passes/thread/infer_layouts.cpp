// infer-layouts
//
// before:  alloc %x: fragment float32[1024]                                            # 128 threads
//          parallel [%i: int32], [1024] { store %x, [%i], %A[%bx * 1024 + %i] }
// after:   alloc %x: fragment float32[1024], hints={"layout": "fragment<tile=(1024), threads=128:4,
// registers=(4,2):(1,512)>"}
//          parallel [%i: int32], [1024], hints={"layout": "fragment<tile=(1024), threads=128:4, …>"} { … }
//
// All tiles of a launch are laid out together. The largest fragments choose first, by the loop that moves most of them
// at once; what they choose spreads through the loops and reductions that join fragments. Where that leads to a thread
// that lacks an element, the fragment moves to shared memory, which every thread reads.

#include "passes/thread/infer_layouts.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "analysis/scope.h"
#include "analysis/uniform.h"
#include "ir/walk.h"
#include "passes/thread/choose_layout.h"
#include "passes/thread/guarded_stores.h"
#include "passes/thread/point_loop.h"
#include "passes/thread/tile_points.h"
#include "passes/thread/vector_access.h"

namespace tl {
namespace {

struct LoopPlan {
  const Parallel* loop;
  std::vector<int64_t> extents;
  /// Elements that a thread should take next to each other.
  int64_t vector = 1;
  std::vector<PointAccess> accesses;
  std::optional<Fragment> layout;
};

bool is_fragment(const Buffer& buffer) { return buffer->space == MemorySpace::kFragment; }

/// All decisions about one launch.
class LaunchLayouts {
 public:
  LaunchLayouts(const Launch& launch, const SharedMemoryOf& shared_memory, const PassContext& context,
                const Facts& facts)
      : launch_(launch), uniformity_(launch), shared_memory_(shared_memory), context_(context) {
    threads_ = std::accumulate(launch.threads.begin(), launch.threads.end(), int64_t{1}, std::multiplies<>());
    Facts here = facts;
    enter_block(here, launch, "body");
    visit_ops(launch.body, here, [&](const Op& op, const Facts& f) { collect(op, f); });
    find_scalar_uses(launch.body);
    decide();
  }

  const Fragment* of(const Buffer& buffer) const {
    const auto it = fragments_.find(buffer.get());
    return it == fragments_.end() ? nullptr : &it->second;
  }
  const Fragment* of(const Parallel& loop) const {
    for (const LoopPlan& plan : loops_) {
      if (plan.loop == &loop) return plan.layout ? &*plan.layout : nullptr;
    }
    return nullptr;
  }

 private:
  // --- what there is -------------------------------------------------------------------------------------------------

  void collect(const Op& op, const Facts& facts) {
    if (const auto* alloc = op.as<Alloc>(); alloc != nullptr && is_fragment(alloc->buffer)) {
      tiles_.push_back(alloc->buffer);
    } else if (const auto* reduce = op.as<Reduce>()) {
      reduces_.push_back(reduce);
    } else if (const auto* gemm = op.as<Gemm>()) {
      gemms_.push_back(gemm);
    } else if (const auto* loop = op.as<Parallel>()) {
      const auto extents = static_extents(*loop);
      if (extents && uniformity_.is_uniform(*loop)) plan(*loop, *extents, facts);
    }
  }

  void plan(const Parallel& loop, const std::vector<int64_t>& extents, const Facts& facts) {
    LoopPlan out{&loop, extents, 1, point_accesses(loop), {}};
    const AccessRules rules = rules_of(context_);
    for (const MemorySpace space : {MemorySpace::kGlobal, MemorySpace::kShared}) {
      for (const PointAccess& access : out.accesses) {
        if (access.buffer->space != space) continue;
        out.vector = std::max(out.vector, vector_elements(access.buffer, *access.indices, loop.vars, facts, rules));
      }
      if (out.vector > 1) break;
    }
    // Point by point, neighbouring threads are to have neighbouring elements.
    if (out.vector > 1 && !may_have_vectors(loop, extents)) out.vector = 1;
    loops_.push_back(std::move(out));
  }

  bool may_have_vectors(const Parallel& loop, const std::vector<int64_t>& extents) const {
    std::vector<GuardedStore> stores;
    bool relies_on_apart = false;
    if (!collect_stores(loop.body, stores) || stores.empty()) return false;
    if (order_of(stores, shared_memory_, relies_on_apart) == StoreOrder::kPointByPoint) return false;
    return std::any_of(stores.begin(), stores.end(),
                       [&](const GuardedStore& s) { return has_conditions_of_places(s, loop, extents); });
  }

  /// Fragments that statements outside planned loops and tile operations name: every thread must hold all of them.
  /// What only some threads write, or points that are no plan's, must be memory of all.
  void find_scalar_uses(const Block& block, bool shared = false) {
    for (const OpPtr& op : block) {
      const auto* loop = op->as<Parallel>();
      if (loop != nullptr && planned(*loop)) continue;
      const bool apart = shared || loop != nullptr || !uniformity_.is_uniform(*op);
      for_each_expr(*op, [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& part) {
          const auto* n = part.as<LoadNode>();
          if (n != nullptr && is_fragment(n->buffer)) scalar_.insert(n->buffer.get());
        });
      });
      if (const auto* store = op->as<Store>(); store != nullptr && is_fragment(store->buffer)) {
        (apart ? to_shared_ : scalar_).insert(store->buffer.get());
      }
      if (const auto* print = op->as<Print>(); print != nullptr && print->region && is_fragment(print->region.buffer)) {
        to_shared_.insert(print->region.buffer.get());
      }
      if (const auto* view = op->as<View>(); view != nullptr && is_fragment(view->source)) {
        to_shared_.insert(view->source.get());
        to_shared_.insert(view->buffer.get());
      }
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) {
        find_scalar_uses(nested, shared || loop != nullptr);
      });
    }
  }

  bool planned(const Parallel& loop) const {
    return std::any_of(loops_.begin(), loops_.end(), [&](const LoopPlan& p) { return p.loop == &loop; });
  }

  // --- decisions -----------------------------------------------------------------------------------------------------

  void decide() {
    for (const Gemm* gemm : gemms_) seed_gemm(*gemm);
    std::vector<Buffer> order = tiles_;
    std::stable_sort(order.begin(), order.end(),
                     [](const Buffer& a, const Buffer& b) { return size_of(a) > size_of(b); });
    for (const Buffer& tile : order) {
      if (!of(tile) && to_shared_.count(tile.get()) == 0) seed(tile);
    }
    for (LoopPlan& plan : loops_) {
      if (!plan.layout) plan.layout = free_loop(plan);
    }
    check();
    for (const BufferNode* tile : to_shared_) fragments_.erase(tile);
  }

  static int64_t size_of(const Buffer& buffer) {
    const auto shape = static_shape(*buffer);
    return shape ? std::accumulate(shape->begin(), shape->end(), int64_t{1}, std::multiplies<>()) : 0;
  }

  void seed_gemm(const Gemm& gemm) {
    for (const Region* operand : {&gemm.a, &gemm.b}) {
      if (is_fragment(operand->buffer)) to_shared_.insert(operand->buffer.get());
    }
    const Buffer& c = gemm.c.buffer;
    if (!is_fragment(c) || of(c) || to_shared_.count(c.get()) != 0) return;
    const auto shape = static_shape(*c);
    if (!shape) return;
    assign(c, accumulator_layout(gemm, *shape, threads_));
  }

  void seed(const Buffer& tile) {
    const auto shape = static_shape(*tile);
    if (!shape || scalar_.count(tile.get()) != 0 || size_of(tile) == 1) {
      shape ? assign(tile, *Fragment::replicated(*shape, threads_)) : void(to_shared_.insert(tile.get()));
      return;
    }
    const bool rows = std::any_of(reduces_.begin(), reduces_.end(), [&](const Reduce* r) {
      return r->src.buffer == tile && r->dim + 1 == static_cast<int64_t>(tile->rank());
    });
    int64_t vector = 1;
    for (const LoopPlan& plan : loops_) {
      if (covers(plan, tile)) vector = std::max(vector, plan.vector);
    }
    assign(tile, spread_layout(*shape, threads_, vector, rows));
  }

  /// Whether the loop runs over exactly the tile's elements, in order.
  static bool covers(const LoopPlan& plan, const Buffer& tile) {
    const auto shape = static_shape(*tile);
    if (!shape || wide(*shape) != wide(plan.extents)) return false;
    return std::any_of(plan.accesses.begin(), plan.accesses.end(), [&](const PointAccess& access) {
      if (access.buffer != tile) return false;
      const auto dims = plain_dims(*shape, *access.indices, plan.loop->vars);
      return dims && std::is_sorted(dims->begin(), dims->end());
    });
  }

  static std::vector<int64_t> wide(std::vector<int64_t> extents) {
    std::erase(extents, 1);
    return extents;
  }

  void assign(const Buffer& tile, const Fragment& layout) {
    fragments_.emplace(tile.get(), layout);
    for (const Reduce* reduce : reduces_) {
      if (reduce->src.buffer == tile) spread_reduce(*reduce, layout);
    }
    for (LoopPlan& plan : loops_) {
      if (!plan.layout) spread_loop(plan, tile, layout);
    }
  }

  void spread_reduce(const Reduce& reduce, const Fragment& layout) {
    const Buffer& dst = reduce.dst.buffer;
    if (!is_fragment(dst) || of(dst) || to_shared_.count(dst.get()) != 0 || scalar_.count(dst.get()) != 0) return;
    const auto shape = static_shape(*dst);
    if (!shape) return;
    const bool keeps = dst->rank() == reduce.src.buffer->rank();
    const auto reduced = layout.reduce(static_cast<size_t>(reduce.dim), keeps);
    if (reduced && reduced->extents() == *shape) assign(dst, *reduced);
  }

  /// A loop over a laid-out tile runs where the elements are; so do its other tiles.
  void spread_loop(LoopPlan& plan, const Buffer& tile, const Fragment& layout) {
    for (const PointAccess& access : plan.accesses) {
      if (access.buffer == tile && !plan.layout) plan.layout = layout_by(plan, access, layout);
    }
    if (!plan.layout) return;
    for (const PointAccess& access : plan.accesses) {
      const Buffer& other = access.buffer;
      if (!is_fragment(other) || of(other) || to_shared_.count(other.get()) != 0 || scalar_.count(other.get()) != 0) {
        continue;
      }
      const auto shape = static_shape(*other);
      const auto dims = shape ? plain_dims(*shape, *access.indices, plan.loop->vars) : std::nullopt;
      if (!dims || dims->empty()) continue;
      const auto projected = plan.layout->project(*dims);
      const auto spread = projected ? with_units(*projected, *shape) : std::nullopt;
      if (spread) assign(other, *spread);
    }
  }

  /// The loop's layout where its access names the whole tile, dimension by dimension.
  std::optional<Fragment> layout_by(const LoopPlan& plan, const PointAccess& access, const Fragment& layout) const {
    const auto dims = plain_dims(layout.extents(), *access.indices, plan.loop->vars);
    if (!dims || dims->size() != wide(plan.extents).size()) return std::nullopt;
    if (dims->empty()) return *Fragment::replicated(plan.extents, threads_);
    // dims[k] is the loop variable at the tile's dimension k; the loop wants the tile's dimension of each variable.
    std::vector<size_t> order(dims->size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return (*dims)[a] < (*dims)[b]; });
    const auto bare = without_units(layout);
    if (!bare) return std::nullopt;
    auto turned = bare->project(order);
    std::vector<int64_t> extents = wide(plan.extents);
    if (turned && turned->extents() != extents) turned = turned->crop(extents);
    // A loop runs over digits of threads and registers, which only an affine layout has.
    return turned && turned->is_affine() ? with_units(*turned, plan.extents) : std::nullopt;
  }

  /// A loop that no tile has claimed: like a tile of its shape where it names tiles of fewer dimensions, else by its
  /// own accesses.
  Fragment free_loop(const LoopPlan& plan) const {
    for (const PointAccess& access : plan.accesses) {
      if (!is_fragment(access.buffer)) continue;
      for (const LoopPlan& other : loops_) {
        if (other.layout && other.extents == plan.extents && fits(plan, *other.layout)) return *other.layout;
      }
    }
    const bool single = wide(plan.extents).empty();
    if (single && std::any_of(plan.accesses.begin(), plan.accesses.end(),
                              [](const PointAccess& a) { return is_fragment(a.buffer); })) {
      return *Fragment::replicated(plan.extents, threads_);
    }
    return spread_layout(plan.extents, threads_, plan.vector, false);
  }

  bool fits(const LoopPlan& plan, const Fragment& layout) const {
    return std::all_of(plan.accesses.begin(), plan.accesses.end(), [&](const PointAccess& access) {
      return !is_fragment(access.buffer) || matches(plan, layout, access);
    });
  }

  bool matches(const LoopPlan& plan, const Fragment& layout, const PointAccess& access) const {
    const Fragment* tile = of(access.buffer);
    return tile != nullptr &&
           match_registers(layout, plan.loop->vars, *tile, *access.indices, access.writes).has_value();
  }

  bool in_registers(const Buffer& b) const {
    return is_fragment(b) && fragments_.count(b.get()) != 0 && to_shared_.count(b.get()) == 0;
  }

  static bool is_whole(const Region& region) { return static_extents(region) == static_shape(*region.buffer); }

  /// A reduction's results come out where its source lies; a tile of another layout is memory of all threads.
  void check(const Reduce& reduce) {
    for (const Region* region : {&reduce.src, &reduce.dst}) {
      if (in_registers(region->buffer) && !is_whole(*region)) to_shared_.insert(region->buffer.get());
    }
    const auto dim = static_cast<size_t>(reduce.dim);
    const bool keeps = reduce.dst.extents.size() == reduce.src.extents.size();
    std::optional<Fragment> result;
    if (in_registers(reduce.src.buffer)) {
      result = result_layout(*of(reduce.src.buffer), dim, keeps);
      if (!result) to_shared_.insert(reduce.src.buffer.get());
    }
    if (!in_registers(reduce.dst.buffer)) return;
    const auto extents = static_extents(reduce.src), results = static_extents(reduce.dst);
    if (!result && extents && results) result = result_layout(*extents, *results, dim, threads_);
    if (!result || !(*result == *of(reduce.dst.buffer))) to_shared_.insert(reduce.dst.buffer.get());
  }

  void check() {
    for (const Gemm* gemm : gemms_) {
      if (in_registers(gemm->c.buffer) && !is_whole(gemm->c)) to_shared_.insert(gemm->c.buffer.get());
    }
    for (const LoopPlan& plan : loops_) {
      for (const PointAccess& access : plan.accesses) {
        if (!is_fragment(access.buffer) || to_shared_.count(access.buffer.get()) != 0) continue;
        if (!matches(plan, *plan.layout, access)) to_shared_.insert(access.buffer.get());
      }
    }
    // A source that moves changes where results come out.
    for (size_t before = SIZE_MAX; before != to_shared_.size();) {
      before = to_shared_.size();
      for (const Reduce* reduce : reduces_) check(*reduce);
    }
  }

  const Launch& launch_;
  const Uniformity uniformity_;
  const SharedMemoryOf& shared_memory_;
  const PassContext& context_;
  int64_t threads_ = 1;
  std::vector<Buffer> tiles_;
  std::vector<LoopPlan> loops_;
  std::vector<const Reduce*> reduces_;
  std::vector<const Gemm*> gemms_;
  std::unordered_set<const BufferNode*> scalar_, to_shared_;
  std::unordered_map<const BufferNode*, Fragment> fragments_;
};

void annotate(Launch& launch, const LaunchLayouts& layouts) {
  Substitution moved;
  visit_ops(launch.body, [&](Op& op) {
    if (auto* loop = op.as<Parallel>()) {
      if (const Fragment* layout = layouts.of(*loop)) loop->hints["layout"] = layout->to_string();
    } else if (auto* alloc = op.as<Alloc>(); alloc != nullptr && is_fragment(alloc->buffer)) {
      if (const Fragment* layout = layouts.of(alloc->buffer)) {
        alloc->hints["layout"] = layout->to_string();
        return;
      }
      const BufferNode& b = *alloc->buffer;
      const Buffer shared = make_buffer(b.name, b.dtype, b.shape, MemorySpace::kShared, b.strides, b.loc);
      moved.buffers[alloc->buffer.get()] = shared;
      alloc->buffer = shared;
    }
  });
  if (!moved.empty()) substitute(launch.body, moved);
}

}  // namespace

void infer_layouts(Function& function, PassContext& context) {
  const SharedMemoryOf shared_memory(function, context);
  std::vector<std::pair<Launch*, LaunchLayouts>> found;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    const auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    found.emplace_back(const_cast<Launch*>(launch), LaunchLayouts(*launch, shared_memory, context, facts));
  });
  for (auto& [launch, layouts] : found) annotate(*launch, layouts);
}

}  // namespace tl
