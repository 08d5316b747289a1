#include "backend/ascend/ascend_prelude.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cfamily/prelude_text.h"
#include "embedded/ascend_prelude.h"
#include "ir/intrinsics.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr PreludeRow kFunctions[] = {
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

// What programs use of Ascend C and of the prelude, beside its functions.
constexpr const char* kReserved[] = {
    "block_idx", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half",    "bfloat16_t",   "i8",
    "i16",       "i32",       "i64",      "u8",       "u16",     "u32",      "u64",     "f16",          "bf16",
    "infinity",  "cce",       "limits",   "event_t",  "int8_t",  "int16_t",  "int32_t", "not_a_number", "int64_t",
    "uint8_t",   "uint16_t",  "uint32_t", "uint64_t", "size_t",  "modular"};

[[noreturn]] void refuse(std::string_view function, const char* where) {
  throw CompileError(
      Diagnostic{Severity::kError, 90, fmt::format("`{}` is not available {}", function, where), {}, {}, {}});
}

}  // namespace

std::string_view ascend_prelude_header(std::string_view function, DType operand) {
  const auto header = find_prelude_header(kFunctions, function, operand);
  if (!header || operand.is_float(64)) refuse(function, "on Ascend targets");
  return *header;
}

std::string_view ascend_core_header(std::string_view function, DType operand) {
  const auto row = std::find_if(std::begin(kCoreFunctions), std::end(kCoreFunctions),
                                [&](const PreludeRow& r) { return r.function == function; });
  if (row == std::end(kCoreFunctions) || operand.is_floating()) refuse(function, "outside of T.SimtVF");
  return row->header;
}

void reserve_ascend_names(CNames& names) {
  for (const Intrinsic& row : all_intrinsics()) names.reserve(std::string(row.name));
  for (const char* name : kReserved) names.reserve(name);
  for (const std::span<const PreludeRow> rows : {std::span<const PreludeRow>(kFunctions), arithmetic_rows()}) {
    for (const PreludeRow& row : rows) names.reserve(std::string(row.function));
  }
}

std::string ascend_prelude_text(const std::set<std::string>& headers) {
  const std::string own = headers.empty() ? "" : prelude_text(embedded::ascend_prelude::files, headers);
  return "#include \"c_api/asc_simd.h\"\n#include \"simt_api/asc_simt.h\"\n" + own;
}

}  // namespace tl
