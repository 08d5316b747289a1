// lower-core-tiles
//
// before:  if %n < 64:int64 { tile.fill dst=%a[0 :+ 64], value=0.0:float32 }         # as clip-copies leaves it
//          tile.copy src=%A[%bx * 64 :+ %n], dst=%a[0 :+ %n]
//          tile.gemm a=%x[0 :+ 128, 0 :+ 64], b=%y[0 :+ 256, 0 :+ 64], c=%z[0 :+ 128, 0 :+ 256], transpose_b=true
// after:   alloc %x_l0: l0a float16[2, 128, 64]
//          alloc %y_l0: l0b float16[2, 256, 64]
//          tile.copy src=%A[%bx * 64 :+ %n], dst=%a[0 :+ %n]
//          if %n < 64:int64 {
//            group engine="simt", count=64 { parallel [%i: int32], [64 - %n] { store %a, [%n + %i], 0.0:float32 } }
//          }
//          tile.copy src=%x[0 :+ 128, 0 :+ 64], dst=%x_l0[0 :+ 1, 0 :+ 128, 0 :+ 64]
//          tile.copy src=%y[0 :+ 256, 0 :+ 64], dst=%y_l0[0 :+ 1, 0 :+ 256, 0 :+ 64]
//          tile.gemm a=%x_l0[…], b=%y_l0[…], c=%z[…], transpose_b=true
//
// The part that no copy reaches is filled by itself, by threads behind the copy: its engine then waits for no threads,
// and these wait for it anyhow before they use the tile.

#include "passes/core/lower_core_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/accesses.h"
#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/bursts.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/core/core_programs.h"
#include "passes/core/lower_core_copy.h"
#include "passes/core/lower_core_gemm.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// Threads that set and move elements.
constexpr int64_t kOwnThreads = 256;

Expr end_of(const Region& r, size_t d) { return widen_index(r.offsets[d]) + widen_index(r.extents[d]); }

class CoreTiles {
 public:
  CoreTiles(Launch& launch, Facts& facts, PassContext& context)
      : launch_(launch), aliases_(launch.body), facts_(facts), context_(context), products_(launch) {}

  void run() {
    block(launch_.body, nullptr);
    Block body = products_.take_places();
    append(body, std::move(launch_.body));
    launch_.body = std::move(body);
  }

 private:
  /// `loop` is the innermost loop around the block.
  void block(Block& ops, const For* loop) {
    const FactsScope scope(facts_);
    Block out, fills;
    std::set<const BufferNode*> filled;
    const Copy* filling = nullptr;
    for (size_t i = 0; i < ops.size(); ++i) {
      const Following next = following(ops, i);
      const Copy* load = next.left_out ? next.copy : load_of(*ops[i]);
      const bool passes =
          load != nullptr ? load == filling || filled.count(load->dst.buffer.get()) == 0 : is_name(*ops[i]);
      if (!passes) {
        append(out, std::exchange(fills, {}));
        filled.clear();
      }
      if (next.left_out) {
        filling = next.copy;
        filled.insert(filling->dst.buffer.get());
      }
      OpPtr op = std::move(ops[i]);
      name_reads(*op, out);
      if (op->kind != OpKind::kGroup) {
        for_each_block(*op, [&](std::string_view name, Block& nested) {
          const FactsScope inside(facts_);
          enter_block(facts_, *op, name);
          if (next.pads && name == "then") {
            fill(nested, next);
          } else {
            const auto* inner = op->as<For>();
            block(nested, inner != nullptr ? inner : loop);
          }
        });
      }
      const OpPtr before = op->kind == OpKind::kBind || op->kind == OpKind::kAssume ? clone(*op) : nullptr;
      append(next.left_out ? fills : out, lowered(std::move(op), loop));
      if (before) add_after(facts_, *before);
    }
    append(out, std::move(fills));
    ops = std::move(out);
  }

  /// What an `if` or a loop asks of memory becomes a statement before it: of the scalar unit, which then may be ordered
  /// with what stands inside.
  static void name_reads(Op& op, Block& out) {
    if (op.kind != OpKind::kIf && op.kind != OpKind::kFor) return;
    map_exprs(op, [&](const Expr& e) -> Expr {
      if (is_memory_free(e)) return e;
      auto bind = make_op<Bind>(op.loc);
      bind->var = Var("asked", e.dtype());
      bind->value = e;
      const Var name = bind->var;
      out.push_back(std::move(bind));
      return name;
    });
  }

  /// The copy behind a statement, and where it runs.
  struct Following {
    const Copy* copy = nullptr;
    Expr condition = make_bool(true);
    /// Whether the statement sets what the copy leaves out, as `clip-copies` writes it: a fill in a branch of its own.
    bool pads = false;
    /// Whether threads do so, in the unified buffer. Then it may stand behind the copy, and behind loads of other
    /// tiles: engines load on while threads are at work on what is loaded.
    bool left_out = false;
  };

  Following following(const Block& ops, size_t i) const {
    for (size_t j = i + 1; j < ops.size(); ++j) {
      const Op* op = ops[j].get();
      if (op->kind == OpKind::kBind) continue;
      Following out;
      out.copy = copy_of(*op);
      if (const auto* branch = op->as<If>()) out.condition = branch->condition;
      const auto* own = ops[i]->as<If>();
      if (out.copy != nullptr && own != nullptr && own->else_body.empty() && is_fill(own->then_body)) {
        const Fill& fill = static_cast<const Fill&>(*own->then_body.back());
        out.pads = is_left_out(fill, *out.copy);
        out.left_out = out.pads && is_shared(fill.dst.buffer->space);
      }
      return out;
    }
    return {};
  }

  /// The copy that a statement is, or that it may make.
  static const Copy* copy_of(const Op& op) {
    const auto* branch = op.as<If>();
    if (branch == nullptr) return op.as<Copy>();
    return branch->then_body.size() == 1 && branch->else_body.empty() ? branch->then_body[0]->as<Copy>() : nullptr;
  }

  /// Names, and a fill behind them.
  static bool is_fill(const Block& block) {
    return !block.empty() && block.back()->kind == OpKind::kFill &&
           std::all_of(block.begin(), block.end() - 1, [](const OpPtr& op) { return op->kind == OpKind::kBind; });
  }

  /// Whether a fill is of the elements of a copy's own tile that have no source, as `clip-copies` writes it: then they
  /// are of one statement.
  static bool is_left_out(const Fill& fill, const Copy& copy) {
    return copy.dst.buffer.get() == fill.dst.buffer.get() && copy.loc == fill.loc;
  }

  /// The copy of a statement that loads a tile which is no view, and reads no tile itself.
  const Copy* load_of(const Op& op) const {
    const auto* branch = op.as<If>();
    const Copy* copy = branch == nullptr || is_memory_free(branch->condition) ? copy_of(op) : nullptr;
    const bool loads = copy != nullptr && copy->src.buffer->space == MemorySpace::kGlobal &&
                       is_shared(copy->dst.buffer->space) &&
                       aliases_.root(copy->dst.buffer).get() == copy->dst.buffer.get();
    return loads ? copy : nullptr;
  }

  static bool is_name(const Op& op) {
    const auto* bind = op.as<Bind>();
    return bind != nullptr && is_memory_free(bind->value);
  }

  /// The fill that stands before a copy, in its own branch: the elements that the copy leaves out.
  void fill(Block& block, const Following& next) {
    const OpPtr op = std::move(block.back());
    const Fill& whole = static_cast<const Fill&>(*op);
    block.pop_back();
    if (next.copy->src.buffer->space == MemorySpace::kL0C) return block.push_back(never(whole));
    const Expr runs = simplify(logical_and(next.condition, moves(*next.copy)), facts_);
    if (is_const_int(runs, 1)) return append(block, set_elements(whole, &next.copy->dst));
    auto branch = make_op<If>(whole.loc);
    branch->condition = runs;
    branch->then_body = set_elements(whole, &next.copy->dst);
    branch->else_body = set_elements(whole, nullptr);
    block.push_back(std::move(branch));
  }

  static void append(Block& out, Block parts) {
    for (OpPtr& part : parts) out.push_back(std::move(part));
  }

  Block lowered(OpPtr op, const For* loop) {
    if (auto* fill = op->as<Fill>()) return set_elements(*fill, nullptr);
    if (op->kind == OpKind::kCopy) return copied(std::move(op));
    if (auto* gemm = op->as<Gemm>()) {
      return gemm->a.buffer->space == MemorySpace::kL1 ? products_.lower(*gemm, loop, facts_, context_)
                                                       : lower_l0_gemm(std::move(op), facts_, context_);
    }
    return one_op(std::move(op));
  }

  // --- fills ---------------------------------------------------------------------------------------------------------

  /// Sets the elements of a fill that are not in `left_out`.
  Block set_elements(const Fill& fill, const Region* left_out) {
    const MemorySpace space = fill.dst.buffer->space;
    if (space == MemorySpace::kL1) return fill_fractals(fill, left_out);
    if (space == MemorySpace::kL0A || space == MemorySpace::kL0B) return one_op(never(fill));
    if (!is_shared(space) && space != MemorySpace::kGlobal) {
      context_.diagnostics
          .error(90, fill.loc,
                 fmt::format("`{}` cannot be filled: no engine sets elements of {}", fill.dst.buffer->name,
                             scope_name(space)))
          .help = "an accumulator starts from 0 with clear_accum=True in the first T.gemm";
      return {};
    }
    Block body;
    for (const Region& part : parts_outside(fill.dst, left_out)) {
      const std::vector<size_t> dims = long_dims(part);
      std::vector<Expr> extents;
      for (const size_t d : dims) extents.push_back(part.extents[d]);
      body.push_back(make_points(extents, fill.loc, [&](const std::vector<Var>& at) {
        std::vector<Expr> indices = part.offsets;
        for (size_t i = 0; i < at.size(); ++i) indices[dims[i]] = offset_by(indices[dims[i]], at[i]);
        return one_op(make_store(part.buffer, std::move(indices), fill.value, fill.loc));
      }));
    }
    if (body.empty()) return {};
    auto group = make_op<Group>(fill.loc);
    group->engine = kSimtEngine;
    group->count = own_threads();
    group->body = std::move(body);
    return one_op(std::move(group));
  }

  /// What would be set where the cube unit's engines set nothing: the part of the tile that is copied does not exist.
  static OpPtr never(const Fill& fill) {
    auto out = make_op<Assert>(fill.loc);
    out->condition = make_bool(false);
    out->message = fmt::format("T.copy: a part of `{}` is copied from outside of its source", fill.dst.buffer->name);
    return out;
  }

  /// As many threads as the program's regions have, which the launch says; some where it has none.
  int64_t own_threads() {
    int64_t threads = 1;
    for (const int64_t extent : launch_.threads) threads *= extent;
    if (threads == 1) launch_.threads = {threads = kOwnThreads};
    return threads;
  }

  /// In L1: rows and columns of fractals. A copy sets columns up to the end of a fractal's row.
  Block fill_fractals(const Fill& fill, const Region* left_out) {
    Region hole;
    if (left_out != nullptr) {
      hole = *left_out;
      const Expr unit = make_int(DType::i64(), fractal_columns(*fill.dst.buffer));
      Expr& columns = hole.extents.back();
      columns = floordiv(widen_index(columns) + unit - make_int(DType::i64(), 1), unit) * unit;
    }
    Block out;
    for (Region& part : parts_outside(fill.dst, left_out != nullptr ? &hole : nullptr)) {
      const std::vector<Expr> planes(part.extents.begin(), part.extents.end() - 2);
      const bool one = std::all_of(planes.begin(), planes.end(), [](const Expr& e) { return is_const_int(e, 1); });
      const auto plane = [&](const std::vector<Var>& at) {
        OpPtr op = clone(fill);
        Region& dst = static_cast<Fill&>(*op).dst;
        dst = part;
        for (size_t d = 0; d < at.size(); ++d) {
          dst.offsets[d] = widen_index(dst.offsets[d]) + at[d];
          dst.extents[d] = Expr(1);
        }
        return one_op(std::move(op));
      };
      append(out, one ? plane({}) : make_loops(planes, false, fill.loc, plane));
    }
    return out;
  }

  /// Boxes that cover `all` but for `hole`, a box inside of it, without meeting each other.
  std::vector<Region> parts_outside(const Region& all, const Region* hole) const {
    if (hole == nullptr) return {all};
    std::vector<Region> out;
    for (size_t d = 0; d < all.extents.size(); ++d) {
      // Inside of the hole along the dimensions before, beside it along this one.
      Region part = all;
      for (size_t e = 0; e < d; ++e) {
        part.offsets[e] = hole->offsets[e];
        part.extents[e] = hole->extents[e];
      }
      const auto add = [&](const Expr& begin, const Expr& end) {
        const Expr count = simplify(end - begin, facts_);
        if (holds(count <= make_zero(DType::i64()), facts_)) return;
        part.offsets[d] = simplify(begin, facts_);
        part.extents[d] = count;
        out.push_back(part);
      };
      add(widen_index(all.offsets[d]), widen_index(hole->offsets[d]));
      add(end_of(*hole, d), end_of(all, d));
    }
    return out;
  }

  // --- copies --------------------------------------------------------------------------------------------------------

  /// Whether the copy has elements.
  Expr moves(const Copy& copy) const {
    Expr out = make_bool(true);
    for (const Expr& extent : copy.src.extents) {
      const Expr some = simplify(make_zero(DType::i64()) < widen_index(extent), facts_);
      if (!is_const_int(some, 1)) out = logical_and(out, some);
    }
    return out;
  }

  Block copied(OpPtr op) {
    const Copy& copy = static_cast<const Copy&>(*op);
    const MemorySpace from = copy.src.buffer->space, to = copy.dst.buffer->space;
    if (!engine_between(from, to)) {
      context_.diagnostics
          .error(90, copy.loc, fmt::format("T.copy: no engine moves {} to {}", scope_name(from), scope_name(to)))
          .help =
          "copies go from global memory to UB or L1, from L1 to L0A or L0B, from UB or L0C to global memory; "
          "other moves belong into T.SimtVF";
      return {};
    }
    const Expr runs = moves(copy);
    const bool always = is_const_int(runs, 1);
    const Loc loc = copy.loc;
    const FactsScope scope(facts_);
    if (!always) facts_.add(runs);
    const bool unified =
        (is_shared(from) || is_shared(to)) && (from == MemorySpace::kGlobal || to == MemorySpace::kGlobal);
    Block parts = unified ? lower_unified_copy(std::move(op), facts_, [this] { return own_threads(); })
                          : lower_fractal_copy(std::move(op), facts_, context_);
    if (always) return parts;
    auto branch = make_op<If>(loc);
    branch->condition = runs;
    branch->then_body = std::move(parts);
    return one_op(std::move(branch));
  }

  Launch& launch_;
  const Aliases aliases_;
  Facts& facts_;
  PassContext& context_;
  L1Products products_;
};

}  // namespace

void lower_core_tiles(Function& function, PassContext& context) {
  for_each_core_program(function, [&](Launch& launch, Facts& facts) { CoreTiles(launch, facts, context).run(); });
}

}  // namespace tl
