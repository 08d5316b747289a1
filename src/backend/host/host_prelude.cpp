#include "backend/host/host_prelude.h"

#include "backend/cfamily/prelude_text.h"
#include "embedded/host_prelude.h"

namespace tl {
namespace {

// A test holds every row against the headers' texts.
constexpr PreludeRow kFunctions[] = {
    {"abs", "minmax.h"},
    {"min", "minmax.h"},
    {"max", "minmax.h"},
    {"cast", "cast.h"},
    {"floor_div", "integer.h"},
    {"floor_mod", "integer.h"},
    {"trunc_div", "integer.h"},
    {"trunc_mod", "integer.h"},
    {"shift_left", "integer.h"},
    {"shift_right", "integer.h"},
    {"popcount", "integer.h"},
    {"clz", "integer.h"},
    {"ffs", "integer.h"},
    {"erf", "math_erf.h"},
    {"exp", "math_exp.h"},
    {"exp2", "math_exp.h"},
    {"exp10", "math_exp.h"},
    {"sigmoid", "math_exp.h"},
    {"sinh", "math_hyperbolic.h"},
    {"cosh", "math_hyperbolic.h"},
    {"tanh", "math_hyperbolic.h"},
    {"asinh", "math_hyperbolic.h"},
    {"acosh", "math_hyperbolic.h"},
    {"atanh", "math_hyperbolic.h"},
    {"asin", "math_inverse_trig.h"},
    {"acos", "math_inverse_trig.h"},
    {"atan", "math_inverse_trig.h"},
    {"atan2", "math_inverse_trig.h"},
    {"log", "math_log.h"},
    {"log2", "math_log.h"},
    {"log10", "math_log.h"},
    {"log1p", "math_log.h"},
    {"pow", "math_pow.h"},
    {"floor", "math_round.h"},
    {"ceil", "math_round.h"},
    {"trunc", "math_round.h"},
    {"round", "math_round.h"},
    {"nearbyint", "math_round.h"},
    {"isnan", "math_round.h"},
    {"isinf", "math_round.h"},
    {"isfinite", "math_round.h"},
    {"copysign", "math_round.h"},
    {"nextafter", "math_round.h"},
    {"ldexp", "math_round.h"},
    {"sqrt", "math_round.h"},
    {"rsqrt", "math_round.h"},
    {"hypot", "math_round.h"},
    {"fmod", "math_round.h"},
    {"fma", "math_round.h"},
    {"sin", "math_trig.h"},
    {"cos", "math_trig.h"},
    {"tan", "math_trig.h"},
    {"gemm", "gemm.h"},
    {"reduce_row", "reduce.h"},
    {"stream_map", "copy.h"},
    {"stream_fence", "copy.h"},
    {"signed_value", "context.h"},
    {"unsigned_value", "context.h"},
    {"float_value", "context.h"},
    {"bool_value", "context.h"},
};

}  // namespace

std::string_view host_prelude_header(std::string_view function, DType operand) {
  return prelude_header(kFunctions, function, operand);
}

std::string host_prelude_text(const std::set<std::string>& headers) {
  return prelude_text(embedded::host_prelude::files, headers);
}

}  // namespace tl
