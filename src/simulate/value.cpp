#include "simulate/value.h"

#include <cmath>
#include <limits>

#include "types/float_format.h"

namespace tl::simulate {
namespace {

double quiet_nan() { return std::numeric_limits<double>::quiet_NaN(); }

// ---- Classes of dtypes: what an operator computes in, and how its result becomes a canonical value.

struct Signed {
  using Value = int64_t;
  static Value value(Raw raw) { return static_cast<Value>(raw); }
  static Raw raw(DType t, Value v) {
    const int unused = 64 - t.bits();
    return static_cast<Raw>(static_cast<int64_t>(static_cast<Raw>(v) << unused) >> unused);
  }
};
struct Unsigned {
  using Value = uint64_t;
  static Value value(Raw raw) { return raw; }
  static Raw raw(DType t, Value v) { return v & (~Raw{0} >> (64 - t.bits())); }
};
struct Float64 {
  using Value = double;
  static Value value(Raw raw) { return as_double(raw); }
  static Raw raw(DType, Value v) { return from_double(v == v ? v : quiet_nan()); }
};
struct Float32 {
  using Value = float;
  static Value value(Raw raw) { return static_cast<float>(as_double(raw)); }
  static Raw raw(DType, Value v) { return from_double(v == v ? double{v} : quiet_nan()); }
};
/// Narrower floats compute in float32 and are rounded once more.
struct NarrowFloat {
  using Value = float;
  static Value value(Raw raw) { return static_cast<float>(as_double(raw)); }
  static Raw raw(DType t, Value v) { return from_double(round_to_float(t, v == v ? double{v} : quiet_nan())); }
};

// ---- Operators. Arithmetic of integers goes through unsigned words, so that it wraps.

template <class T>
constexpr bool is_float_v = std::is_floating_point_v<T>;

template <BinaryOp op, class T>
auto result(T x, T y) {
  using enum BinaryOp;
  using Word = std::conditional_t<is_float_v<T>, T, uint64_t>;
  const Word a = static_cast<Word>(x), b = static_cast<Word>(y);
  if constexpr (op == kAdd) return static_cast<T>(a + b);
  if constexpr (op == kSub) return static_cast<T>(a - b);
  if constexpr (op == kMul) return static_cast<T>(a * b);
  if constexpr (op == kDiv) return static_cast<T>(a / b);
  if constexpr (op == kMin) return x < y ? x : y;
  if constexpr (op == kMax) return x < y ? y : x;
  if constexpr (op == kBitAnd) return static_cast<T>(a & b);
  if constexpr (op == kBitOr) return static_cast<T>(a | b);
  if constexpr (op == kBitXor) return static_cast<T>(a ^ b);
  if constexpr (op == kEq) return x == y;
  if constexpr (op == kNe) return x != y;
  if constexpr (op == kLt) return x < y;
  if constexpr (op == kLe) return x <= y;
  if constexpr (op == kGt) return x > y;
  if constexpr (op == kGe) return x >= y;
}

template <class Class, BinaryOp op>
void run(DType t, Values a, Values b, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) {
    const auto r = result<op>(Class::value(a[i]), Class::value(b[i]));
    if constexpr (std::is_same_v<decltype(r), const bool>) {
      out[i] = r;
    } else {
      out[i] = Class::raw(t, r);
    }
  }
}

/// By a positive divisor without a wrap: the common case of index arithmetic; the rest as `apply` has it.
template <bool remainder>
void floor_divide(DType t, Values a, Values b, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) {
    const auto x = static_cast<int64_t>(a[i]), y = static_cast<int64_t>(b[i]);
    if (x >= 0 && y > 0) {
      out[i] = static_cast<Raw>(remainder ? x % y : x / y);
    } else {
      out[i] =
          raw_of(apply(remainder ? BinaryOp::kFloorMod : BinaryOp::kFloorDiv, scalar_of(t, a[i]), scalar_of(t, b[i])));
    }
  }
}

template <BinaryOp op>
void run_any(DType t, Values a, Values b, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) out[i] = raw_of(apply(op, scalar_of(t, a[i]), scalar_of(t, b[i])));
}

template <BinaryOp op, class... Classes>
BinaryKernel fast(DType t) {
  BinaryKernel kernel = nullptr;
  const auto is = [t]<class Class>(Class*) {
    if constexpr (std::is_same_v<Class, Signed>) return t.is_int();
    if constexpr (std::is_same_v<Class, Unsigned>) return t.is_uint();
    if constexpr (std::is_same_v<Class, Float64>) return t.is_float(64);
    if constexpr (std::is_same_v<Class, Float32>) return t.is_float(32);
    if constexpr (std::is_same_v<Class, NarrowFloat>) return t.is_floating() && t.bits() < 32;
  };
  ((is(static_cast<Classes*>(nullptr)) ? void(kernel = &run<Classes, op>) : void()), ...);
  return kernel != nullptr ? kernel : &run_any<op>;
}

template <BinaryOp op>
BinaryKernel arithmetic(DType t) {
  return fast<op, Signed, Unsigned, Float64, Float32, NarrowFloat>(t);
}
template <BinaryOp op>
BinaryKernel on_floats(DType t) {
  return fast<op, Float64, Float32, NarrowFloat>(t);
}
template <BinaryOp op>
BinaryKernel on_integers(DType t) {
  return fast<op, Signed, Unsigned>(t);
}
template <BinaryOp op>
BinaryKernel on_any(DType) {
  return &run_any<op>;
}
template <bool remainder>
BinaryKernel floor_division(DType t) {
  if (t.is_int()) return &floor_divide<remainder>;
  return &run_any < remainder ? BinaryOp::kFloorMod : BinaryOp::kFloorDiv > ;
}

/// Indexed by BinaryOp.
constexpr BinaryKernel (*kBinary[kNumBinaryOps])(DType) = {
    &arithmetic<BinaryOp::kAdd>,     &arithmetic<BinaryOp::kSub>,     &arithmetic<BinaryOp::kMul>,
    &on_floats<BinaryOp::kDiv>,      &floor_division<false>,          &floor_division<true>,
    &on_any<BinaryOp::kTruncDiv>,    &on_any<BinaryOp::kTruncMod>,    &on_integers<BinaryOp::kMin>,
    &on_integers<BinaryOp::kMax>,    &on_integers<BinaryOp::kBitAnd>, &on_integers<BinaryOp::kBitOr>,
    &on_integers<BinaryOp::kBitXor>, &on_any<BinaryOp::kShl>,         &on_any<BinaryOp::kShr>,
    &on_any<BinaryOp::kAnd>,         &on_any<BinaryOp::kOr>,          &arithmetic<BinaryOp::kEq>,
    &arithmetic<BinaryOp::kNe>,      &arithmetic<BinaryOp::kLt>,      &arithmetic<BinaryOp::kLe>,
    &arithmetic<BinaryOp::kGt>,      &arithmetic<BinaryOp::kGe>,
};

template <UnaryOp op>
void run_unary(DType t, Values a, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) {
    if constexpr (op == UnaryOp::kNeg) {
      out[i] = t.is_floating() ? a[i] ^ Raw { 1 } << 63
               : t.is_int()    ? Signed::raw(t, static_cast<int64_t>(-a[i]))
                               : Unsigned::raw(t, -a[i]);
    } else if constexpr (op == UnaryOp::kNot) {
      out[i] = !truthy(t, a[i]);
    } else {
      out[i] = raw_of(apply(op, scalar_of(t, a[i])));
    }
  }
}

void cast_any(DType from, DType to, Values a, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) out[i] = raw_of(cast(scalar_of(from, a[i]), to));
}

template <class Class>
void cast_integer(DType, DType to, Values a, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) out[i] = Class::raw(to, static_cast<typename Class::Value>(a[i]));
}

template <class Class, class Float>
void integer_to_float(DType, DType, Values a, Raw* out, Span span) {
  for (int i = span.begin; i < span.end; ++i) out[i] = from_double(static_cast<Float>(Class::value(a[i])));
}

/// Between float formats: of a NaN the sign stays.
void cast_float(DType, DType to, Values a, Raw* out, Span span) {
  const bool wide = to.is_float(64), single = to.is_float(32);
  for (int i = span.begin; i < span.end; ++i) {
    const double x = as_double(a[i]);
    if (x == x && (wide || single)) {
      out[i] = from_double(wide ? x : double{static_cast<float>(x)});
    } else {
      out[i] = from_double(round_to_float(to, x == x ? x : std::copysign(quiet_nan(), x)));
    }
  }
}

}  // namespace

BinaryKernel binary_kernel(BinaryOp op, DType operand) { return kBinary[static_cast<size_t>(op)](operand); }

UnaryKernel unary_kernel(UnaryOp op, DType operand) {
  constexpr UnaryKernel kUnary[kNumUnaryOps] = {&run_unary<UnaryOp::kNeg>, &run_unary<UnaryOp::kBitNot>,
                                                &run_unary<UnaryOp::kNot>, &run_unary<UnaryOp::kAbs>};
  // The sign of e8m0 and the zeros and NaN of the fnuz formats are not a bit of their own.
  const bool own_sign = !operand.is_floating() || float_format(operand).has_negative_zero();
  if (op == UnaryOp::kNeg && !own_sign) {
    return [](DType t, Values a, Raw* out, Span span) {
      for (int i = span.begin; i < span.end; ++i) out[i] = raw_of(apply(UnaryOp::kNeg, scalar_of(t, a[i])));
    };
  }
  return kUnary[static_cast<size_t>(op)];
}

CastKernel cast_kernel(DType from, DType to) {
  if (from.is_floating() && to.is_floating()) return &cast_float;
  if (!from.is_floating() && to.is_int()) return &cast_integer<Signed>;
  if (!from.is_floating() && to.is_uint()) return &cast_integer<Unsigned>;
  if (!from.is_floating() && to.is_float(64))
    return from.is_int() ? &integer_to_float<Signed, double> : &integer_to_float<Unsigned, double>;
  if (!from.is_floating() && to.is_float(32))
    return from.is_int() ? &integer_to_float<Signed, float> : &integer_to_float<Unsigned, float>;
  return &cast_any;
}

}  // namespace tl::simulate
