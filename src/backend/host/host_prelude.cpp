#include "backend/host/host_prelude.h"

#include "backend/cfamily/prelude_text.h"
#include "embedded/host_prelude.h"

namespace tl {
namespace {

// A test holds every row against the headers' texts.
constexpr PreludeRow kFunctions[] = {
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
    {"ldexp", "scale.h"},
    {"rsqrt", "math_root.h"},
    {"hypot", "math_root.h"},
    {"fma", "round.h"},
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
  return prelude_header({kFunctions, rounding_rows(), arithmetic_rows()}, function, operand);
}

std::string host_prelude_text(const std::set<std::string>& headers) {
  return prelude_text(embedded::host_prelude::files, headers);
}

}  // namespace tl
