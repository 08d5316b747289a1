// clip-copies
//
// before:  tile.copy src=%A[%bx * 64 :+ 64], dst=%s[0 :+ 64]          # A has 100 elements, bx is 0 or 1
// after:   bind %n: int64, max(min(64, 100 - bx * 64), 0)
//          if %n < 64 { tile.fill dst=%s[0 :+ 64], value=0.0 }
//          tile.copy src=%A[%bx * 64 :+ %n], dst=%s[0 :+ %n]
//
// A copy whose regions are proven to be inside is left as it is.

#include "passes/lower/clip_copies.h"

#include <unordered_set>

#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/tile_match.h"
#include "ir/walk.h"

namespace tl {
namespace {

const DType kWide = DType::i64();

Expr wide_const(int64_t v) { return make_int(kWide, v); }

/// The part [begin, end) of a dimension's iterations that is inside, relative to the region's start.
struct Clip {
  Expr begin = wide_const(0);
  Expr end;
  bool clipped = false;

  explicit Clip(const Expr& extent) : end(widen_index(extent)) {}

  /// Narrows to where `offset + i` is inside [0, size).
  void keep_inside(const Expr& offset, const Expr& size, const Facts& facts) {
    const Expr start = widen_index(offset), room = widen_index(size) - start;
    if (!holds(wide_const(0) <= start, facts)) {
      begin = max(begin, unary(UnaryOp::kNeg, start));
      clipped = true;
    }
    if (!holds(end <= room, facts)) {
      end = min(end, room);
      clipped = true;
    }
  }
};

/// Appends ops that stand before the copy, and names values.
class Clipper {
 public:
  Clipper(Loc loc, Facts& facts) : loc_(std::move(loc)), facts_(facts) {}

  /// A variable for `e`, unless it is a constant or a variable.
  Expr named(const std::string& name, Expr e) {
    e = simplify(e, facts_);
    if (as_int(e) || e.kind() == ExprKind::kVar) return e;
    auto op = make_op<Bind>(loc_);
    op->var = Var(name, e.dtype());
    op->value = e;
    Expr var = op->var;
    facts_.add_bind(op->var, e);
    out.push_back(std::move(op));
    return var;
  }

  Block out;

 private:
  Loc loc_;
  Facts& facts_;
};

Expr shifted(const Expr& offset, const Expr& by) { return is_const_int(by, 0) ? offset : widen_index(offset) + by; }

/// Names what the op's operands read from memory: the op may write that memory, and reads it once, before.
Block read_before(Op& op, Facts& facts) {
  Clipper clipper(op.loc, facts);
  map_exprs(op, [&](const Expr& e) { return is_memory_free(e) ? e : clipper.named("at", e); });
  return std::move(clipper.out);
}

/// A fill of the part of `region` that exists.
void add_fill(Block& out, const Region& region, const Expr& value, const Loc& loc, Facts& facts) {
  Clipper clipper(loc, facts);
  Region inside{region.buffer, {}, {}};
  for (size_t i = 0; i < region.extents.size(); ++i) {
    Clip clip(region.extents[i]);
    clip.keep_inside(region.offsets[i], region.buffer->shape[i], facts);
    if (!clip.clipped) {
      inside.offsets.push_back(region.offsets[i]);
      inside.extents.push_back(region.extents[i]);
      continue;
    }
    const Expr begin = clipper.named("begin", clip.begin);
    inside.extents.push_back(clipper.named("count", max(clip.end - begin, wide_const(0))));
    inside.offsets.push_back(shifted(region.offsets[i], begin));
  }
  auto fill = make_op<Fill>(loc);
  fill->dst = std::move(inside);
  fill->value = value;
  for (OpPtr& op : clipper.out) out.push_back(std::move(op));
  out.push_back(std::move(fill));
}

/// What becomes of one copy.
class CopyClipper {
 public:
  CopyClipper(std::unique_ptr<Copy> copy, Facts& facts)
      : copy_(std::move(copy)), facts_(facts), clipper_(copy_->loc, facts), src_(copy_->src), dst_(copy_->dst) {}

  Block run() {
    for (const MatchedDim& dim : match_dims(*copy_)) {
      if (dim.src && dim.dst) {
        clip(dim);
      } else {
        guard(dim);
      }
    }
    Block out = std::move(clipper_.out);
    const Expr needs_fill = simplify(source_missing_, facts_);
    if (!is_const_int(needs_fill, 0)) {
      const Expr pad = cast(copy_->dst.buffer->dtype, copy_->pad ? copy_->pad : make_zero(copy_->src.buffer->dtype));
      auto branch = make_op<If>(copy_->loc);
      branch->condition = needs_fill;
      FactsScope scope(facts_);
      add_fill(branch->then_body, copy_->dst, pad, copy_->loc, facts_);
      out.push_back(std::move(branch));
    }
    copy_->src = std::move(src_);
    copy_->dst = std::move(dst_);
    if (is_const_int(inside_, 1)) {
      out.push_back(std::move(copy_));
    } else {
      auto branch = make_op<If>(copy_->loc);
      branch->condition = inside_;
      branch->then_body.push_back(std::move(copy_));
      out.push_back(std::move(branch));
    }
    return out;
  }

 private:
  /// A dimension of both sides: its iterations become those that are inside on both.
  void clip(const MatchedDim& dim) {
    Clip source(dim.extent);
    source.keep_inside(src_.offsets[*dim.src], src_.buffer->shape[*dim.src], facts_);
    Clip both = source;
    both.keep_inside(dst_.offsets[*dim.dst], dst_.buffer->shape[*dim.dst], facts_);
    if (!both.clipped) return;
    const Expr begin = clipper_.named("begin", both.begin);
    const Expr count = clipper_.named("count", max(both.end - begin, wide_const(0)));
    if (source.clipped) {
      // Where only the source ends early, its part is what is copied.
      const bool alone = same(source.begin, both.begin) && same(source.end, both.end);
      const Expr full = widen_index(dim.extent);
      const Expr short_of = alone ? count < full - begin : source.end < full;
      source_missing_ =
          logical_or(source_missing_, logical_or(wide_const(0) < (alone ? begin : source.begin), short_of));
    }
    src_.offsets[*dim.src] = shifted(src_.offsets[*dim.src], begin);
    dst_.offsets[*dim.dst] = shifted(dst_.offsets[*dim.dst], begin);
    src_.extents[*dim.src] = dst_.extents[*dim.dst] = count;
  }

  /// An element that only one side has a dimension for: it is inside or the copy does nothing.
  void guard(const MatchedDim& dim) {
    const Region& region = dim.src ? src_ : dst_;
    const size_t at = dim.src ? *dim.src : *dim.dst;
    Clip one(dim.extent);
    one.keep_inside(region.offsets[at], region.buffer->shape[at], facts_);
    if (!one.clipped) return;
    const Expr start = widen_index(region.offsets[at]);
    const Expr is_inside =
        simplify(logical_and(wide_const(0) <= start, start < widen_index(region.buffer->shape[at])), facts_);
    inside_ = logical_and(inside_, is_inside);
    if (dim.src) source_missing_ = logical_or(source_missing_, logical_not(is_inside));
  }

  std::unique_ptr<Copy> copy_;
  Facts& facts_;
  Clipper clipper_;
  Region src_, dst_;
  Expr source_missing_ = make_bool(false);
  Expr inside_ = make_bool(true);
};

}  // namespace

namespace {

/// Statements of groups of threads on a core.
std::unordered_set<const Op*> in_groups(const Function& function) {
  std::unordered_set<const Op*> out;
  visit_ops(function.body, [&](const Op& op) {
    const auto* group = op.as<Group>();
    if (group == nullptr || !is_simt_region(*group)) return;
    visit_ops(group->body, [&](const Op& inner) { out.insert(&inner); });
  });
  return out;
}

}  // namespace

void clip_copies(Function& function, PassContext&) {
  Facts facts(function);
  const std::unordered_set<const Op*> of_threads = in_groups(function);
  rewrite_ops(function.body, facts, [&](OpPtr op, Facts& here) {
    Block out;
    if (of_threads.count(op.get()) != 0) {
      out.push_back(std::move(op));
      return out;
    }
    if (op->kind == OpKind::kCopy) {
      FactsScope scope(here);
      out = read_before(*op, here);
      for (OpPtr& part : CopyClipper(std::unique_ptr<Copy>(static_cast<Copy*>(op.release())), here).run())
        out.push_back(std::move(part));
      return out;
    }
    if (const auto* fill = op->as<Fill>()) {
      FactsScope scope(here);
      out = read_before(*op, here);
      add_fill(out, fill->dst, fill->value, fill->loc, here);
      return out;
    }
    out.push_back(std::move(op));
    return out;
  });
}

}  // namespace tl
