#include "driver/agreement.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

using Kind = Agreement::Kind;
constexpr Agreement kExact{}, kLoose{Kind::kLoose, 0};

Agreement worse(const Agreement& a, const Agreement& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? b : a;
  return a.ulp < b.ulp ? b : a;
}

class Flow {
 public:
  Flow(const Function& function, AgreementOptions options) : options_(options) {
    visit_ops(function.body, [&](const Op& op) {
      if (const auto* view = op.as<View>()) source_[view->buffer.get()] = view->source.get();
    });
    // What is known only gets worse, so this ends.
    do {
      changed_ = false;
      block(function.body, kExact);
    } while (changed_);
  }

  Agreement of(const BufferNode* buffer) const {
    for (auto it = source_.find(buffer); it != source_.end(); it = source_.find(buffer)) buffer = it->second;
    const auto it = buffers_.find(buffer);
    return it == buffers_.end() ? kExact : it->second;
  }

 private:
  /// A value as it is, or loose when it is computed from something inexact.
  Agreement of(const Expr& e) const {
    if (!e) return kExact;
    if (e.kind() == ExprKind::kVar) {
      const auto it = vars_.find(e.get());
      return it == vars_.end() ? kExact : it->second;
    }
    if (const auto* n = e.as<SelectNode>()) {
      return of(n->condition) == kExact ? worse(of(n->a), of(n->b)) : kLoose;
    }
    Agreement parts = kExact;
    for_each_operand(e, [&](const Expr& part) { parts = worse(parts, of(part)); });
    if (parts != kExact) return kLoose;
    if (const auto* n = e.as<LoadNode>()) return of(n->buffer.get());
    const auto* n = e.as<CallNode>();
    if (n == nullptr) return kExact;
    if (!n->intrinsic->math) return kLoose;
    const int ulp = max_ulp(*n->intrinsic->math, e.dtype());
    return ulp == 0 ? kExact : Agreement{Kind::kUlp, ulp};
  }

  Agreement of(const Region& region) const {
    Agreement out = of(region.buffer.get());
    for (const auto* list : {&region.offsets, &region.extents}) {
      for (const Expr& e : *list) out = of(e) == kExact ? out : kLoose;
    }
    return out;
  }

  void reach(const Buffer& buffer, const Agreement& value, const Agreement& around) {
    const BufferNode* node = buffer.get();
    for (auto it = source_.find(node); it != source_.end(); it = source_.find(node)) node = it->second;
    Agreement& known = buffers_[node];
    const Agreement now = worse(known, around == kExact ? value : kLoose);
    changed_ |= !(now == known);
    known = now;
  }

  /// `around`: what decides that the statements run.
  void block(const Block& ops, const Agreement& around) {
    for (const OpPtr& op : ops) statement(*op, around);
  }

  void statement(const Op& op, const Agreement& around) {
    if (const auto* bind = op.as<Bind>()) {
      Agreement& known = vars_[bind->var.get()];
      const Agreement now = worse(known, of(bind->value));
      changed_ |= !(now == known);
      known = now;
    } else if (const auto* alloc = op.as<Alloc>()) {
      if (alloc->init) reach(alloc->buffer, of(alloc->init), around);
    } else if (const auto* store = op.as<Store>()) {
      Agreement value = of(store->value);
      for (const Expr& index : store->indices) value = of(index) == kExact ? value : kLoose;
      reach(store->buffer, value, around);
    } else if (const auto* fill = op.as<Fill>()) {
      reach(fill->dst.buffer, of(fill->value), around);
    } else {
      tile_operation(op, around);
    }
    Agreement inner = around;
    for_each_expr(op, [&](const Expr& e) { inner = worse(inner, of(e)); });
    for_each_block(op, [&](std::string_view, const Block& nested) { block(nested, inner); });
  }

  void tile_operation(const Op& op, const Agreement& around) {
    Agreement read = kExact;
    bool converts = false, sums = false;
    DType dtype;
    for_each_region(op, [&](const RegionAccess& access) {
      const Region& region = *access.region;
      if (!region) return;
      read = worse(read, of(region));
      converts |= !dtype.is_void() && dtype != region.buffer->dtype;
      dtype = region.buffer->dtype;
    });
    if (const auto* reduce = op.as<Reduce>()) {
      sums = reduce->reduce == ReduceKind::kSum || reduce->reduce == ReduceKind::kAbsSum;
    }
    if (const auto* scan = op.as<Scan>()) sums = scan->scan == ReduceKind::kSum;
    sums |= op.kind == OpKind::kGemm;
    const bool moves = op.kind == OpKind::kCopy || op.kind == OpKind::kAsyncCopy || op.kind == OpKind::kRelayout;
    Agreement out = read;
    if (read != kExact && (converts || !moves)) out = kLoose;
    for_each_region(op, [&](const RegionAccess& access) {
      if (access.role == FieldRole::kReads || !*access.region) return;
      const bool rounds = sums && access.region->buffer->dtype.is_floating() && !options_.exact_sums;
      reach(access.region->buffer, rounds ? kLoose : out, around);
    });
  }

  AgreementOptions options_;
  bool changed_ = false;
  std::unordered_map<const BufferNode*, const BufferNode*> source_;
  std::unordered_map<const BufferNode*, Agreement> buffers_;
  std::unordered_map<const ExprNode*, Agreement> vars_;
};

/// Floats of a type in ascending order, counted from zero.
int64_t rank_of(const Scalar& v) {
  const int bits = v.dtype().bits();
  const uint64_t sign = uint64_t{1} << (bits - 1), pattern = v.to_bits();
  const auto magnitude = static_cast<int64_t>(pattern & (sign - 1));
  return (pattern & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::vector<Agreement> agreements_of(const Function& function, AgreementOptions options) {
  const Flow flow(function, options);
  std::vector<Agreement> out;
  for (const Param& p : function.params) {
    const auto* buffer = std::get_if<Buffer>(&p);
    out.push_back(buffer == nullptr ? kExact : flow.of(buffer->get()));
  }
  return out;
}

bool agree(const Scalar& a, const Scalar& b, const Agreement& agreement, double largest) {
  if (a == b) return true;
  if (!a.dtype().is_floating()) return false;
  if (a.is_nan() || b.is_nan()) return a.is_nan() && b.is_nan();
  if (agreement.kind == Kind::kExact) return false;
  if (agreement.kind == Kind::kUlp) return std::abs(rank_of(a) - rank_of(b)) <= agreement.ulp;
  return std::fabs(a.as_float() - b.as_float()) <= 16 * largest * float_epsilon(a.dtype());
}

}  // namespace tl
