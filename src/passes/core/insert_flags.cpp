// insert-flags
//
// before:  for %k: int32, 0, %n {
//            tile.copy src=%A[%k * 64 :+ 64], dst=%a[floormod(%k, 2) :+ 1, 0 :+ 64]            # mte2
//            launch [], [], threads=[64] { … loads %a[floormod(%k, 2), …] }                    # vector
//          }
// after:   core.set vector, mte2, 0    core.set vector, mte2, 1                                # both versions are free
//          for %k: int32, 0, %n {
//            core.wait vector, mte2, floormod(%k, 2)
//            tile.copy …
//            core.set mte2, vector, floormod(%k, 2)
//            core.wait mte2, vector, floormod(%k, 2)
//            launch …
//            core.set vector, mte2, floormod(%k, 2)
//          }
//          core.wait vector, mte2, 0   core.wait vector, mte2, 1
//
// Flags stand in the block that holds both statements, around whole statements of it: so they are set and waited for
// equally often, whatever branches and loops inside do.

#include "passes/core/insert_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/accesses.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/enum_names.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/core/engine_order.h"
#include "passes/core/version_buffers.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// Flags of an ordered pair of engines.
constexpr int64_t kFlags = 8;
/// Products of fewer fractals than this may overtake each other.
constexpr int64_t kOrderedFractals = 10;

struct Touch {
  Engine engine;
  Access access;
};

using EnginePair = std::pair<Engine, Engine>;

class CoreFlags {
 public:
  CoreFlags(CoreLaunch& core, PassContext& context) : core_(core), context_(context), aliases_(core.body) {
    find_engines(core.body, std::nullopt);
  }

  void run(Facts facts) {
    enter_block(facts, core_, "body");
    block(core_.body, facts, nullptr);
  }

 private:
  // --- what statements touch -----------------------------------------------------------------------------------------

  void find_engines(const Block& block, std::optional<Engine> around) {
    for (const OpPtr& op : block) {
      const std::optional<Engine> own = around ? around : engine_of(*op);
      engines_[op.get()] = own.value_or(Engine::kScalar);
      if (const auto* alloc = op->as<Alloc>()) {
        if (around) {
          inner_.insert(alloc->buffer.get());
        } else {
          versions_[alloc->buffer.get()] = hint<int64_t>(alloc->hints, kVersionsHint, 1);
        }
      }
      const std::optional<Engine> inside = op->kind == OpKind::kLaunch ? own : around;
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { find_engines(nested, inside); });
    }
  }

  std::vector<Touch> touches(const Op& op, const Facts& facts) const {
    std::vector<Touch> out;
    for (Access& a : accesses(op, facts)) {
      if (is_per_thread(a.buffer->space) || inner_.count(aliases_.root(a.buffer).get()) != 0) continue;
      out.push_back({engines_.at(a.op), std::move(a)});
    }
    return out;
  }

  /// Whether two statements of one engine need an order that the engine does not give.
  bool overtakes(const Touch& a, const Touch& b) const {
    switch (a.engine) {
      case Engine::kMte2:
      case Engine::kMte3:
      case Engine::kFixpipe:
        return a.access.writes && b.access.writes;
      case Engine::kCube: {
        const auto* gemm = b.access.op->as<Gemm>();
        const auto extents = gemm == nullptr ? std::nullopt : static_extents(gemm->c);
        if (!a.access.writes || !b.access.writes || !extents || extents->size() < 2) return false;
        return (extents->back() / 16) * ((*extents)[extents->size() - 2] / 16) < kOrderedFractals;
      }
      default:
        return false;
    }
  }

  bool conflicts(const Touch& a, const Touch& b, const Facts& facts) const {
    if (a.engine == b.engine && !overtakes(a, b)) return false;
    return conflict(a.access, b.access, aliases_, facts);
  }

  /// How many iterations later `b` may meet what `a` touched; nothing where it never does.
  std::optional<int64_t> distance(const Touch& a, const Touch& b, const For& loop, const Facts& facts) const {
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
    if (!conflict(here, there, aliases_, later)) return std::nullopt;
    const auto versions = versions_.find(aliases_.root(a.access.buffer).get());
    const bool turns = versions != versions_.end() && versions->second > 1 && in_turn(a.access.region, loop) &&
                       same(a.access.region.offsets[0], b.access.region.offsets[0]);
    return turns ? versions->second : 1;
  }

  static Access changed(Access access, const Substitution& s) {
    for (Expr& e : access.region.offsets) e = substitute(e, s);
    for (Expr& e : access.region.extents) e = substitute(e, s);
    return access;
  }

  /// The access without the names that the loop's body gives: in another iteration they stand for other values.
  static Access in_words_of(const For& loop, Access access) {
    for (size_t i = loop.body.size(); i-- > 0;) {
      const auto* bind = loop.body[i]->as<Bind>();
      if (bind == nullptr) continue;
      Substitution s;
      s.vars[bind->var.get()] = bind->value;
      access = changed(std::move(access), s);
    }
    return access;
  }

  static bool in_turn(const Region& region, const For& loop) {
    return !region.offsets.empty() && mentions(region.offsets[0], loop.var);
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  /// Orders the statements of a block; `loop` is the loop whose body it is. Returns the pairs of engines with flags.
  std::set<EnginePair> block(Block& ops, Facts& facts, const For* loop) {
    const FactsScope scope(facts);
    std::vector<std::vector<Touch>> touched;
    std::vector<std::set<EnginePair>> inside(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      Op& op = *ops[i];
      touched.push_back(touches(op, facts));
      if (op.kind != OpKind::kLaunch) {
        for_each_block(op, [&](std::string_view name, Block& nested) {
          const FactsScope within(facts);
          enter_block(facts, op, name);
          for (const EnginePair& pair : block(nested, facts, op.as<For>())) inside[i].insert(pair);
        });
      }
      add_after(facts, op);
    }
    const std::vector<EngineEdge> edges =
        order_engines(ops.size(), loop != nullptr, needed(touched, inside, loop, facts));
    std::set<EnginePair> used;
    for (const std::set<EnginePair>& pairs : inside) used.insert(pairs.begin(), pairs.end());
    for (const EngineEdge& e : edges) {
      if (e.from != e.to) used.insert({e.from, e.to});
    }
    place(ops, edges, loop);
    return used;
  }

  std::vector<EngineDependence> needed(const std::vector<std::vector<Touch>>& touched,
                                       const std::vector<std::set<EnginePair>>& inside, const For* loop,
                                       const Facts& facts) const {
    std::vector<EngineDependence> out;
    const auto pairs = [&](size_t i, size_t j, const std::function<void(const Touch&, const Touch&)>& f) {
      for (const Touch& a : touched[i]) {
        for (const Touch& b : touched[j]) f(a, b);
      }
    };
    for (size_t i = 0; i < touched.size(); ++i) {
      for (size_t j = i + 1; j < touched.size(); ++j) {
        pairs(i, j, [&](const Touch& a, const Touch& b) {
          if (conflicts(a, b, facts)) out.push_back({a.engine, b.engine, i, j, 0});
        });
        // Flags inside of both are the same memory.
        for (const EnginePair& p : inside[i]) {
          if (inside[j].count(p) != 0) out.push_back({p.second, p.first, i, j, 0});
        }
      }
      if (loop == nullptr) continue;
      for (size_t j = 0; j < touched.size(); ++j) {
        pairs(i, j, [&](const Touch& a, const Touch& b) {
          if (const auto d = distance(a, b, *loop, facts)) out.push_back({a.engine, b.engine, i, j, *d});
        });
        for (const EnginePair& p : inside[i]) {
          if (inside[j].count(p) != 0) out.push_back({p.second, p.first, i, j, 1});
        }
      }
    }
    return out;
  }

  // --- flags ---------------------------------------------------------------------------------------------------------

  int64_t take_flags(const EngineEdge& e) {
    int64_t& next = flags_[{e.from, e.to}];
    const int64_t first = next;
    next += e.flags;
    if (next > kFlags && !refused_) {
      refused_ = true;
      context_.diagnostics
          .error(91, core_.loc,
                 fmt::format("this program needs more than the {} flags from {} to {}", kFlags, enum_name(e.from),
                             enum_name(e.to)))
          .help = "use fewer buffers or stages in one kernel";
    }
    return first;
  }

  template <class T>
  static OpPtr flag(const EngineEdge& e, Expr id, const Loc& loc) {
    auto out = make_op<T>(loc);
    out->from = e.from;
    out->to = e.to;
    out->id = std::move(id);
    return out;
  }

  void place(Block& ops, const std::vector<EngineEdge>& edges, const For* loop) {
    std::vector<Block> before(ops.size()), behind(ops.size());
    for (const EngineEdge& e : edges) {
      const Loc &first = ops[e.first]->loc, &second = ops[e.second]->loc;
      if (e.from == e.to) {
        auto barrier = make_op<CoreBarrier>(second);
        barrier->engine = e.from;
        before[e.second].push_back(std::move(barrier));
        continue;
      }
      const int64_t base = take_flags(e);
      const Expr id = e.flags == 1 ? Expr(static_cast<int>(base)) : turn(*loop, base, e.flags);
      before[e.second].push_back(flag<CoreWait>(e, id, second));
      behind[e.first].insert(behind[e.first].begin(), flag<CoreSet>(e, id, first));
      // Before the first iteration everything is free; behind the last one nothing is left set.
      for (int64_t k = 0; k < e.distance; ++k) {
        ahead_[loop].push_back(flag<CoreSet>(e, Expr(static_cast<int>(base + k)), loop->loc));
        drained_[loop].push_back(flag<CoreWait>(e, Expr(static_cast<int>(base + k)), loop->loc));
      }
    }
    Block out;
    const auto append = [&](Block& block) {
      for (OpPtr& op : block) out.push_back(std::move(op));
    };
    for (size_t i = 0; i < ops.size(); ++i) {
      append(before[i]);
      const auto* inner = ops[i]->as<For>();
      if (inner != nullptr) append(ahead_[inner]);
      out.push_back(std::move(ops[i]));
      if (inner != nullptr) append(drained_[inner]);
      append(behind[i]);
    }
    ops = std::move(out);
  }

  /// The flag whose turn it is in an iteration.
  static Expr turn(const For& loop, int64_t base, int64_t flags) {
    const Expr own = version_of(loop, flags);
    return base == 0 ? own : own + make_int(loop.var.dtype(), base);
  }

  CoreLaunch& core_;
  PassContext& context_;
  const Aliases aliases_;
  std::unordered_map<const Op*, Engine> engines_;
  std::set<const BufferNode*> inner_;
  std::unordered_map<const BufferNode*, int64_t> versions_;
  std::map<EnginePair, int64_t> flags_;
  std::map<const For*, Block> ahead_, drained_;
  bool refused_ = false;
};

}  // namespace

void insert_flags(Function& function, PassContext& context) {
  std::vector<std::pair<CoreLaunch*, Facts>> cores;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    if (const auto* core = op.as<CoreLaunch>()) cores.emplace_back(const_cast<CoreLaunch*>(core), facts);
  });
  for (auto& [core, facts] : cores) CoreFlags(*core, context).run(facts);
}

}  // namespace tl
