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
#include <utility>

#include "analysis/scope.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/core/core_touches.h"
#include "passes/core/engine_order.h"
#include "passes/core/version_buffers.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// Flags of an ordered pair of engines.
constexpr int64_t kFlags = 8;

using EnginePair = std::pair<Engine, Engine>;

/// How flags are saved: each dependence as early as it allows; those of two engines in a block by as few edges as
/// order them; loops that follow each other take the same flags, with a barrier of all engines between them; and such
/// a barrier stands wherever the blocks inside have left no flag.
enum class Thrift : uint8_t { kNone, kFewEdges, kSeparateLoops, kBarriers };

class CoreFlags {
 public:
  CoreFlags(CoreLaunch& core, PassContext& context, Thrift thrift)
      : core_(core), context_(context), thrift_(thrift), touches_(core) {
    check_control(core.body);
  }

  /// False where flags do not suffice, which they do at the last level.
  bool run(Facts facts) {
    enter_block(facts, core_, "body");
    block(core_.body, facts, {});
    return !lacking_;
  }

 private:
  // --- what is known -------------------------------------------------------------------------------------------------

  /// Flags are set and waited for equally often in loops that count, and whose iterations end where they end.
  void check_control(const Block& block) {
    for (const OpPtr& op : block) {
      if (op->kind == OpKind::kLaunch) continue;
      if (op->kind == OpKind::kBreak || op->kind == OpKind::kContinue || op->kind == OpKind::kWhile) {
        context_.diagnostics.error(90, op->loc, "a loop of a core that ends early is not available yet").help =
            "count with T.serial or T.Pipelined, and put what does not always run into an `if`";
      }
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { check_control(nested); });
    }
  }

  bool conflicts(const Touch& a, const Touch& b, const Facts& facts) const {
    return !is_known(a, b) && touches_.conflict(a, b, facts);
  }

  /// How many iterations later `b` may meet what `a` touched; nothing where it never does, or where flags of a loop
  /// inside see to it.
  std::optional<int64_t> distance(const Touch& a, const Touch& b, const For& loop, const Facts& facts) const {
    if (is_known(a, b) || settled_.count({a.access.op, b.access.op}) != 0) return std::nullopt;
    return touches_.distance(a, b, loop, facts);
  }

  /// Whether a flag inside of the statement that holds `b` tells its engine that `a`, which stands before, is done.
  bool is_known(const Touch& a, const Touch& b) const {
    const auto engines = known_.find(b.access.op);
    return engines != known_.end() && engines->second.count(a.engine) != 0;
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  /// The loops around a block: the one whose body it is, and the outermost one; null where there is none.
  struct Loops {
    const For* own = nullptr;
    const For* outermost = nullptr;
  };

  /// Orders the statements of a block. Returns the pairs of engines whose flags a second run of it may meet: they are
  /// to be ordered by the block around.
  std::set<EnginePair> block(Block& ops, Facts& facts, const Loops& loops) {
    const FactsScope scope(facts);
    std::vector<std::vector<Touch>> touched;
    std::vector<std::set<EnginePair>> inside(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      Op& op = *ops[i];
      if (&ops == &core_.body && op.kind == OpKind::kFor && thrift_ >= Thrift::kSeparateLoops) separate(i);
      touched.push_back(touches_.of(op, facts));
      if (op.kind != OpKind::kLaunch) {
        const auto* inner = op.as<For>();
        const Loops within{inner, loops.outermost != nullptr ? loops.outermost : inner};
        for_each_block(op, [&](std::string_view name, Block& nested) {
          const FactsScope here(facts);
          enter_block(facts, op, name);
          for (const EnginePair& pair :
               block(nested, facts, inner != nullptr ? within : Loops{nullptr, loops.outermost})) {
            inside[i].insert(pair);
          }
        });
      }
      add_after(facts, op);
    }
    const std::vector<EngineEdge> edges =
        order_engines(ops.size(), loops.own != nullptr, needed(touched, inside, loops.own, facts));
    learn(touched, edges, loops.own);
    std::set<EnginePair> open;
    for (const std::set<EnginePair>& pairs : inside) open.insert(pairs.begin(), pairs.end());
    for (const EngineEdge& e : edges) {
      if (e.from != e.to && !stays(e) && !is_guarded(e, edges)) open.insert({e.from, e.to});
    }
    if (&ops == &core_.body) take_all();
    place(ops, edges, loops);
    return open;
  }

  /// Whether the edge's flags are all set whenever its loop is not running, so that they stay so between its runs.
  static bool stays(const EngineEdge& e) { return e.distance > 0 && e.flags == e.distance; }

  /// Whether edges see to a dependence of a loop also between iterations of two of its runs. An engine that has waited
  /// in one iteration knows in all later ones. A flag that stays is that of the version: it is free when the version's
  /// last user has set it.
  static bool holds_between_runs(const EngineDependence& d, const std::vector<EngineEdge>& edges) {
    return std::any_of(edges.begin(), edges.end(), [&](const EngineEdge& e) {
      const bool waited = e.from == d.from && e.distance == 0 && e.first >= d.first;
      if (waited && e.to == d.to && d.from != d.to) return true;
      const bool returns = stays(e) && e.to == d.to && e.second <= d.second && e.distance == d.distance;
      if (!returns) return false;
      if (e.from == d.from) return e.first >= d.first;
      return std::any_of(edges.begin(), edges.end(), [&](const EngineEdge& way) {
        return way.from == d.from && way.to == e.from && way.distance == 0 && way.first >= d.first &&
               way.second <= e.first;
      });
    });
  }

  /// Whether an edge back sees to it that the edge's flags are free, in the next run of the loop too.
  static bool is_guarded(const EngineEdge& e, const std::vector<EngineEdge>& edges) {
    return std::any_of(edges.begin(), edges.end(), [&](const EngineEdge& back) {
      return stays(back) && back.from == e.to && back.to == e.from && back.second <= e.first &&
             back.first >= e.second && back.distance == e.flags;
    });
  }

  /// Remembers what the flags of a block say of its statements to the blocks around.
  void learn(const std::vector<std::vector<Touch>>& touched, const std::vector<EngineEdge>& edges, const For* loop) {
    for (size_t j = 0; j < touched.size(); ++j) {
      for (const Touch& b : touched[j]) {
        for (const EngineEdge& e : edges) {
          const bool waits = e.distance == 0 && e.to == b.engine && e.from != e.to && e.second <= j;
          if (waits) known_[b.access.op].insert(e.from);
        }
        if (loop == nullptr) continue;
        for (size_t i = 0; i < touched.size(); ++i) {
          for (const Touch& a : touched[i]) {
            const auto turns = touches_.versions(a, b, *loop);
            if (turns && holds_between_runs({a.engine, b.engine, i, j, *turns}, edges)) {
              settled_.insert({a.access.op, b.access.op});
            }
          }
        }
      }
    }
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
    // Flags inside of both statements are the same memory: the wait of one run comes before the set of the next.
    const auto shared_flags = [&](size_t i, size_t j, int64_t distance) {
      for (const EnginePair& p : inside[i]) {
        if (inside[j].count(p) != 0) out.push_back({p.second, p.first, i, j, distance});
      }
    };
    for (size_t i = 0; i < touched.size(); ++i) {
      for (size_t j = i + 1; j < touched.size(); ++j) {
        pairs(i, j, [&](const Touch& a, const Touch& b) {
          if (conflicts(a, b, facts)) out.push_back({a.engine, b.engine, i, j, 0});
        });
        shared_flags(i, j, 0);
      }
      if (loop == nullptr) continue;
      for (size_t j = 0; j < touched.size(); ++j) {
        pairs(i, j, [&](const Touch& a, const Touch& b) {
          if (const auto d = distance(a, b, *loop, facts)) {
            out.push_back({a.engine, b.engine, i, j, *d});
          }
        });
        shared_flags(i, j, 1);
      }
    }
    if (thrift_ != Thrift::kNone) join(out);
    return out;
  }

  /// Adds the fewest dependences that imply those of two engines: each stands before the first second statement that
  /// none does yet, behind the last of the first statements that stand before that one.
  static void join(std::vector<EngineDependence>& all) {
    std::map<std::tuple<Engine, Engine, int64_t>, std::vector<EngineDependence>> groups;
    for (const EngineDependence& d : all) {
      if (d.from != d.to) groups[{d.from, d.to, d.distance}].push_back(d);
    }
    for (auto& [key, group] : groups) {
      std::sort(group.begin(), group.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      while (!group.empty()) {
        EngineDependence joined = group.front();
        const auto implied = [&](const EngineDependence& d) { return d.distance > 0 || d.first < joined.second; };
        for (const EngineDependence& d : group) {
          if (implied(d)) joined.first = std::max(joined.first, d.first);
        }
        group.erase(std::remove_if(group.begin(), group.end(), implied), group.end());
        all.push_back(joined);
      }
    }
  }

  // --- flags ---------------------------------------------------------------------------------------------------------

  /// The first flag of an edge; nothing where too few are left.
  std::optional<int64_t> take_flags(const EngineEdge& e) {
    int64_t& taken = flags_[{e.from, e.to}];
    if (taken + e.flags > kFlags) return std::nullopt;
    const int64_t first = taken;
    taken += e.flags;
    return first;
  }

  /// A barrier before a statement of the program's own block, from which on all flags are free.
  void separate(size_t statement) {
    if (flags_.empty()) return;
    take_all();
    taken_ = std::exchange(flags_, {});
    separations_.insert(statement);
  }

  /// Takes what any part of the program takes.
  void take_all() {
    for (const auto& [pair, count] : taken_) flags_[pair] = std::max(flags_[pair], count);
  }

  /// Whether a barrier of all engines stands between the statements of an edge.
  bool is_separated(const EngineEdge& e) const {
    const auto next = separations_.upper_bound(e.first);
    return next != separations_.end() && *next <= e.second;
  }

  static OpPtr barrier(Engine engine, const Loc& loc) {
    auto out = make_op<CoreBarrier>(loc);
    out->engine = engine;
    return out;
  }

  template <class T>
  static OpPtr flag(const EngineEdge& e, Expr id, const Loc& loc) {
    auto out = make_op<T>(loc);
    out->from = e.from;
    out->to = e.to;
    out->id = std::move(id);
    return out;
  }

  void place(Block& ops, const std::vector<EngineEdge>& edges, const Loops& loops) {
    std::vector<Block> before(ops.size()), behind(ops.size());
    std::set<size_t> joined;
    const auto join_before = [&](size_t statement) {
      if (!joined.insert(statement).second) return;
      before[statement].push_back(barrier(Engine::kScalar, ops[statement]->loc));
    };
    const bool own = &ops == &core_.body;
    if (own) std::for_each(separations_.begin(), separations_.end(), join_before);
    for (const EngineEdge& e : edges) {
      if (own && is_separated(e)) continue;
      const Loc &first = ops[e.first]->loc, &second = ops[e.second]->loc;
      if (e.from == e.to) {
        before[e.second].push_back(barrier(e.from, second));
        continue;
      }
      const std::optional<int64_t> taken = take_flags(e);
      if (!taken) {
        lacking_ |= thrift_ != Thrift::kBarriers;
        join_before(e.second);
        continue;
      }
      const int64_t base = *taken;
      const auto id = [&](int64_t later) { return flag_of(loops.own, base, e.flags, later); };
      before[e.second].push_back(flag<CoreWait>(e, id(0), second));
      behind[e.first].insert(behind[e.first].begin(), flag<CoreSet>(e, id(e.distance), first));
      // Before the first iteration everything is free; behind the last one nothing is left set.
      const For* around = stays(e) ? loops.outermost : loops.own;
      for (int64_t k = 0; k < e.distance; ++k) {
        ahead_[around].push_back(flag<CoreSet>(e, Expr(static_cast<int>(base + k)), around->loc));
        const Expr left = stays(e) ? Expr(static_cast<int>(base + k)) : last_flag(*loops.own, base, e.flags, k);
        drained_[around].push_back(flag<CoreWait>(e, left, around->loc));
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

  /// The flag whose turn it is `later` iterations from now.
  static Expr flag_of(const For* loop, int64_t base, int64_t flags, int64_t later) {
    if (flags == 1) return Expr(static_cast<int>(base));
    const DType t = loop->var.dtype();
    Expr own = later % flags == 0 ? version_of(*loop, flags)
                                  : floormod(version_of(*loop, flags) + make_int(t, later % flags), make_int(t, flags));
    return base == 0 ? own : own + make_int(t, base);
  }

  /// The flag whose turn it would be `later` iterations behind the last one.
  static Expr last_flag(const For& loop, int64_t base, int64_t flags, int64_t later) {
    if (flags == 1) return Expr(static_cast<int>(base));
    const Expr zero = make_zero(DType::i64()), step = widen_index(loop.step);
    const Expr span = max(widen_index(loop.end) - widen_index(loop.begin), zero);
    const Expr trips = floordiv(span + step - make_int(DType::i64(), 1), step);
    const Expr own = floormod(trips + make_int(DType::i64(), later), make_int(DType::i64(), flags));
    return base == 0 ? own : own + make_int(DType::i64(), base);
  }

  CoreLaunch& core_;
  PassContext& context_;
  const Thrift thrift_;
  const CoreTouches touches_;
  /// Flags taken since the last barrier of all engines between loops, and by what stands before that.
  std::map<EnginePair, int64_t> flags_, taken_;
  /// Statements of the program's own block that such a barrier stands before.
  std::set<size_t> separations_;
  std::map<const For*, Block> ahead_, drained_;
  /// Of a statement: the engines that its own has waited for since a block around it was entered.
  std::map<const Op*, std::set<Engine>> known_;
  /// Pairs of statements of a loop that its flags order in all of its runs.
  std::set<std::pair<const Op*, const Op*>> settled_;
  bool lacking_ = false;
};

}  // namespace

void insert_flags(Function& function, PassContext& context) {
  std::vector<std::pair<CoreLaunch*, Facts>> cores;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    if (const auto* core = op.as<CoreLaunch>()) cores.emplace_back(const_cast<CoreLaunch*>(core), facts);
  });
  for (auto& [core, facts] : cores) {
    for (const Thrift thrift : {Thrift::kNone, Thrift::kFewEdges, Thrift::kSeparateLoops, Thrift::kBarriers}) {
      const OpPtr attempt = clone(*core);
      auto& changed = static_cast<CoreLaunch&>(*attempt);
      CoreFlags flags(changed, context, thrift);
      if (!flags.run(facts) && !context.diagnostics.has_errors()) continue;
      core->body = std::move(changed.body);
      break;
    }
  }
}

}  // namespace tl
