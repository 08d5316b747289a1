// version-buffers
//
// before:  alloc %a: shared float32[64]
//          for %k: int32, 0, %n, loop=pipelined, stages=2 {
//            tile.copy src=%A[%k * 64 :+ 64], dst=%a[0 :+ 64]
//            tile.copy src=%a[0 :+ 64], dst=%C[%k * 64 :+ 64]
//          }
// after:   alloc %a: shared float32[2, 64], hints={"versions": 2}
//          for %k: int32, 0, %n {
//            tile.copy src=%A[%k * 64 :+ 64], dst=%a[floormod(%k, 2) :+ 1, 0 :+ 64]
//            tile.copy src=%a[floormod(%k, 2) :+ 1, 0 :+ 64], dst=%C[%k * 64 :+ 64]
//          }

#include "passes/core/version_buffers.h"

#include <algorithm>
#include <map>
#include <type_traits>

#include "analysis/accesses.h"
#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/core/core_memory.h"
#include "passes/core/core_programs.h"

namespace tl {
namespace {

bool is_on_core(MemorySpace space) {
  return is_shared(space) || space == MemorySpace::kL1 || space == MemorySpace::kL0A || space == MemorySpace::kL0B;
}

/// Bytes of one version.
int64_t bytes_of(const Buffer& buffer) { return core_bytes(*with_aligned_rows(buffer)); }

bool covers(const Region& region) {
  const auto shape = static_shape(*region.buffer), extents = static_extents(region);
  return shape && extents && *shape == *extents;
}

bool touches(const std::vector<Access>& list, const Buffer& buffer, const Aliases& aliases) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Access& a) { return aliases.root(a.buffer).get() == buffer.get(); });
}

/// Whether the points of the loop store every element of the buffer: its indices are the loop's variables, each over
/// the whole extent.
bool stores_all(const Parallel& loop, const Buffer& buffer) {
  bool jumps = false;
  visit_ops(loop.body, [&](const Op& op) { jumps |= op.kind == OpKind::kContinue || op.kind == OpKind::kBreak; });
  if (jumps) return false;
  for (const OpPtr& op : loop.body) {
    const auto* store = op->as<Store>();
    if (store == nullptr || store->buffer.get() != buffer.get()) continue;
    std::vector<const ExprNode*> seen;
    for (size_t d = 0; d < store->indices.size(); ++d) {
      const ExprNode* index = store->indices[d].get();
      const auto var = std::find_if(loop.vars.begin(), loop.vars.end(), [&](const Var& v) { return v.get() == index; });
      const bool again = std::find(seen.begin(), seen.end(), index) != seen.end();
      if (var == loop.vars.end() || again) return false;
      if (!same(loop.extents[static_cast<size_t>(var - loop.vars.begin())], buffer->shape[d])) return false;
      seen.push_back(index);
    }
    return true;
  }
  return false;
}

/// Whether the statements write all of the buffer before they read any of it.
bool write_anew(const Block& body, const Buffer& buffer, const Aliases& aliases, const Facts& facts) {
  for (const OpPtr& op : body) {
    const std::vector<Access> list = accesses(*op, facts);
    if (!touches(list, buffer, aliases)) continue;
    if (const auto* group = op->as<Group>()) return write_anew(group->body, buffer, aliases, facts);
    const auto* points = op->as<Parallel>();
    bool whole = points != nullptr && stores_all(*points, buffer);
    for (const Access& a : list) {
      if (aliases.root(a.buffer).get() != buffer.get()) continue;
      if (a.reads || a.buffer.get() != buffer.get()) return false;
      whole |= a.exact && covers(a.region);
    }
    return whole;
  }
  return false;
}

/// Whether the statements clear an accumulator, all of it, before they add to it or copy it.
bool clear_anew(const Block& body, const Buffer& accumulator, const Aliases& aliases, Facts facts) {
  for (const OpPtr& op : body) {
    if (!touches(accesses(*op, facts), accumulator, aliases)) {
      add_after(facts, *op);
      continue;
    }
    if (const auto* gemm = op->as<Gemm>()) {
      return gemm->c.buffer.get() == accumulator.get() && covers(gemm->c) &&
             is_const_int(simplify(gemm->clear, facts), 1);
    }
    const auto* loop = op->as<For>();
    if (loop == nullptr || !holds(widen_index(loop->begin) < widen_index(loop->end), facts)) return false;
    facts.add_bind(loop->var, loop->begin);
    return clear_anew(loop->body, accumulator, aliases, std::move(facts));
  }
  return false;
}

/// Whether the buffer is used by other statements than those of the loop, or has views, which have no versions.
bool used_outside(const Block& body, const For& loop, const Buffer& buffer) {
  bool found = false;
  const std::function<void(const Block&)> look = [&](const Block& block) {
    for (const OpPtr& op : block) {
      if (op.get() == &loop) {
        visit_ops(loop.body, [&](const Op& inner) {
          const auto* view = inner.as<View>();
          found |= view != nullptr && view->source.get() == buffer.get();
        });
        continue;
      }
      for_each_region(*op, [&](const RegionAccess& a) { found |= a.region->buffer.get() == buffer.get(); });
      for_each_expr(*op, [&](const Expr& e) { found |= reads(e, buffer); });
      if (const auto* store = op->as<Store>()) found |= store->buffer.get() == buffer.get();
      if (const auto* view = op->as<View>()) found |= view->source.get() == buffer.get();
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { look(nested); });
    }
  };
  look(body);
  return found;
}

/// Whether a reduction or a scan takes the buffer itself, along a dimension that it counts from the first one.
bool reduced(const For& loop, const Buffer& buffer) {
  bool found = false;
  visit_ops(loop.body, [&](const Op& op) {
    if (op.kind != OpKind::kReduce && op.kind != OpKind::kScan) return;
    for_each_region(op, [&](const RegionAccess& a) { found |= a.region->buffer.get() == buffer.get(); });
  });
  return found;
}

struct Versioned {
  Buffer buffer;
  const For* loop;
  int64_t versions;
  Buffer made;
};

class CoreVersions {
 public:
  explicit CoreVersions(Launch& launch) : launch_(launch), aliases_(launch.body) {}

  void run(Facts& facts) {
    std::vector<std::pair<const For*, Facts>> loops;
    visit_ops(std::as_const(launch_.body), facts, [&](const Op& op, const Facts& here) {
      const auto* loop = op.as<For>();
      if (loop == nullptr) return;
      loops.emplace_back(loop, here);
      if (loop->loop == LoopKind::kPipelined && loop->stages > 1) find(*loop, here);
    });
    // Of loops in each other the innermost, whose iterations are those with sums of their own.
    for (size_t i = loops.size(); i-- > 0;) find_sums(*loops[i].first, loops[i].second);
    fit();
    std::erase_if(found_, [](const Versioned& v) { return v.versions < 2; });
    for (Versioned& v : found_) make(v);
    visit_ops(launch_.body, [&](Op& op) { use(op); });
    visit_ops(launch_.body, [](Op& op) {
      auto* loop = op.as<For>();
      if (loop == nullptr || loop->loop != LoopKind::kPipelined) return;
      loop->loop = LoopKind::kSerial;
      loop->stages = 0;
    });
  }

 private:
  void find(const For& loop, const Facts& facts) {
    Facts inside = facts;
    enter_block(inside, loop, "body");
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr || !is_on_core(alloc->buffer->space) || !static_shape(*alloc->buffer)) return;
      const Buffer& buffer = alloc->buffer;
      if (versions_of(buffer) != nullptr || reduced(loop, buffer) || used_outside(launch_.body, loop, buffer)) return;
      if (write_anew(loop.body, buffer, aliases_, inside)) found_.push_back({buffer, &loop, loop.stages, {}});
    });
  }

  /// Accumulators of a loop whose iterations each have sums of their own: the next ones are computed while the last
  /// leave the cube unit.
  void find_sums(const For& loop, const Facts& facts) {
    const bool pipelined = loop.loop == LoopKind::kPipelined;
    if (!pipelined && loop.loop != LoopKind::kSerial) return;
    const int64_t versions = pipelined ? std::min<int64_t>(loop.stages, 2) : 2;
    Facts inside = facts;
    enter_block(inside, loop, "body");
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr || alloc->buffer->space != MemorySpace::kL0C || !static_shape(*alloc->buffer)) return;
      const Buffer& sums = alloc->buffer;
      if (versions_of(sums) != nullptr || used_outside(launch_.body, loop, sums)) return;
      if (clear_anew(loop.body, sums, aliases_, inside)) found_.push_back({sums, &loop, versions, {}});
    });
  }

  /// Takes versions away where the memory does not suffice, from the buffer that takes most.
  void fit() {
    std::map<MemorySpace, int64_t> plain;
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      const bool counts =
          alloc != nullptr && (is_on_core(alloc->buffer->space) || alloc->buffer->space == MemorySpace::kL0C);
      if (counts && static_shape(*alloc->buffer)) {
        plain[alloc->buffer->space] += bytes_of(alloc->buffer);
      }
    });
    for (const auto& [space, bytes] : plain) {
      for (;;) {
        int64_t total = bytes;
        Versioned* most = nullptr;
        for (Versioned& v : found_) {
          if (v.buffer->space != space) continue;
          total += (v.versions - 1) * bytes_of(v.buffer);
          const bool more = most == nullptr || v.versions > most->versions ||
                            (v.versions == most->versions && bytes_of(v.buffer) > bytes_of(most->buffer));
          if (v.versions > 1 && more) most = &v;
        }
        if (total <= core_capacity(space) || most == nullptr) break;
        --most->versions;
      }
    }
  }

  static void make(Versioned& v) {
    std::vector<Expr> shape = {Expr(static_cast<int>(v.versions))};
    shape.insert(shape.end(), v.buffer->shape.begin(), v.buffer->shape.end());
    v.made = make_buffer(v.buffer->name, v.buffer->dtype, std::move(shape), v.buffer->space, {}, v.buffer->loc);
  }

  const Versioned* versions_of(const Buffer& buffer) const {
    for (const Versioned& v : found_) {
      if (v.buffer.get() == buffer.get()) return &v;
    }
    return nullptr;
  }

  static Expr version(const Versioned& v) { return version_of(*v.loop, v.versions); }

  void use(Op& op) const {
    if (auto* alloc = op.as<Alloc>()) {
      if (const Versioned* v = versions_of(alloc->buffer)) {
        alloc->buffer = v->made;
        alloc->hints[kVersionsHint] = v->versions;
      }
    }
    map_exprs(op, [&](const Expr& e) { return with_version(e); });
    if (auto* store = op.as<Store>()) {
      if (const Versioned* v = versions_of(store->buffer)) {
        store->buffer = v->made;
        store->indices.insert(store->indices.begin(), version(*v));
      }
    }
    visit(op, [&](auto& typed) {
      for_each_field(typed, [&](const auto&, auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Region>) {
          const Versioned* v = value ? versions_of(value.buffer) : nullptr;
          if (v == nullptr) return;
          value.buffer = v->made;
          value.offsets.insert(value.offsets.begin(), version(*v));
          value.extents.insert(value.extents.begin(), make_int(v->loop->var.dtype(), 1));
        }
      });
    });
  }

  Expr with_version(const Expr& e) const {
    const Expr inner = map_operands(e, [&](const Expr& operand) { return with_version(operand); });
    const auto* n = inner.as<LoadNode>();
    const Versioned* v = n == nullptr ? nullptr : versions_of(n->buffer);
    if (v == nullptr) return inner;
    std::vector<Expr> indices = n->indices;
    indices.insert(indices.begin(), version(*v));
    return load(v->made, std::move(indices));
  }

  Launch& launch_;
  const Aliases aliases_;
  std::vector<Versioned> found_;
};

}  // namespace

Expr version_of(const For& loop, int64_t versions) {
  const Expr from_begin = is_const_int(loop.begin, 0) ? Expr(loop.var) : loop.var - loop.begin;
  const Expr iteration = is_const_int(loop.step, 1) ? from_begin : floordiv(from_begin, loop.step);
  return floormod(iteration, make_int(loop.var.dtype(), versions));
}

void version_buffers(Function& function, PassContext&) {
  for_each_core_program(function, [&](Launch& launch, Facts& facts) { CoreVersions(launch).run(facts); });
}

}  // namespace tl
