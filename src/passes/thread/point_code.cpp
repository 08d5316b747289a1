#include "passes/thread/point_code.h"

#include <algorithm>

#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

/// Whether a `continue` of the loop around is in the block.
bool ends_points(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const OpPtr& op) {
    if (op->kind == OpKind::kContinue) return true;
    if (op->kind != OpKind::kIf) return false;
    bool found = false;
    for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { found |= ends_points(nested); });
    return found;
  });
}

bool is_shared_memory(MemorySpace space) { return !is_per_thread(space) && space != MemorySpace::kFragment; }

}  // namespace

PointCode::PointCode(const Parallel& loop, const Fragment& layout, const ThreadTiles& tiles)
    : loop_(loop), layout_(layout), tiles_(tiles), digits_(ThreadDigits::of(layout)) {
  padded_ = padded_dims(layout, digits_);
  owner_ = is_owner(digits_, tiles.thread, tiles.threads);
}

std::vector<Var> PointCode::digit_vars() const {
  std::vector<Var> out;
  for (size_t k = 0; k < digits_.registers.size(); ++k) out.emplace_back("r", DType::i32());
  return out;
}

Expr PointCode::register_number(const std::vector<Expr>& digits) const {
  Expr out = 0;
  for (size_t k = 0; k < digits.size(); ++k) {
    const auto unit = static_cast<int>(digits_.registers[k].unit);
    const Expr part = unit == 1 ? digits[k] : digits[k] * Expr(unit);
    out = is_const_int(out, 0) ? part : part + out;
  }
  return out;
}

std::vector<Expr> PointCode::digits_of(int64_t reg) const {
  std::vector<Expr> out;
  for (const LayoutDigit& d : digits_.registers) out.emplace_back(static_cast<int>(reg / d.unit % d.extent));
  return out;
}

// --- registers of fragments ------------------------------------------------------------------------------------------

const PointCode::Table& PointCode::table(const Buffer& tile, const std::vector<Expr>& indices) const {
  for (const auto& [key, found] : tables_) {
    if (key.first == tile.get() && all_same(key.second, indices)) return found;
  }
  const auto registers = match_registers(layout_, loop_.vars, tiles_.find(tile)->layout, indices, false);
  TL_CHECK(registers.has_value(), "a thread lacks an element of " + tile->name);
  Table made{*registers, {}};
  find_sum(made);
  return tables_.emplace_back(std::pair(tile.get(), indices), std::move(made)).second;
}

void PointCode::find_sum(Table& table) const {
  const std::vector<int64_t>& r = table.registers;
  if (r.empty() || r[0] < 0) return;
  std::vector<int64_t> sum = {r[0]};
  for (const LayoutDigit& d : digits_.registers) {
    const int64_t next = r[static_cast<size_t>(d.unit)];
    sum.push_back(next < 0 ? 0 : next - r[0]);
  }
  for (size_t i = 0; i < r.size(); ++i) {
    int64_t value = sum[0];
    for (size_t k = 0; k < digits_.registers.size(); ++k) {
      const LayoutDigit& d = digits_.registers[k];
      value += sum[k + 1] * (static_cast<int64_t>(i) / d.unit % d.extent);
    }
    if (r[i] >= 0 && r[i] != value) return;
  }
  table.sum = std::move(sum);
}

std::optional<Expr> PointCode::register_at(const Buffer& tile, const std::vector<Expr>& indices,
                                           const std::vector<Expr>& digits, std::optional<int64_t> reg) const {
  const Table& found = table(tile, indices);
  if (reg) return Expr(static_cast<int>(std::max<int64_t>(found.registers[static_cast<size_t>(*reg)], 0)));
  if (found.sum.empty()) return std::nullopt;
  Expr out = static_cast<int>(found.sum[0]);
  for (size_t k = 0; k < digits.size(); ++k) {
    const auto factor = static_cast<int>(found.sum[k + 1]);
    if (factor == 0) continue;
    const Expr part = factor == 1 ? digits[k] : digits[k] * Expr(factor);
    out = is_const_int(out, 0) ? part : part + out;
  }
  return out;
}

std::optional<Expr> PointCode::register_of(const Buffer& tile, const std::vector<Expr>& indices,
                                           const std::vector<Expr>& digits) const {
  return register_at(tile, indices, digits, std::nullopt);
}

bool PointCode::in_order(const Buffer& tile, const std::vector<Expr>& indices, int64_t count) const {
  const std::vector<int64_t>& sum = table(tile, indices).sum;
  if (sum.size() < 2 || sum[1] != 1 || digits_.registers[0].extent % count != 0) return false;
  return std::all_of(sum.begin(), sum.end(),
                     [&](const int64_t& part) { return &part == &sum[1] || part % count == 0; });
}

// --- expressions and statements at a point ---------------------------------------------------------------------------

Substitution PointCode::point(const std::vector<Expr>& digits) const {
  Substitution out;
  const std::vector<Expr> at = coordinates(layout_, digits_, tiles_.thread, digits);
  for (size_t d = 0; d < loop_.vars.size(); ++d) out.vars[loop_.vars[d].get()] = cast(loop_.vars[d].dtype(), at[d]);
  return out;
}

std::optional<Expr> PointCode::rewritten(const Expr& e, const std::vector<Expr>& digits,
                                         std::optional<int64_t> reg) const {
  bool good = true;
  const std::function<Expr(const Expr&)> rewrite = [&](const Expr& part) -> Expr {
    const auto* n = part.as<LoadNode>();
    if (n == nullptr || tiles_.find(n->buffer) == nullptr) return map_operands(part, rewrite);
    const auto index = register_at(n->buffer, n->indices, digits, reg);
    good &= index.has_value();
    return index ? load(tiles_.find(n->buffer)->registers, {*index}) : part;
  };
  const Expr out = rewrite(e);
  return good ? std::optional(out) : std::nullopt;
}

std::optional<Expr> PointCode::at(const Expr& e, const std::vector<Expr>& digits) const {
  const auto out = rewritten(e, digits, std::nullopt);
  if (!out) return std::nullopt;
  return substitute(*out, point(digits));
}

bool PointCode::rewrite(Block& block, const std::vector<Expr>& digits, std::optional<int64_t> reg) const {
  bool good = true;
  for (OpPtr& op : block) {
    std::optional<Expr> stored;
    if (auto* store = op->as<Store>(); store != nullptr && tiles_.find(store->buffer) != nullptr) {
      stored = register_at(store->buffer, store->indices, digits, reg);
      if (!stored) return false;
      store->buffer = tiles_.find(store->buffer)->registers;
      store->indices = {*stored};
    }
    map_exprs(*op, [&](const Expr& e) {
      const auto out = rewritten(e, digits, reg);
      good &= out.has_value();
      return out ? *out : e;
    });
    for_each_block(*op, [&](std::string_view, Block& nested) { good = good && rewrite(nested, digits, reg); });
    if (!good) return false;
    const auto* store = op->as<Store>();
    const bool effect = (store != nullptr && is_shared_memory(store->buffer->space)) || op->kind == OpKind::kEvaluate ||
                        op->kind == OpKind::kPrint;
    if (owner_ && effect) {
      auto branch = make_op<If>(op->loc);
      branch->condition = owner_;
      branch->then_body.push_back(std::move(op));
      op = std::move(branch);
    }
  }
  return true;
}

Expr PointCode::valid(const std::vector<Expr>& at) const {
  Expr out = make_bool(true);
  for (const size_t d : padded_) {
    out = logical_and(out, at[d] < make_int(DType::i32(), layout_.extents()[d]));
  }
  return out;
}

Expr PointCode::valid_at(const std::vector<Expr>& digits) const {
  return valid(coordinates(layout_, digits_, tiles_.thread, digits));
}

std::optional<Block> PointCode::body_at(const Block& body, const std::vector<Expr>& digits,
                                        std::optional<int64_t> reg) const {
  Block out = clone_with_new_definitions(body);
  if (!rewrite(out, digits, reg)) return std::nullopt;
  substitute(out, point(digits));
  if (ends_points(out)) {
    // `continue` ends a point: it needs a loop around the point alone.
    out = one_op(counted_loop(Var("once", DType::i32()), 1, LoopKind::kSerial, std::move(out), loop_.loc));
  }
  if (!is_padded()) return out;
  auto branch = make_op<If>(loop_.loc);
  branch->condition = valid_at(digits);
  branch->then_body = std::move(out);
  return one_op(std::move(branch));
}

Block PointCode::nest(const std::vector<Var>& vars, size_t first, size_t last, Block body) const {
  for (size_t k = first; k < last; ++k) {
    body = register_loop(vars[k], digits_.registers[k].extent, std::move(body), loop_.loc);
  }
  return body;
}

Block PointCode::scalar(const Block& body) const {
  const std::vector<Var> vars = digit_vars();
  const std::vector<Expr> digits(vars.begin(), vars.end());
  if (auto inner = body_at(body, digits, std::nullopt)) return nest(vars, 0, vars.size(), std::move(*inner));
  // Registers follow no rule: every one is written out.
  Block out;
  for (int64_t r = 0; r < layout_.registers(); ++r) {
    auto inner = body_at(body, digits_of(r), r);
    for (OpPtr& op : *inner) out.push_back(std::move(op));
  }
  return out;
}

Block PointCode::rolled(const Block& body) const {
  bool registers = false;
  const auto check = [&](const Buffer& buffer) { registers |= buffer->space == MemorySpace::kFragment; };
  visit_ops(body, [&](const Op& op) {
    for_each_region(op, [&](const RegionAccess& access) { check(access.region->buffer); });
    if (const auto* store = op.as<Store>()) check(store->buffer);
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (const auto* n = part.as<LoadNode>()) check(n->buffer);
      });
    });
  });
  if (registers) return scalar(body);
  const std::vector<Var> vars = digit_vars();
  Block out = std::move(*body_at(body, {vars.begin(), vars.end()}, std::nullopt));
  for (size_t k = 0; k < vars.size(); ++k) {
    auto loop = counted_loop(vars[k], digits_.registers[k].extent, LoopKind::kSerial, std::move(out), loop_.loc);
    loop->hints["independent"] = true;
    loop->hints["unroll"] = int64_t{1};
    out = one_op(std::move(loop));
  }
  return out;
}

}  // namespace tl
