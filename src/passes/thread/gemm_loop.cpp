// before:  tile.gemm a=%A[0 :+ 64, 0 :+ 64], b=%B[0 :+ 64, 0 :+ 64], c=%c[0 :+ 64, 0 :+ 64]
// after:   for %k: int32, 0, 64, step=4, hints={"unroll": 2} {
//            alloc %a: local float32[16]
//            for %r: int32, 0, 4, loop=unrolled {
//              for %v: int32, 0, 4, loop=vectorized { store %a, [%r * 4 + %v], %A[%tx / 8 + %r * 16, %k + %v] }
//            }
//            for %p: int32, 0, 4, loop=unrolled {
//              alloc %b: local float32[8]
//              … vectors of row %k + %p of B, as above …
//              … for all registers: sums[…] = fma(a[… * 4 + %p], b[…], sums[…]) …
//            }
//          }

#include "passes/thread/gemm_loop.h"

#include <algorithm>

#include "ir/index.h"
#include "ir/intrinsics.h"
#include "ir/tile_match.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

const DType kIndex = DType::i32();
/// Inner steps whose operands are fetched together.
constexpr int64_t kMostSteps = 4;
/// Registers for the operands of a group: more of them would be too few for accumulators and a second block.
constexpr int64_t kOperandRegisters = 48;
/// Inner steps, and multiplications, that stand next to each other in the loop over inner steps.
constexpr int64_t kUnrolledSteps = 8, kUnrolledProducts = 512;

/// The element of a matrix in a region, whose last two dimensions are its rows and columns.
std::vector<Expr> matrix_element(const Region& region, const Expr& row, const Expr& column) {
  std::vector<Expr> out = region.offsets;
  out[out.size() - 2] = offset_by(out[out.size() - 2], row);
  out.back() = offset_by(out.back(), column);
  return out;
}

Expr times(const Expr& e, int64_t by) { return by == 1 ? e : e * make_int(e.dtype(), by); }

Expr plus(const Expr& a, const Expr& b) {
  if (is_const_int(a, 0)) return b;
  return is_const_int(b, 0) ? a : a + b;
}

Block counted(const Var& var, int64_t extent, LoopKind kind, Block body, const Loc& loc) {
  return one_op(counted_loop(var, extent, kind, std::move(body), loc));
}

/// A sum in the type of `sum`, rounded once where the type has such an operation.
Expr multiplied(const Expr& a, const Expr& b, const Expr& sum) {
  const DType t = sum.dtype();
  const bool fuses = t == DType::f32() || t == DType::f64();
  return fuses ? call(t, intrinsic_of(MathFn::kFma), {a, b, sum}) : sum + a * b;
}

/// What the loops of a product share.
struct Product {
  const Gemm& gemm;
  const PointCode& code;
  DType wide;

  const Fragment& layout() const { return code.layout(); }
  const ThreadDigits& digits() const { return code.digits(); }
};

/// The elements of one operand that a thread multiplies: those of its rows, or columns, of the accumulator.
class Operand {
 public:
  Operand(const Product& product, const Region& region, size_t dim, bool inner_last)
      : product_(product), region_(region), dim_(dim), inner_last_(inner_last) {
    const auto& all = product.digits().registers;
    for (size_t k = 0; k < all.size(); ++k) {
      if (all[k].dim == dim && all[k].step != 0) own_.push_back(k);
    }
    std::stable_partition(own_.begin(), own_.end(), [&](size_t k) { return all[k].step == 1; });
    for (const size_t k : own_) count_ *= all[k].extent;
    const auto padded = padded_dims(product.layout(), product.digits());
    padded_ = std::find(padded.begin(), padded.end(), dim) != padded.end();
  }

  /// Whether inner steps are neighbours in memory.
  bool inner_last() const { return inner_last_; }

  /// Registers of a group of so many steps.
  int64_t registers(int64_t steps) const {
    return count_ * (inner_last_ ? steps : 1) * std::max<int64_t>(product_.wide.storage_bits() / 32, 1);
  }

  /// Decides the vectors, for groups of `steps` inner steps.
  void choose_width(int64_t steps, const Facts& facts, const AccessRules& rules) {
    steps_ = steps;
    const Buffer& b = region_.buffer;
    if (b->space != MemorySpace::kGlobal && !is_shared(b->space)) return;
    const Var row("i", kIndex), inner("k", kIndex);
    const std::vector<Var> vars = inner_last_ ? std::vector<Var>{row, inner} : std::vector<Var>{inner, row};
    width_ = vector_elements(b, element(row, inner), vars, facts, rules);
    while (width_ > 1 && !groups_of(width_)) width_ /= 2;
  }

  /// Elements that one access fetches.
  int64_t width() const { return width_; }

  /// Fetches the elements of `steps` inner steps from `inner` on, which is one step where vectors lie across them.
  Buffer fetch(const std::string& name, const Expr& inner, Block& out) const {
    const Loc& loc = product_.gemm.loc;
    const Buffer values = add_array(name, product_.wide, count_ * (inner_last_ ? steps_ : 1), loc, out);
    std::vector<Var> vars;
    for (size_t k = 0; k < own_.size(); ++k) vars.emplace_back("r", kIndex);
    const Var part("q", kIndex), lane("v", kIndex);
    const int64_t run = run_length(), parts = run / width_;
    const auto along = [&](const Expr& at_lane) { return parts == 1 ? at_lane : plus(times(part, width_), at_lane); };
    const auto own_at = [&](const Expr& at_lane) {
      std::vector<Expr> own(vars.begin(), vars.end());
      if (!inner_last_ && !own.empty()) own[0] = along(at_lane);
      return own;
    };
    const auto place = [&](const Expr& at_lane) {
      const std::vector<Expr> own = own_at(at_lane);
      const Expr step = inner_last_ ? along(at_lane) : Expr(0);
      return Place(slot(own, step), element(coordinate(own), plus(inner, step)));
    };
    Block body = moved(values, lane, place);
    if (padded_) {
      auto inside = make_op<If>(loc);
      inside->condition = coordinate(own_at(Expr(0))) < make_int(kIndex, product_.layout().extents()[dim_]);
      inside->then_body = std::move(body);
      body = one_op(std::move(inside));
    }
    if (parts > 1) body = counted(part, parts, LoopKind::kUnrolled, std::move(body), loc);
    for (size_t k = inner_last_ ? 0 : 1; k < own_.size(); ++k) {
      body = counted(vars[k], extent(k), LoopKind::kUnrolled, std::move(body), loc);
    }
    for (OpPtr& op : body) out.push_back(std::move(op));
    return values;
  }

  /// The fetched element for the register of these digits, of all the accumulator's, at the group's inner step `step`.
  Expr at(const Buffer& values, const std::vector<Expr>& digits, const Expr& step) const {
    std::vector<Expr> own;
    for (const size_t k : own_) own.push_back(digits[k]);
    return load(values, {slot(own, inner_last_ ? step : Expr(0))});
  }

 private:
  /// A place in the array of elements, and in the operand.
  using Place = std::pair<Expr, std::vector<Expr>>;

  int64_t extent(size_t own) const { return product_.digits().registers[own_[own]].extent; }

  std::vector<Expr> element(const Expr& row, const Expr& inner) const {
    return inner_last_ ? matrix_element(region_, row, inner) : matrix_element(region_, inner, row);
  }

  /// Elements of a thread that are fetched as neighbours: inner steps, or registers along the operand's dimension.
  int64_t run_length() const { return inner_last_ ? steps_ : own_.empty() ? 1 : extent(0); }

  /// Whether the thread's elements are aligned groups of `width` neighbours.
  bool groups_of(int64_t width) const {
    if (inner_last_) return steps_ % width == 0;
    if (own_.empty() || extent(0) % width != 0 || product_.layout().extents()[dim_] % width != 0) return false;
    if (product_.digits().registers[own_[0]].step != 1) return false;
    const auto aligned = [&](const LayoutDigit& d) { return d.dim != dim_ || d.step % width == 0; };
    const auto& registers = product_.digits().registers;
    return std::all_of(own_.begin() + 1, own_.end(), [&](size_t k) { return aligned(registers[k]); }) &&
           std::all_of(product_.digits().threads.begin(), product_.digits().threads.end(), aligned);
  }

  /// The row, or column, of the accumulator at the operand's own digits.
  Expr coordinate(const std::vector<Expr>& own) const {
    std::vector<Expr> digits(product_.digits().registers.size(), Expr(0));
    for (size_t k = 0; k < own_.size(); ++k) digits[own_[k]] = own[k];
    return coordinates(product_.layout(), product_.digits(), product_.code.tiles().thread, digits)[dim_];
  }

  /// Place of an element in its array.
  Expr slot(const std::vector<Expr>& own, const Expr& step) const {
    Expr number = 0;
    int64_t unit = 1;
    for (size_t k = 0; k < own.size(); ++k) {
      number = plus(number, times(own[k], unit));
      unit *= extent(k);
    }
    return inner_last_ ? plus(times(number, steps_), step) : number;
  }

  /// Moves of `width` neighbours, converted to the type of the sums.
  Block moved(const Buffer& values, const Var& lane, const std::function<Place(const Expr&)>& place) const {
    const Loc& loc = product_.gemm.loc;
    if (width_ == 1) {
      auto [to, from] = place(Expr(0));
      return one_op(make_store(values, {to}, cast(product_.wide, load(region_.buffer, std::move(from))), loc));
    }
    auto [to, from] = place(lane);
    const Expr value = load(region_.buffer, std::move(from));
    if (value.dtype() == product_.wide) {
      return counted(lane, width_, LoopKind::kVectorized, one_op(make_store(values, {to}, value, loc)), loc);
    }
    Block out;
    const Buffer narrow = add_array(values->name + "_vec", value.dtype(), width_, loc, out);
    out.push_back(std::move(
        counted(lane, width_, LoopKind::kVectorized, one_op(make_store(narrow, {lane}, value, loc)), loc)[0]));
    const Var each("v", kIndex);
    const Expr converted = cast(product_.wide, load(narrow, {each}));
    out.push_back(std::move(counted(each, width_, LoopKind::kUnrolled,
                                    one_op(make_store(values, {place(each).first}, converted, loc)), loc)[0]));
    return out;
  }

  const Product& product_;
  const Region& region_;
  const size_t dim_;
  const bool inner_last_;
  /// Register digits along the dimension, one that counts neighbours first.
  std::vector<size_t> own_;
  int64_t count_ = 1, steps_ = 1, width_ = 1;
  bool padded_ = false;
};

}  // namespace

OpPtr gemm_loop(const Gemm& gemm, const PointCode& code, const Buffer& sums, int64_t inner_steps, const Facts& facts,
                const AccessRules& rules) {
  TL_CHECK(code.digits().split, "an accumulator whose rows and columns are told apart");
  const Product product{gemm, code, sums->dtype};
  const size_t rank = code.layout().extents().size();
  Operand a(product, gemm.a, rank - 2, !gemm.transpose_a), b(product, gemm.b, rank - 1, gemm.transpose_b);
  // A group is as long as the longest vector along it, where the registers suffice.
  int64_t steps = 1;
  for (Operand* operand : {&a, &b}) {
    if (!operand->inner_last()) continue;
    int64_t most = kMostSteps;
    while (inner_steps % most != 0) most /= 2;
    operand->choose_width(most, facts, rules);
    steps = std::max(steps, operand->width());
  }
  const int64_t longest = steps;
  while (steps > 1 && a.registers(steps) + b.registers(steps) > kOperandRegisters) steps /= 2;
  for (Operand* operand : {&a, &b}) operand->choose_width(steps, facts, rules);

  const Var first("k", kIndex), step("p", kIndex);
  const Expr at_step = steps == 1 ? Expr(0) : Expr(step), inner = plus(first, at_step);
  Block group, one;
  Buffer a_values, b_values;
  if (a.inner_last()) a_values = a.fetch("a", first, group);
  if (b.inner_last()) b_values = b.fetch("b", first, group);
  if (!a.inner_last()) a_values = a.fetch("a", inner, one);
  if (!b.inner_last()) b_values = b.fetch("b", inner, one);
  const std::vector<Var> vars = code.digit_vars();
  const std::vector<Expr> digits(vars.begin(), vars.end());
  const Expr reg = code.register_number(digits);
  const Expr sum = multiplied(a.at(a_values, digits, at_step), b.at(b_values, digits, at_step), load(sums, {reg}));
  Block body = one_op(make_store(sums, {reg}, sum, gemm.loc));
  if (code.is_padded()) {
    auto inside = make_op<If>(gemm.loc);
    inside->condition = code.valid_at(digits);
    inside->then_body = std::move(body);
    body = one_op(std::move(inside));
  }
  for (OpPtr& op : code.nest(vars, 0, vars.size(), std::move(body))) one.push_back(std::move(op));
  if (steps > 1) one = counted(step, steps, LoopKind::kUnrolled, std::move(one), gemm.loc);
  for (OpPtr& op : one) group.push_back(std::move(op));

  auto loop = make_op<For>(gemm.loc);
  loop->var = first;
  loop->begin = Expr(0);
  loop->end = Expr(static_cast<int>(inner_steps));
  loop->step = Expr(static_cast<int>(steps));
  const int64_t products = code.layout().registers() * steps;
  // The compiler would fetch the operands of neighbouring groups together.
  const int64_t most = steps < longest ? 1 : kUnrolledSteps / steps;
  loop->hints["unroll"] = std::clamp<int64_t>(kUnrolledProducts / products, 1, most);
  loop->body = std::move(group);
  return loop;
}

}  // namespace tl
