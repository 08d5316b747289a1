#include "types/math_fn.h"

#include <array>

namespace tl {
namespace {

// One row a function, in the order of the enumeration. The bounds allow for the C library's own error (the GNU C
// library documents up to 2 ulp for the hyperbolic functions, 1 for most others) plus the rounding of the reference.
//  name, arity, operands, result, max ulp in float32, float64, narrower floats
constexpr std::array<MathFnInfo, kNumMathFns> kMathFns = {{
    {"acos", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"acosh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"asin", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"asinh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"atan", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"atan2", 2, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"atanh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"ceil", 1, kOnNumber, MathResult::kOperand, 0, 0, 0},
    {"copysign", 2, kOnFloat, MathResult::kOperand, 0, 0, 0},
    {"cos", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"cosh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"erf", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"exp", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"exp2", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"exp10", 1, kOnFloat, MathResult::kOperand, 2, 3, 1},
    {"floor", 1, kOnNumber, MathResult::kOperand, 0, 0, 0},
    {"fma", 3, kOnFloat, MathResult::kOperand, 0, 0, 1},
    {"fmod", 2, kOnFloat, MathResult::kOperand, 0, 0, 0},
    {"hypot", 2, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"ldexp", 2, kOnFloat, MathResult::kOperand, 0, 0, 0},
    {"log", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"log1p", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"log2", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"log10", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"nearbyint", 1, kOnNumber, MathResult::kOperand, 0, 0, 0},
    {"nextafter", 2, kOnFloat, MathResult::kOperand, 0, 0, 0},
    {"pow", 2, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"round", 1, kOnNumber, MathResult::kOperand, 0, 0, 0},
    {"rsqrt", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"sigmoid", 1, kOnFloat, MathResult::kOperand, 4, 4, 1},
    {"sin", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"sinh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"sqrt", 1, kOnFloat, MathResult::kOperand, 0, 0, 0},
    {"tan", 1, kOnFloat, MathResult::kOperand, 2, 2, 1},
    {"tanh", 1, kOnFloat, MathResult::kOperand, 3, 3, 1},
    {"trunc", 1, kOnNumber, MathResult::kOperand, 0, 0, 0},
    {"isfinite", 1, kOnNumber, MathResult::kBool, 0, 0, 0},
    {"isinf", 1, kOnNumber, MathResult::kBool, 0, 0, 0},
    {"isnan", 1, kOnNumber, MathResult::kBool, 0, 0, 0},
    {"popcount", 1, kOnInteger, MathResult::kOperand, 0, 0, 0},
    {"clz", 1, kOnInteger, MathResult::kInt32, 0, 0, 0},
    {"ffs", 1, kOnInteger, MathResult::kInt32, 0, 0, 0},
}};
static_assert(static_cast<std::size_t>(MathFn::kFfs) + 1 == kNumMathFns);

}  // namespace

const MathFnInfo& math_fn_info(MathFn fn) { return kMathFns[static_cast<std::size_t>(fn)]; }

std::optional<MathFn> parse_math_fn(std::string_view name) {
  for (std::size_t i = 0; i < kNumMathFns; ++i) {
    if (kMathFns[i].name == name) return static_cast<MathFn>(i);
  }
  return std::nullopt;
}

bool accepts(MathFn fn, DType operand) { return (math_fn_info(fn).operands & operand_family(operand)) != 0; }

DType result_dtype(MathFn fn, DType operand) {
  switch (math_fn_info(fn).result) {
    case MathResult::kBool:
      return DType::boolean().with_lanes(operand.lanes());
    case MathResult::kInt32:
      return DType::i32().with_lanes(operand.lanes());
    case MathResult::kOperand:
      break;
  }
  return operand;
}

int max_ulp(MathFn fn, DType t) {
  const MathFnInfo& info = math_fn_info(fn);
  if (!t.is_floating()) return 0;
  if (t.is_float(64)) return info.max_ulp_f64;
  return t.is_float(32) ? info.max_ulp_f32 : info.max_ulp_narrow;
}

}  // namespace tl
