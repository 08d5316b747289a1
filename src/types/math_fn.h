// Elementary functions: one row of facts each. Their meaning is stated with `apply_math` in types/scalar.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "types/dtype.h"
#include "types/op.h"

namespace tl {

enum class MathFn : uint8_t {
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtan2,
  kAtanh,
  kCeil,
  kCopysign,
  kCos,
  kCosh,
  kErf,
  kExp,
  kExp2,
  kExp10,
  kFloor,
  kFma,
  kFmod,
  kHypot,
  kLdexp,
  kLog,
  kLog1p,
  kLog2,
  kLog10,
  kNearbyint,
  kNextafter,
  kPow,
  kRound,  ///< ties to even
  kRsqrt,
  kSigmoid,
  kSin,
  kSinh,
  kSqrt,
  kTan,
  kTanh,
  kTrunc,
  kIsfinite,
  kIsinf,
  kIsnan,
  kPopcount,
  kClz,  ///< leading zeros at the operand's width; the width for 0
  kFfs,  ///< one plus the index of the lowest set bit; 0 for 0
};

inline constexpr std::size_t kNumMathFns = 42;

/// Type of a function's result.
enum class MathResult : uint8_t { kOperand, kBool, kInt32 };

struct MathFnInfo {
  std::string_view name;  ///< "atan2", as in the language
  uint8_t arity;
  uint8_t operands;  ///< OperandSet of the first argument; the others have its type, but see `kLdexp`
  MathResult result;
  uint8_t max_ulp_f32;     ///< accuracy of the host target, in units in the last place of the result's type,
  uint8_t max_ulp_f64;     ///< against `apply_math`; 0 means equal bit by bit (any NaN equals any NaN)
  uint8_t max_ulp_narrow;  ///< every narrower float, evaluated in float32 and rounded

  constexpr bool float_only() const { return operands == kOnFloat; }
};

const MathFnInfo& math_fn_info(MathFn fn);
inline std::string_view math_fn_name(MathFn fn) { return math_fn_info(fn).name; }
/// Inverse of `math_fn_name`.
std::optional<MathFn> parse_math_fn(std::string_view name);

/// Whether the function's first argument may have this type. The second of `kLdexp` is any integer type.
bool accepts(MathFn fn, DType operand);
/// Type of the result for a first argument of type `operand`, lane by lane.
DType result_dtype(MathFn fn, DType operand);

/// Accuracy promised by the host target for this result type, in ulp; 0 for integers and bool.
int max_ulp(MathFn fn, DType t);

}  // namespace tl
