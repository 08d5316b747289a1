// Random expressions of a type, over what may be read where they stand.

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/intrinsics.h"
#include "program_generator.h"

namespace tl::testing {
namespace {

Expr in_i32(const Expr& e) { return e.dtype() == DType::i32() ? e : cast(DType::i32(), e); }

/// Functions that give the same bits everywhere and take one type.
std::vector<MathFn> exact_functions(DType t) {
  std::vector<MathFn> out;
  for (size_t i = 0; i < kNumMathFns; ++i) {
    const auto fn = static_cast<MathFn>(i);
    const MathFnInfo& info = math_fn_info(fn);
    if (info.result == MathResult::kOperand && accepts(fn, t) && max_ulp(fn, t) == 0) out.push_back(fn);
  }
  return out;
}

bool keeps_grid(MathFn fn) {
  return fn == MathFn::kCeil || fn == MathFn::kFloor || fn == MathFn::kRound || fn == MathFn::kNearbyint ||
         fn == MathFn::kTrunc;
}

}  // namespace

KnownValues ProgramGenerator::read(Tile& tile) {
  const int depth = static_cast<int>(trips_.size());
  if (depth <= tile.loops || !tile.values.tidy) return tile.values;
  if (tile.pinned == 0 && random_.chance(50)) return KnownValues::anything();
  if (tile.pinned == 0 || tile.pinned > tile.loops + 1) tile.pinned = tile.loops + 1;
  return tile.values;
}

// --- indices -------------------------------------------------------------------------------------

Expr ProgramGenerator::index(int64_t extent) {
  if (indices_.empty() || extent == 1 || random_.chance(10))
    return make_int(DType::i32(), random_.pick(0, std::max<int64_t>(extent - 1, 0)));
  const IndexVar& v = random_.choose(indices_);
  const Expr e = in_i32(v.e), last = make_int(DType::i32(), extent - 1), size = make_int(DType::i32(), extent);
  const Expr shift = make_int(DType::i32(), random_.pick(-3, 5));
  const bool fits = v.lo >= 0 && v.hi < extent;
  switch (random_.pick(0, 5)) {
    case 0:
      return fits ? last - e : floormod(e, size);
    case 1:
      return floormod(e + shift, size);
    case 2:
      return min(max(e + shift, Expr(0)), last);
    case 3: {
      const IndexVar& w = random_.choose(indices_);
      return floormod(e * Expr(static_cast<int>(random_.pick(2, 5))) + in_i32(w.e), size);
    }
    case 4:
      return floormod(floordiv(e + shift, Expr(static_cast<int>(random_.pick(2, 4)))), size);
    default:
      return fits ? e : floormod(e, size);
  }
}

Expr ProgramGenerator::any_index(int64_t extent, bool may_be_negative) {
  if (random_.chance(50) && extent > 0) return index(extent);
  if (random_.chance(15)) {
    const Expr loaded = in_i32(cast(DType::i32(), leaf(random_.choose({DType::i32(), DType::i8()})).e));
    return may_be_negative ? max(min(loaded, Expr(100)), Expr(-100)) : max(loaded, Expr(0));
  }
  if (indices_.empty()) return make_int(DType::i32(), random_.pick(0, std::max<int64_t>(extent - 1, 0)));
  const IndexVar& v = random_.choose(indices_);
  const Expr e = in_i32(v.e);
  Expr moved = e + make_int(DType::i32(), random_.pick(-4, 4));
  if (random_.chance(30)) moved = moved * Expr(static_cast<int>(random_.pick(2, 3)));
  return may_be_negative ? moved : max(moved, Expr(0));
}

// --- leaves --------------------------------------------------------------------------------------

Typed ProgramGenerator::constant(DType t) {
  if (t.is_bool()) return {make_bool(random_.chance(50)), KnownValues::within(1, 0, false)};
  const int64_t small = random_.pick(-8, 8);
  if (t.is_integral()) {
    if (random_.chance(10)) return {make_const(Scalar::of_bits(t, random_.bits())), KnownValues::anything()};
    const int64_t v = t.is_uint() ? small + 8 : small;
    if (t.bits() < 8) return {make_int(t, v % 4), KnownValues::anything()};
    return {make_int(t, v), KnownValues::within(static_cast<double>(std::abs(v)), 0, v < 0).in(t)};
  }
  if (random_.chance(12)) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double special =
        random_.choose({kInf, -kInf, kInf - kInf, kInf - kInf, kInf - kInf, -0.0, 1e-30, 3e38, 65504.0, 0.1});
    return {make_float(t, special), KnownValues::anything()};
  }
  const double v = static_cast<double>(small) / 2;
  return {make_float(t, v), KnownValues::within(std::abs(v), -1).in(t)};
}

Typed ProgramGenerator::load_tile(DType t) {
  std::vector<Tile*> usable;
  for (Tile& tile : tiles_) {
    const MemorySpace space = tile.buffer->space;
    const bool there = is_shared(space) || (space == MemorySpace::kFragment && in_points_ && !symbolic_points_) ||
                       (space == MemorySpace::kLocal && !in_points_ && !by_thread_);
    if (there && !tile.busy && tile.ready) usable.push_back(&tile);
  }
  if (usable.empty() || !may_load_tiles_) return constant(t);
  Tile* tile = random_.choose(usable);
  for (int attempt = 0; attempt < 2 && tile->buffer->dtype != t; ++attempt) tile = random_.choose(usable);
  std::vector<Expr> at;
  for (const int64_t n : tile->shape) at.push_back(index(n));
  return as(t, {load(tile->buffer, at), read(*tile)});
}

Typed ProgramGenerator::load_global(DType t) {
  if (readable_.empty()) return constant(t);
  const Tensor* tensor = &random_.choose(readable_);
  for (int attempt = 0; attempt < 2 && tensor->buffer->dtype != t; ++attempt) tensor = &random_.choose(readable_);
  std::vector<Expr> at;
  // No loads inside these indices: one gather is enough.
  const bool loads = std::exchange(may_load_tiles_, may_load_tiles_ && random_.chance(30));
  const Tensor chosen = *tensor;
  for (const int64_t n : chosen.shape) at.push_back(any_index(n, false));
  may_load_tiles_ = loads;
  KnownValues v = chosen.values;
  return as(t, {load(chosen.buffer, at), v});
}

Typed ProgramGenerator::leaf(DType t) {
  if (!elements_.empty() && may_load_tiles_ && random_.chance(60)) return as(t, random_.choose(elements_));
  const int64_t roll = random_.pick(0, 9);
  if (roll < 4) return load_tile(t);
  if (roll < 6) return load_global(t);
  if (roll < 7 && !indices_.empty()) {
    const IndexVar& v = random_.choose(indices_);
    const double most = static_cast<double>(std::max(std::abs(v.lo), std::abs(v.hi)));
    return as(t, {v.e, KnownValues::within(most, 0, v.lo < 0)});
  }
  if (roll < 8 && !scalars_.empty()) return as(t, random_.choose(scalars_));
  if (roll < 9 && !vars_.empty() && !by_thread_) {
    const Buffer& var = random_.choose(vars_);
    return as(t, {load(var, {Expr(0)}), KnownValues::anything()});
  }
  return constant(t);
}

Typed ProgramGenerator::as(DType t, const Typed& x) {
  const DType from = x.e.dtype();
  if (from == t) return {x.e, x.v.in(t)};
  return {cast(t, x.e), converted(x.v, from, t)};
}

// --- operators -----------------------------------------------------------------------------------

Typed ProgramGenerator::selected(DType t, int depth) {
  const Typed c = boolean(depth - 1), a = value(t, depth - 1), b = value(t, depth - 1);
  return {select(c.e, a.e, b.e), join(a.v, b.v)};
}

Typed ProgramGenerator::integer(DType t, int depth) {
  if (random_.chance(15)) {
    const MathFn fn = random_.choose({MathFn::kPopcount, MathFn::kClz, MathFn::kFfs});
    const Typed a = value(t, depth - 1);
    if (accepts(fn, t)) {
      const DType result = result_dtype(fn, t);
      return as(t, {call(result, intrinsic_of(fn), {a.e}), KnownValues::within(64, 0, false).in(result)});
    }
  }
  if (random_.chance(20)) {
    const UnaryOp op = random_.choose({UnaryOp::kNeg, UnaryOp::kBitNot, UnaryOp::kAbs});
    return {unary(op, value(t, depth - 1).e), KnownValues::anything()};
  }
  const BinaryOp op =
      random_.choose({BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kFloorDiv, BinaryOp::kFloorMod,
                      BinaryOp::kTruncDiv, BinaryOp::kTruncMod, BinaryOp::kMin, BinaryOp::kMax, BinaryOp::kBitAnd,
                      BinaryOp::kBitOr, BinaryOp::kBitXor, BinaryOp::kShl, BinaryOp::kShr});
  const Typed a = value(t, depth - 1), b = value(t, depth - 1);
  KnownValues v = KnownValues::anything();
  if (op == BinaryOp::kAdd) v = sum(a.v, b.v);
  if (op == BinaryOp::kMin || op == BinaryOp::kMax) v = join(a.v, b.v);
  if (op == BinaryOp::kMul) v = product(a.v, b.v);
  return {binary(op, a.e, b.e), v.in(t)};
}

Typed ProgramGenerator::floating(DType t, int depth) {
  if (random_.chance(20)) {
    const MathFn fn = random_.choose(exact_functions(t));
    const Typed a = value(t, depth - 1);
    std::vector<Expr> args = {a.e};
    if (fn == MathFn::kLdexp) {
      args.push_back(value(DType::i32(), 0).e);
    } else {
      while (args.size() < math_fn_info(fn).arity) args.push_back(value(t, depth - 1).e);
      // The sign of a NaN is nobody's promise.
      if (fn == MathFn::kCopysign) args[1] = cast(t, constant(DType::i32()).e);
    }
    return {call(t, intrinsic_of(fn), args),
            keeps_grid(fn) ? KnownValues{a.v.tidy, a.v.negative, a.v.most + 1, 0}.in(t) : KnownValues::anything()};
  }
  if (random_.chance(15)) {
    const Typed a = value(t, depth - 1);
    return {unary(random_.chance(50) ? UnaryOp::kNeg : UnaryOp::kAbs, a.e), a.v.in(t)};
  }
  const BinaryOp op =
      random_.choose({BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kAdd, BinaryOp::kMul, BinaryOp::kMin,
                      BinaryOp::kMax, BinaryOp::kMin, BinaryOp::kMax, BinaryOp::kDiv, BinaryOp::kFloorDiv,
                      BinaryOp::kFloorMod, BinaryOp::kTruncDiv, BinaryOp::kTruncMod});
  const bool orders = op == BinaryOp::kMin || op == BinaryOp::kMax;
  const Typed a = value(t, depth - 1);
  Typed b = value(t, depth - 1);
  if (orders && random_.chance(50)) {
    // A NaN on the right, at times.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    b = {select(boolean(1).e, make_float(t, nan), b.e), KnownValues::anything()};
  }
  KnownValues v = KnownValues::anything();
  if (op == BinaryOp::kAdd || op == BinaryOp::kSub) v = sum(a.v, b.v);
  if (orders) v = join(a.v, b.v);
  if (op == BinaryOp::kMul) v = product(a.v, b.v);
  return {binary(op, a.e, b.e), v.in(t)};
}

Typed ProgramGenerator::boolean(int depth) {
  const KnownValues bit = KnownValues::within(1, 0, false);
  if (depth <= 0) return {as(DType::boolean(), leaf(some_dtype())).e, bit};
  if (random_.chance(25)) {
    const BinaryOp op = random_.choose({BinaryOp::kAnd, BinaryOp::kOr, BinaryOp::kBitXor, BinaryOp::kBitAnd,
                                        BinaryOp::kBitOr, BinaryOp::kEq, BinaryOp::kNe});
    const Expr a = boolean(depth - 1).e, b = boolean(depth - 1).e;
    return {binary(op, a, b), bit};
  }
  if (random_.chance(15)) return {unary(UnaryOp::kNot, boolean(depth - 1).e), bit};
  const DType t = some_dtype();
  if (t.is_floating() && random_.chance(30)) {
    const MathFn fn = random_.choose({MathFn::kIsnan, MathFn::kIsinf, MathFn::kIsfinite});
    return {call(DType::boolean(), intrinsic_of(fn), {value(t, depth - 1).e}), bit};
  }
  const BinaryOp op =
      random_.choose({BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe});
  const Expr a = value(t, depth - 1).e, b = value(t, depth - 1).e;
  return {binary(op, a, b), bit};
}

Typed ProgramGenerator::value(DType t, int depth) {
  if (depth <= 0) return leaf(t);
  if (random_.chance(10)) return selected(t, depth);
  if (random_.chance(12)) return as(t, value(some_dtype(), depth - 1));
  if (random_.chance(6) && t.bits() >= 8 && !t.is_bool()) {
    const DType from = t.is_uint() ? DType::int_(t.bits()) : DType::uint_(t.storage_bits());
    return {bitcast(t, value(from, depth - 1).e), KnownValues::anything()};
  }
  if (random_.chance(6) && t.is_integral()) {
    const DType from = t.bits() == 64   ? DType::f64()
                       : t.bits() == 32 ? DType::f32()
                       : t.bits() == 16 ? random_.choose({DType::f16(), DType::bf16()})
                                        : DType();
    // A NaN has no promised bits, so only known values are taken apart.
    if (!from.is_void()) {
      const Typed a = leaf(from);
      if (a.v.tidy) return {bitcast(t, a.e), KnownValues::anything()};
    }
  }
  if (t.is_bool()) return boolean(depth);
  return t.is_integral() ? integer(t, depth) : floating(t, depth);
}

}  // namespace tl::testing
