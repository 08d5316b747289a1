#include "backend/cuda/cuda_prelude.h"

#include "backend/cfamily/prelude_text.h"
#include "embedded/cuda_prelude.h"

namespace tl {
namespace {

// A test holds every row against the headers' texts.
constexpr PreludeRow kFunctions[] = {
    {"exp", "exponential.h"},     {"exp2", "exponential.h"},    {"exp10", "exponential.h"},
    {"log", "exponential.h"},     {"log2", "exponential.h"},    {"log10", "exponential.h"},
    {"log1p", "exponential.h"},   {"sin", "trigonometric.h"},   {"cos", "trigonometric.h"},
    {"tan", "trigonometric.h"},   {"asin", "trigonometric.h"},  {"acos", "trigonometric.h"},
    {"atan", "trigonometric.h"},  {"atan2", "trigonometric.h"}, {"sinh", "trigonometric.h"},
    {"cosh", "trigonometric.h"},  {"tanh", "trigonometric.h"},  {"asinh", "trigonometric.h"},
    {"acosh", "trigonometric.h"}, {"atanh", "trigonometric.h"}, {"erf", "power.h"},
    {"pow", "power.h"},           {"hypot", "power.h"},         {"rsqrt", "power.h"},
    {"sigmoid", "exponential.h"}, {"ldexp", "scale.h"},         {"fma", "round.h"},
    {"copy", "vector.h"},         {"printf", "print.h"},        {"copy_async", "async.h"},
    {"commit_async", "async.h"},  {"wait_async", "async.h"},    {"divide_all", "divide_all.h"},
    {"grid_barrier", "grid.h"},
};

}  // namespace

std::string_view cuda_prelude_header(std::string_view function, DType operand) {
  return prelude_header({kFunctions, rounding_rows(), reduction_rows(), arithmetic_rows()}, function, operand);
}

std::string cuda_prelude_text(const std::set<std::string>& headers) {
  return prelude_text(embedded::cuda_prelude::files, headers);
}

}  // namespace tl
