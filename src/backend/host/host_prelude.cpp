#include "backend/host/host_prelude.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "embedded/host_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

struct FunctionRow {
  std::string_view function, header;
};

// A test holds every row against the headers' texts.
constexpr FunctionRow kFunctions[] = {
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

std::string_view text_of(std::string_view header) {
  const auto files = embedded::host_prelude::files;
  const auto file = std::find_if(files.begin(), files.end(), [&](const TextFile& f) { return f.name == header; });
  TL_CHECK(file != files.end(), "no prelude header " + std::string(header));
  return file->text;
}

bool starts_with(std::string_view line, std::string_view prefix) { return line.substr(0, prefix.size()) == prefix; }

}  // namespace

std::string_view host_prelude_header(std::string_view function, DType operand) {
  const auto row = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                [&](const FunctionRow& r) { return r.function == function; });
  TL_CHECK(row != std::end(kFunctions), "no prelude function " + std::string(function));
  const bool divides_floats =
      operand.is_floating() && (function.substr(0, 6) == "floor_" || function.substr(0, 6) == "trunc_");
  return divides_floats ? "float_division.h" : row->header;
}

std::string host_prelude_text(const std::set<std::string>& headers) {
  std::string out;
  std::set<std::string> done;
  const std::function<void(const std::string&)> add = [&](const std::string& header) {
    if (!done.insert(header).second) return;
    std::string_view text = text_of(header);
    std::string body;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::string_view content = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      constexpr std::string_view kInclude = "#include \"";
      if (starts_with(content, kInclude)) {
        add(std::string(content.substr(kInclude.size(), content.rfind('"') - kInclude.size())));
      } else if (!content.empty() && !starts_with(content, "//") && !starts_with(content, "#pragma once")) {
        body += std::string(line) + "\n";
      }
    }
    out += "// ---- " + header + "\n" + body;
  };
  for (const std::string& header : headers) add(header);
  return out;
}

}  // namespace tl
