// The arithmetic of the language on single values. Constant folding and the interpreter both call these functions, so
// what is written here is what a program means.
//
// The library must be compiled without contraction (-ffp-contract=off) and without -ffast-math: float32 and float64
// operators are the machine's own, rounded once each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "types/dtype.h"
#include "types/float_format.h"
#include "types/math_fn.h"
#include "types/op.h"

namespace tl {

/// A value of a scalar type (one lane; not void), always in canonical form: integers wrapped to their width, bool 0 or
/// 1, floats rounded to their format. Trivially copyable, 16 bytes.
class Scalar {
 public:
  /// false
  constexpr Scalar() = default;

  static Scalar boolean(bool value);
  /// Of any scalar type: wraps to an integer type, is rounded to a float type, `!= 0` for bool.
  static Scalar of_int(DType t, int64_t value);
  static Scalar of_uint(DType t, uint64_t value);
  /// Rounds to a float type; to other types it converts as `cast` does.
  static Scalar of_float(DType t, double value);
  /// From the pattern in memory (the low `t.bits()` bits; those above are ignored; bool is `!= 0`).
  static Scalar of_bits(DType t, uint64_t bits);
  static Scalar zero(DType t) { return of_int(t, 0); }
  static Scalar one(DType t) { return of_int(t, 1); }

  constexpr DType dtype() const { return dtype_; }

  /// Value of a bool, integer or handle (two's complement of an unsigned value above INT64_MAX).
  constexpr int64_t as_int() const { return static_cast<int64_t>(raw_); }
  /// Value of a bool, unsigned integer or handle; sign-extended two's complement of a negative one.
  constexpr uint64_t as_uint() const { return raw_; }
  /// Exact value of a float of any format. Precondition: `dtype().is_floating()`.
  double as_float() const;
  /// Any type's value as a double, rounded to nearest for integers beyond 2^53.
  double to_double() const;
  /// Whether the value is not zero (NaN is not zero).
  bool truthy() const;
  bool is_nan() const;
  /// Pattern in memory, zero-extended from `dtype().bits()` bits.
  uint64_t to_bits() const;

  /// Same type and same pattern: 0.0 and -0.0 differ, a NaN equals itself. (`apply(kEq)` compares as the language
  /// does.)
  constexpr bool operator==(const Scalar&) const = default;

  /// Shortest text that `parse_scalar` reads back as this value: "-3", "true", "0.1", "2.0", "1e-30", "-inf", "nan"; a
  /// NaN other than the quiet positive one shows its pattern: "nan(0xffc00000)".
  std::string text() const;

 private:
  constexpr Scalar(DType t, uint64_t raw) : dtype_(t), raw_(raw) {}

  DType dtype_ = DType::boolean();
  uint64_t raw_ = 0;  ///< integers sign- or zero-extended to 64 bits; floats as the bits of a double
};

/// Reads a literal of a scalar type: what `Scalar::text` writes, and any decimal integer or float. Out-of-range
/// integers, a fraction for an integer type and trailing text give nullopt; floats are rounded to their format.
std::optional<Scalar> parse_scalar(DType t, std::string_view text);

/// Converts to another scalar type.
///  - integer to integer wraps (two's complement); from bool gives 0 or 1; to bool is `!= 0` (true for NaN).
///  - float to integer truncates towards zero and saturates at the target's bounds; NaN gives 0.
///  - to float rounds once to nearest, ties to even, from the exact source value (also from 64-bit integers); NaN
///    becomes the target's quiet NaN of that sign; `overflow` says what becomes of values beyond the format (see
///    encode_float).
///  - a handle converts from and to integers as a uint64 does.
Scalar cast(Scalar value, DType to, Overflow overflow = Overflow::kFormat);

/// Applies an operator.
///  - Integers wrap at their width: so does -INT_MIN, abs(INT_MIN) and INT_MIN // -1.
///  - x // 0 and x % 0 are 0 for integers, for the floor and the truncating forms: no target traps.
///  - A shift count that is negative or not below the width shifts everything out: 0, or the sign for a signed kShr.
///  - float64 and float32 operators are IEEE 754; narrower floats compute in float32 and round once to their format.
///  - kMin and kMax of floats are IEEE 754-2019 minimum and maximum: NaN if either operand is NaN, -0 below +0; the
///    order of the operands never matters. (torch.minimum, torch.maximum.)
///  - kFloorDiv and kFloorMod of floats follow Python and NumPy; x // 0 is x / 0 and x % 0 is NaN. kTruncDiv is
///    trunc(x / y), kTruncMod is fmod.
///  - kNeg and kAbs of floats change the sign bit only, NaN included. Every other NaN result is the quiet positive NaN,
///    or what `encode_float` makes of it where the format has none.
///  - Comparisons with NaN are false, except kNe. Comparisons give bool.
///  - kMin, kMax, kBitAnd, kBitOr, kBitXor, kBitNot and comparisons also work on bool (false < true).
/// Both operands have the same type. Throws std::invalid_argument if they differ or `accepts(op, type)` is false.
Scalar apply(UnaryOp op, Scalar x);
Scalar apply(BinaryOp op, Scalar x, Scalar y);

/// Applies an elementary function. The result is computed from the exact arguments with at least double precision
/// (extended precision for float64) and rounded once to the operand's type. ceil, copysign, floor, fma, fmod, ldexp,
/// nearbyint, nextafter (the neighbour in the operand's own format), round, sqrt and trunc are exact or correctly
/// rounded.
///  - round and nearbyint: ties to even. sigmoid(x) = 1 / (1 + exp(-x)). rsqrt(x) = 1 / sqrt(x).
///  - ceil, floor, round, nearbyint, trunc of an integer are the integer; isnan, isinf are false, isfinite is true.
///  - ldexp(x, n) takes n of any integer type.
///  - copysign copies the sign bit, of NaN too. Every other NaN result is the quiet positive NaN.
///  - isfinite, isinf, isnan give bool; clz and ffs give int32; the rest give the first argument's type.
/// Throws std::invalid_argument for a wrong number or type of arguments.
Scalar apply_math(MathFn fn, std::span<const Scalar> args);

}  // namespace tl

template <>
struct std::hash<tl::Scalar> {
  std::size_t operator()(const tl::Scalar& s) const noexcept {
    return std::hash<uint64_t>{}(s.as_uint() * 0x9E3779B97F4A7C15u ^ s.dtype().code());
  }
};
