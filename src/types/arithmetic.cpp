// The operators of the language on scalars (see `apply` in types/scalar.h for what they mean).
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "types/scalar.h"

namespace tl {
namespace {

// ---- Integers. T is int64_t or uint64_t: operands are extended to 64 bits, results wrapped to the type by the caller.

template <class T>
T wrapping_negate(T x) {
  return static_cast<T>(-static_cast<uint64_t>(x));
}

template <class T>
T trunc_div(T x, T y) {
  if (y == 0) return 0;
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return wrapping_negate(x);
  return x / y;
}

template <class T>
T trunc_mod(T x, T y) {
  if (y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1))) return 0;
  return x % y;
}

/// Whether a truncated quotient lies above the floor: a remainder whose sign is not the divisor's.
template <class T>
bool truncation_rounds_up(T x, T y) {
  const T remainder = trunc_mod(x, y);
  return remainder != 0 && (remainder < 0) != (y < 0);
}

template <class T>
T floor_div(T x, T y) {
  return trunc_div(x, y) - (truncation_rounds_up(x, y) ? 1 : 0);
}

template <class T>
T floor_mod(T x, T y) {
  return trunc_mod(x, y) + (truncation_rounds_up(x, y) ? y : 0);
}

/// A negative count is a huge one.
template <class T>
T shift_left(T x, T count, int bits) {
  if (static_cast<uint64_t>(count) >= static_cast<uint64_t>(bits)) return 0;
  return static_cast<T>(static_cast<uint64_t>(x) << count);
}

template <class T>
T shift_right(T x, T count, int bits) {
  if (static_cast<uint64_t>(count) >= static_cast<uint64_t>(bits)) return x < 0 ? static_cast<T>(-1) : 0;
  return x >> count;
}

template <class T>
T integer_result(BinaryOp op, T x, T y, int bits) {
  const uint64_t a = static_cast<uint64_t>(x);
  const uint64_t b = static_cast<uint64_t>(y);
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<T>(a + b);
    case BinaryOp::kSub:
      return static_cast<T>(a - b);
    case BinaryOp::kMul:
      return static_cast<T>(a * b);
    case BinaryOp::kFloorDiv:
      return floor_div(x, y);
    case BinaryOp::kFloorMod:
      return floor_mod(x, y);
    case BinaryOp::kTruncDiv:
      return trunc_div(x, y);
    case BinaryOp::kTruncMod:
      return trunc_mod(x, y);
    case BinaryOp::kMin:
      return x < y ? x : y;
    case BinaryOp::kMax:
      return x < y ? y : x;
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd:
      return x & y;
    case BinaryOp::kOr:
    case BinaryOp::kBitOr:
      return x | y;
    case BinaryOp::kBitXor:
      return x ^ y;
    case BinaryOp::kShl:
      return shift_left(x, y, bits);
    case BinaryOp::kShr:
      return shift_right(x, y, bits);
    default:
      return 0;
  }
}

// ---- Floats. T is float or double.

template <class T>
T minimum(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <class T>
T maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return std::signbit(x) ? y : x;
  return x < y ? y : x;
}

/// Quotient and remainder as in CPython's float_divmod: fmod is exact, the quotient is made from it and snapped to an
/// integer; zeros take the sign that division gives them.
template <class T>
struct FloorDivision {
  T quotient, remainder;
};

template <class T>
FloorDivision<T> floor_divide(T x, T y) {
  if (y == 0) return {x / y, std::numeric_limits<T>::quiet_NaN()};
  T remainder = std::fmod(x, y);
  T quotient = (x - remainder) / y;
  if (remainder == 0) {
    remainder = std::copysign(T{0}, y);
  } else if ((y < 0) != (remainder < 0)) {
    remainder += y;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(T{0}, x / y), remainder};
  const T floor = std::floor(quotient);
  return {quotient - floor > T{0.5} ? floor + 1 : floor, remainder};
}

template <class T>
T float_result(BinaryOp op, T x, T y) {
  switch (op) {
    case BinaryOp::kAdd:
      return x + y;
    case BinaryOp::kSub:
      return x - y;
    case BinaryOp::kMul:
      return x * y;
    case BinaryOp::kDiv:
      return x / y;
    case BinaryOp::kFloorDiv:
      return floor_divide(x, y).quotient;
    case BinaryOp::kFloorMod:
      return floor_divide(x, y).remainder;
    case BinaryOp::kTruncDiv:
      return std::trunc(x / y);
    case BinaryOp::kTruncMod:
      return std::fmod(x, y);
    case BinaryOp::kMin:
      return minimum(x, y);
    case BinaryOp::kMax:
      return maximum(x, y);
    default:
      return 0;
  }
}

template <class T>
bool compare(BinaryOp op, T x, T y) {
  switch (op) {
    case BinaryOp::kEq:
      return x == y;
    case BinaryOp::kNe:
      return x != y;
    case BinaryOp::kLt:
      return x < y;
    case BinaryOp::kLe:
      return x <= y;
    case BinaryOp::kGt:
      return x > y;
    case BinaryOp::kGe:
      return x >= y;
    default:
      return false;
  }
}

/// Rounds to the operands' format; NaN becomes the quiet positive one.
Scalar float_scalar(DType t, double value) {
  return Scalar::of_float(t, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

bool compare_scalars(BinaryOp op, Scalar x, Scalar y) {
  if (x.dtype().is_floating()) return compare(op, x.as_float(), y.as_float());
  return x.dtype().is_int() ? compare(op, x.as_int(), y.as_int()) : compare(op, x.as_uint(), y.as_uint());
}

[[noreturn]] void reject(std::string_view op, DType t) {
  throw std::invalid_argument("operator " + std::string(op) + " does not take operands of type " + t.name());
}

Scalar with_sign(Scalar x, bool negative) {
  return Scalar::of_float(x.dtype(), std::copysign(x.as_float(), negative ? -1.0 : 1.0));
}

}  // namespace

Scalar apply(UnaryOp op, Scalar x) {
  const DType t = x.dtype();
  if (!accepts(op, t) || !t.is_scalar()) reject(op_name(op), t);
  switch (op) {
    case UnaryOp::kNot:
      return Scalar::boolean(!x.truthy());
    case UnaryOp::kBitNot:
      return t.is_bool() ? Scalar::boolean(!x.truthy()) : Scalar::of_uint(t, ~x.as_uint());
    case UnaryOp::kNeg:
      if (t.is_floating()) return with_sign(x, !std::signbit(x.as_float()));
      return Scalar::of_uint(t, -x.as_uint());
    case UnaryOp::kAbs:
      if (t.is_floating()) return with_sign(x, false);
      return t.is_int() && x.as_int() < 0 ? Scalar::of_uint(t, -x.as_uint()) : x;
  }
  reject(op_name(op), t);
}

Scalar apply(BinaryOp op, Scalar x, Scalar y) {
  const DType t = x.dtype();
  if (t != y.dtype()) {
    throw std::invalid_argument("operator " + std::string(op_name(op)) + ": operands of types " + t.name() + " and " +
                                y.dtype().name());
  }
  if (!accepts(op, t) || !t.is_scalar()) reject(op_name(op), t);
  if (is_comparison(op)) return Scalar::boolean(compare_scalars(op, x, y));
  if (t.is_float(64)) return float_scalar(t, float_result(op, x.as_float(), y.as_float()));
  if (t.is_floating()) {
    return float_scalar(t, float_result(op, static_cast<float>(x.as_float()), static_cast<float>(y.as_float())));
  }
  if (t.is_int()) return Scalar::of_int(t, integer_result(op, x.as_int(), y.as_int(), t.bits()));
  return Scalar::of_uint(t, integer_result(op, x.as_uint(), y.as_uint(), t.bits()));
}

}  // namespace tl
