#include "backend/cuda/cuda_prelude.h"

#include "backend/cfamily/prelude_text.h"
#include "embedded/cuda_prelude.h"

namespace tl {
namespace {

// A test holds every row against the headers' texts.
constexpr PreludeRow kFunctions[] = {
    {"exp", "exponential.h"},
    {"exp2", "exponential.h"},
    {"exp10", "exponential.h"},
    {"log", "exponential.h"},
    {"log2", "exponential.h"},
    {"log10", "exponential.h"},
    {"log1p", "exponential.h"},
    {"sin", "trigonometric.h"},
    {"cos", "trigonometric.h"},
    {"tan", "trigonometric.h"},
    {"asin", "trigonometric.h"},
    {"acos", "trigonometric.h"},
    {"atan", "trigonometric.h"},
    {"atan2", "trigonometric.h"},
    {"sinh", "trigonometric.h"},
    {"cosh", "trigonometric.h"},
    {"tanh", "trigonometric.h"},
    {"asinh", "trigonometric.h"},
    {"acosh", "trigonometric.h"},
    {"atanh", "trigonometric.h"},
    {"erf", "power.h"},
    {"pow", "power.h"},
    {"hypot", "power.h"},
    {"rsqrt", "power.h"},
    {"sigmoid", "exponential.h"},
    {"floor", "round.h"},
    {"ceil", "round.h"},
    {"trunc", "round.h"},
    {"round", "round.h"},
    {"nearbyint", "round.h"},
    {"isnan", "round.h"},
    {"isinf", "round.h"},
    {"isfinite", "round.h"},
    {"copysign", "round.h"},
    {"nextafter", "round.h"},
    {"ldexp", "scale.h"},
    {"fma", "round.h"},
    {"sqrt", "round.h"},
    {"fmod", "round.h"},
    {"copy", "vector.h"},
    {"thread_reduce", "reduce.h"},
    {"sum_of", "reduce.h"},
    {"abssum_of", "reduce.h"},
    {"bitand_of", "reduce.h"},
    {"bitor_of", "reduce.h"},
    {"bitxor_of", "reduce.h"},
    {"max_of", "reduce_minmax.h"},
    {"min_of", "reduce_minmax.h"},
    {"absmax_of", "reduce_minmax.h"},
    {"printf", "print.h"},
    {"copy_async", "async.h"},
    {"commit_async", "async.h"},
    {"wait_async", "async.h"},
    {"divide_all", "divide_all.h"},
    {"grid_barrier", "grid.h"},
};

}  // namespace

std::string_view cuda_prelude_header(std::string_view function, DType operand) {
  return prelude_header(kFunctions, function, operand);
}

std::string cuda_prelude_text(const std::set<std::string>& headers) {
  return prelude_text(embedded::cuda_prelude::files, headers);
}

}  // namespace tl
