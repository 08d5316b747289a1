#include "passes/core/core_touches.h"

#include "analysis/facts.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/core/core_memory.h"
#include "passes/core/version_buffers.h"

namespace tl {
namespace {

/// Products of fewer fractals than this may overtake each other.
constexpr int64_t kOrderedFractals = 10;

Access changed(Access access, const Substitution& s) {
  for (Expr& e : access.region.offsets) e = substitute(e, s);
  for (Expr& e : access.region.extents) e = substitute(e, s);
  return access;
}

/// The access without the names that the loop's body gives: in another iteration they stand for other values.
Access in_words_of(const For& loop, Access access) {
  for (size_t i = loop.body.size(); i-- > 0;) {
    const auto* bind = loop.body[i]->as<Bind>();
    if (bind == nullptr) continue;
    Substitution s;
    s.vars[bind->var.get()] = bind->value;
    access = changed(std::move(access), s);
  }
  return access;
}

bool in_turn(const Region& region, const For& loop) {
  return !region.offsets.empty() && mentions(region.offsets[0], loop.var);
}

}  // namespace

CoreTouches::CoreTouches(const CoreLaunch& core) : aliases_(core.body) { find_engines(core.body, std::nullopt); }

void CoreTouches::find_engines(const Block& block, std::optional<Engine> around) {
  for (const OpPtr& op : block) {
    const std::optional<Engine> own = around ? around : engine_of(*op);
    engines_[op.get()] = own.value_or(Engine::kScalar);
    if (const auto* alloc = op->as<Alloc>()) {
      if (around) {
        inner_.insert(alloc->buffer.get());
      } else {
        versions_[alloc->buffer.get()] = hint<int64_t>(alloc->hints, kVersionsHint, 1);
        offsets_[alloc->buffer.get()] = hint<int64_t>(alloc->hints, "offset", -1);
      }
    }
    const std::optional<Engine> inside = op->kind == OpKind::kLaunch ? own : around;
    for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { find_engines(nested, inside); });
  }
}

std::vector<Touch> CoreTouches::of(const Op& op, const Facts& facts) const {
  std::vector<Touch> out;
  for (Access& a : accesses(op, facts)) {
    if (is_per_thread(a.buffer->space) || inner_.count(aliases_.root(a.buffer).get()) != 0) continue;
    out.push_back({engines_.at(a.op), std::move(a)});
  }
  return out;
}

bool CoreTouches::share_bytes(const BufferNode& a, const BufferNode& b) const {
  const auto first = offsets_.find(&a), second = offsets_.find(&b);
  if (first == offsets_.end() || second == offsets_.end() || first->second < 0 || second->second < 0) return false;
  const bool one_memory = a.space == b.space || (is_shared(a.space) && is_shared(b.space));
  return one_memory && first->second < second->second + core_bytes(b) && second->second < first->second + core_bytes(a);
}

/// Whether two statements of one engine need an order that the engine does not give.
bool CoreTouches::overtakes(const Touch& a, const Touch& b) {
  switch (a.engine) {
    case Engine::kMte2:
    case Engine::kMte3:
    case Engine::kFixpipe:
      return a.access.writes && b.access.writes;
    case Engine::kCube: {
      if (!a.access.writes || !b.access.writes) return false;
      const auto* gemm = b.access.op->as<Gemm>();
      const auto extents = gemm == nullptr ? std::nullopt : static_extents(gemm->c);
      return !extents || (extents->back() / 16) * ((*extents)[extents->size() - 2] / 16) < kOrderedFractals;
    }
    default:
      return false;
  }
}

bool CoreTouches::conflict(const Touch& a, const Touch& b, const Facts& facts) const {
  if (a.engine == b.engine && !overtakes(a, b)) return false;
  const Buffer first = aliases_.root(a.access.buffer), second = aliases_.root(b.access.buffer);
  if (first.get() != second.get() && share_bytes(*first, *second)) return a.access.writes || b.access.writes;
  return tl::conflict(a.access, b.access, aliases_, facts);
}

std::optional<int64_t> CoreTouches::distance(const Touch& a, const Touch& b, const For& loop,
                                             const Facts& facts) const {
  if (a.engine == b.engine && !overtakes(a, b)) return std::nullopt;
  Facts later = facts;
  const FactsScope scope(later);
  const Var next(loop.var.name(), loop.var.dtype());
  const auto step = as_int(loop.step);
  if (step && *step > 0) {
    later.add_loop(next, loop.begin, loop.end, loop.step);
    later.add(widen_index(loop.var) + make_int(DType::i64(), *step) <= widen_index(next));
  }
  Substitution s;
  s.vars[loop.var.get()] = next;
  const Access here = in_words_of(loop, a.access), there = changed(in_words_of(loop, b.access), s);
  if (!tl::conflict(here, there, aliases_, later)) return std::nullopt;
  return versions(a, b, loop).value_or(1);
}

std::optional<int64_t> CoreTouches::versions(const Touch& a, const Touch& b, const For& loop) const {
  const Buffer root = aliases_.root(a.access.buffer);
  const auto found = versions_.find(root.get());
  const bool turns = found != versions_.end() && found->second > 1 &&
                     aliases_.root(b.access.buffer).get() == root.get() && in_turn(a.access.region, loop) &&
                     in_turn(b.access.region, loop) && same(a.access.region.offsets[0], b.access.region.offsets[0]);
  return turns ? std::optional(found->second) : std::nullopt;
}

}  // namespace tl
