// The elementary functions on scalars (see `apply_math` in types/scalar.h for what they mean).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "types/scalar.h"

namespace tl {
namespace {

/// Functions without a short exact form; T is wider than the result's type where the machine has such a type.
template <class T>
T approximate(MathFn fn, T x, T y) {
  switch (fn) {
    case MathFn::kAcos:
      return std::acos(x);
    case MathFn::kAcosh:
      return std::acosh(x);
    case MathFn::kAsin:
      return std::asin(x);
    case MathFn::kAsinh:
      return std::asinh(x);
    case MathFn::kAtan:
      return std::atan(x);
    case MathFn::kAtan2:
      return std::atan2(x, y);
    case MathFn::kAtanh:
      return std::atanh(x);
    case MathFn::kCos:
      return std::cos(x);
    case MathFn::kCosh:
      return std::cosh(x);
    case MathFn::kErf:
      return std::erf(x);
    case MathFn::kExp:
      return std::exp(x);
    case MathFn::kExp2:
      return std::exp2(x);
    case MathFn::kExp10:
      return std::pow(T{10}, x);
    case MathFn::kHypot:
      return std::hypot(x, y);
    case MathFn::kLog:
      return std::log(x);
    case MathFn::kLog1p:
      return std::log1p(x);
    case MathFn::kLog2:
      return std::log2(x);
    case MathFn::kLog10:
      return std::log10(x);
    case MathFn::kPow:
      return std::pow(x, y);
    case MathFn::kRsqrt:
      return T{1} / std::sqrt(x);
    case MathFn::kSigmoid:
      return T{1} / (T{1} + std::exp(-x));
    case MathFn::kSin:
      return std::sin(x);
    case MathFn::kSinh:
      return std::sinh(x);
    case MathFn::kTan:
      return std::tan(x);
    case MathFn::kTanh:
      return std::tanh(x);
    default:
      return std::numeric_limits<T>::quiet_NaN();
  }
}

/// x * y + z of a format narrower than float64, as a double that rounds to the format as the exact value would: the
/// product of two numbers of at most 24 bits is exact in a double, and the error of the sum (Knuth's TwoSum) sets the
/// last bit (round to odd: Boldo and Melquiond, 2008).
double fma_to_odd(double x, double y, double z) {
  const double product = x * y;
  const double sum = product + z;
  if (!std::isfinite(sum)) return sum;
  const double added = sum - product;
  const double error = (product - (sum - added)) + (z - added);
  if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum,
                        error > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

double fma_exact(DType t, double x, double y, double z) {
  return t.is_float(64) ? std::fma(x, y, z) : fma_to_odd(x, y, z);
}

/// Position of a value in the order of its format: neighbours differ by one.
int64_t rank(DType t, double value) {
  const int64_t code = static_cast<int64_t>(encode_float(t, std::fabs(value)) >> float_format(t).low_padding);
  return std::signbit(value) ? -code : code;
}

double value_of_rank(DType t, int64_t rank) {
  const double magnitude = decode_float(t, static_cast<uint64_t>(std::abs(rank)) << float_format(t).low_padding);
  return rank < 0 ? -magnitude : magnitude;
}

/// The neighbour of x towards y in the format itself.
double next_after(DType t, double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x == y) return y;
  const int64_t next = rank(t, x) + (x < y ? 1 : -1);
  return next == 0 && float_format(t).has_zero() ? std::copysign(0.0, x) : value_of_rank(t, next);
}

double load_exponent(double x, Scalar exponent) {
  constexpr int64_t kFar = 5000;  // beyond any double's range, either way
  const int64_t n = exponent.dtype().is_int() ? exponent.as_int()
                                              : static_cast<int64_t>(std::min<uint64_t>(exponent.as_uint(), kFar));
  return std::ldexp(x, static_cast<int>(std::clamp(n, -kFar, kFar)));
}

double evaluate(MathFn fn, DType t, std::span<const Scalar> args) {
  const double x = args[0].as_float();
  const double y = args.size() > 1 && args[1].dtype().is_floating() ? args[1].as_float() : 0;
  switch (fn) {
    case MathFn::kCeil:
      return std::ceil(x);
    case MathFn::kFloor:
      return std::floor(x);
    case MathFn::kNearbyint:
    case MathFn::kRound:
      return std::nearbyint(x);
    case MathFn::kTrunc:
      return std::trunc(x);
    case MathFn::kSqrt:
      return std::sqrt(x);
    case MathFn::kFmod:
      return std::fmod(x, y);
    case MathFn::kFma:
      return fma_exact(t, x, y, args[2].as_float());
    case MathFn::kLdexp:
      return load_exponent(x, args[1]);
    case MathFn::kNextafter:
      return next_after(t, x, y);
    default:
      break;
  }
  if (t.is_float(64)) return static_cast<double>(approximate<long double>(fn, x, y));
  return approximate<double>(fn, x, y);
}

Scalar count_bits(MathFn fn, Scalar x) {
  const uint64_t bits = x.to_bits();
  if (fn == MathFn::kPopcount) return Scalar::of_int(x.dtype(), std::popcount(bits));
  const int count = fn == MathFn::kClz ? std::countl_zero(bits) - (64 - x.dtype().bits())
                                       : (bits == 0 ? 0 : std::countr_zero(bits) + 1);
  return Scalar::of_int(DType::i32(), count);
}

bool classify(MathFn fn, Scalar x) {
  const double value = x.to_double();
  if (fn == MathFn::kIsnan) return std::isnan(value);
  return fn == MathFn::kIsinf ? std::isinf(value) : std::isfinite(value);
}

void check_arguments(MathFn fn, std::span<const Scalar> args) {
  const MathFnInfo& info = math_fn_info(fn);
  const auto reject = [&](const std::string& what) {
    throw std::invalid_argument(std::string(info.name) + ": " + what);
  };
  if (args.size() != info.arity) reject("takes " + std::to_string(info.arity) + " arguments");
  const DType t = args[0].dtype();
  if (!accepts(fn, t) || !t.is_scalar()) reject("does not take " + t.name());
  for (const Scalar& arg : args.subspan(1)) {
    const bool fits = fn == MathFn::kLdexp ? arg.dtype().is_integral() : arg.dtype() == t;
    if (!fits) reject("does not take " + arg.dtype().name() + " after " + t.name());
  }
}

}  // namespace

Scalar apply_math(MathFn fn, std::span<const Scalar> args) {
  check_arguments(fn, args);
  const Scalar x = args[0];
  const DType t = x.dtype();
  if (math_fn_info(fn).result == MathResult::kBool) return Scalar::boolean(classify(fn, x));
  if (math_fn_info(fn).operands == kOnInteger) return count_bits(fn, x);
  if (t.is_integral()) return x;  // ceil, floor, nearbyint, round, trunc
  if (fn == MathFn::kCopysign) return Scalar::of_float(t, std::copysign(x.as_float(), args[1].as_float()));
  const double value = evaluate(fn, t, args);
  return Scalar::of_float(t, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

}  // namespace tl
