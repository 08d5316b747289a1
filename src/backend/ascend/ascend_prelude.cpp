#include "backend/ascend/ascend_prelude.h"

#include <fmt/format.h>

#include <vector>

#include "backend/cfamily/prelude_text.h"
#include "embedded/ascend_core_prelude.h"
#include "embedded/ascend_prelude.h"
#include "ir/intrinsics.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr PreludeRow kFunctions[] = {
    {"exp", "math.h"},      {"exp2", "math.h"},     {"exp10", "math.h"},    {"log", "math.h"},
    {"log2", "math.h"},     {"log10", "math.h"},    {"log1p", "math.h"},    {"sin", "math.h"},
    {"cos", "math.h"},      {"tan", "math.h"},      {"asin", "math.h"},     {"acos", "math.h"},
    {"atan", "math.h"},     {"sinh", "math.h"},     {"cosh", "math.h"},     {"tanh", "math.h"},
    {"erf", "math.h"},      {"rsqrt", "math.h"},    {"sigmoid", "math.h"},  {"pow", "math.h"},
    {"asinh", "inverse.h"}, {"acosh", "inverse.h"}, {"atanh", "inverse.h"}, {"atan2", "inverse.h"},
    {"hypot", "inverse.h"}, {"ldexp", "round.h"},   {"assert", "assert.h"}, {"printf", "print.h"},
};

constexpr PreludeRow kCoreFunctions[] = {{"assert", "assert.h"}, {"printf", "print.h"}};

// What programs use of Ascend C and of the prelude, beside its functions.
constexpr const char* kReserved[] = {
    "block_idx", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half",    "bfloat16_t",   "i8",
    "i16",       "i32",       "i64",      "u8",       "u16",     "u32",      "u64",     "f16",          "bf16",
    "infinity",  "cce",       "limits",   "event_t",  "int8_t",  "int16_t",  "int32_t", "not_a_number", "int64_t",
    "uint8_t",   "uint16_t",  "uint32_t", "uint64_t", "size_t",  "modular"};

std::vector<PreludeRows> tables_of_threads() {
  return {kFunctions, rounding_rows(), reduction_rows(), arithmetic_rows()};
}

[[noreturn]] void refuse(std::string_view function, DType operand, std::string_view where, std::string_view help) {
  const std::string of = operand.is_float(64) ? " of float64" : "";
  throw CompileError(Diagnostic{
      Severity::kError, 90, fmt::format("`{}`{} is not available {}", function, of, where), {}, {}, std::string(help)});
}

constexpr std::string_view kInFloat32 = "compute in float32: convert with T.cast(x, \"float32\")";

}  // namespace

std::string_view ascend_prelude_header(std::string_view function, DType operand) {
  const auto header = find_prelude_header(tables_of_threads(), function, operand);
  if (!header || operand.is_float(64)) refuse(function, operand, "on Ascend targets", header ? kInFloat32 : "");
  return *header;
}

std::string_view ascend_core_header(std::string_view function, DType operand) {
  const auto header = find_prelude_header({kCoreFunctions, arithmetic_rows()}, function, operand);
  const bool divides_floats = header == "float_division.h";
  if (header && !divides_floats && !operand.is_float(64)) return *header;
  refuse(function, operand, "outside of T.SimtVF",
         "compute it in T.SimtVF; scalar code of a core has min, max, abs and T.cast, and of integers //, %, shifts, "
         "popcount and clz");
}

void reserve_ascend_names(CNames& names) {
  for (const Intrinsic& row : all_intrinsics()) names.reserve(std::string(row.name));
  for (const char* name : kReserved) names.reserve(name);
  for (const PreludeRows rows : tables_of_threads()) {
    for (const PreludeRow& row : rows) names.reserve(std::string(row.function));
  }
}

std::string ascend_prelude_text(const std::set<std::string>& headers, const std::set<std::string>& core_headers) {
  std::string out = "#include \"c_api/asc_simd.h\"\n#include \"simt_api/asc_simt.h\"\n";
  const std::span<const TextFile> threads = embedded::ascend_prelude::files,
                                  core = embedded::ascend_core_prelude::files;
  out += prelude_text(threads, headers);
  if (core_headers.empty()) return out;
  std::vector<TextFile> own(core.begin(), core.end());
  own.insert(own.end(), threads.begin(), threads.end());
  return out + prelude_text(own, core_headers, "tlp::core");
}

}  // namespace tl
