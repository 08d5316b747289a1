#include "backend/ascend/ascend_prelude.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cfamily/prelude_text.h"
#include "embedded/ascend_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

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
    {"exp", "math.h"},
    {"exp2", "math.h"},
    {"exp10", "math.h"},
    {"log", "math.h"},
    {"log2", "math.h"},
    {"log10", "math.h"},
    {"log1p", "math.h"},
    {"sin", "math.h"},
    {"cos", "math.h"},
    {"tan", "math.h"},
    {"asin", "math.h"},
    {"acos", "math.h"},
    {"atan", "math.h"},
    {"sinh", "math.h"},
    {"cosh", "math.h"},
    {"tanh", "math.h"},
    {"erf", "math.h"},
    {"sqrt", "math.h"},
    {"rsqrt", "math.h"},
    {"sigmoid", "math.h"},
    {"floor", "math.h"},
    {"ceil", "math.h"},
    {"trunc", "math.h"},
    {"round", "math.h"},
    {"nearbyint", "math.h"},
    {"pow", "math.h"},
    {"isnan", "math.h"},
    {"isinf", "math.h"},
    {"isfinite", "math.h"},
    {"thread_reduce", "reduce.h"},
    {"sum_of", "reduce.h"},
    {"abssum_of", "reduce.h"},
    {"bitand_of", "reduce.h"},
    {"bitor_of", "reduce.h"},
    {"bitxor_of", "reduce.h"},
    {"max_of", "reduce_minmax.h"},
    {"min_of", "reduce_minmax.h"},
    {"absmax_of", "reduce_minmax.h"},
    {"assert", "assert.h"},
};

constexpr PreludeRow kCoreFunctions[] = {
    {"min", "core.h"},       {"max", "core.h"},       {"floor_div", "core.h"}, {"floor_mod", "core.h"},
    {"trunc_div", "core.h"}, {"trunc_mod", "core.h"}, {"assert", "assert.h"},
};

std::string_view header_of(std::span<const PreludeRow> rows, std::string_view function, bool refused,
                           const char* where) {
  const bool known =
      std::any_of(rows.begin(), rows.end(), [&](const PreludeRow& row) { return row.function == function; });
  if (known && !refused) return prelude_header(rows, function, DType());
  throw CompileError(
      Diagnostic{Severity::kError, 90, fmt::format("`{}` is not available {}", function, where), {}, {}, {}});
}

}  // namespace

std::string_view ascend_prelude_header(std::string_view function, DType operand) {
  return header_of(kFunctions, function, operand.is_float(64), "on Ascend targets");
}

std::string_view ascend_core_header(std::string_view function, DType operand) {
  return header_of(kCoreFunctions, function, operand.is_floating(), "outside of T.SimtVF");
}

std::string ascend_prelude_text(const std::set<std::string>& headers) {
  const std::string own = headers.empty() ? "" : prelude_text(embedded::ascend_prelude::files, headers);
  return "#include \"c_api/asc_simd.h\"\n#include \"simt_api/asc_simt.h\"\n" + own;
}

}  // namespace tl
