#include "backend/cfamily/prelude_text.h"

#include <algorithm>

#include "embedded/cfamily_prelude.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

// What every machine has, in headers of these names: the shared ones or its own.
constexpr PreludeRow kArithmetic[] = {
    {"abs", "minmax.h"},         {"min", "minmax.h"},          {"max", "minmax.h"},        {"cast", "cast.h"},
    {"floor_div", "integer.h"},  {"floor_mod", "integer.h"},   {"trunc_div", "integer.h"}, {"trunc_mod", "integer.h"},
    {"shift_left", "integer.h"}, {"shift_right", "integer.h"}, {"popcount", "integer.h"},  {"clz", "integer.h"},
    {"ffs", "integer.h"},
};

// Functions of headers that a machine may have in a form of its own.
constexpr PreludeRow kRounding[] = {
    {"floor", "round.h"},     {"ceil", "round.h"},      {"trunc", "round.h"}, {"round", "round.h"},
    {"nearbyint", "round.h"}, {"isnan", "round.h"},     {"isinf", "round.h"}, {"isfinite", "round.h"},
    {"copysign", "round.h"},  {"nextafter", "round.h"}, {"sqrt", "round.h"},  {"fmod", "round.h"},
};

constexpr PreludeRow kReductions[] = {
    {"thread_reduce", "reduce.h"}, {"sum_of", "reduce.h"},        {"abssum_of", "reduce.h"},
    {"bitand_of", "reduce.h"},     {"bitor_of", "reduce.h"},      {"bitxor_of", "reduce.h"},
    {"max_of", "reduce_minmax.h"}, {"min_of", "reduce_minmax.h"}, {"absmax_of", "reduce_minmax.h"},
};

class PreludeText {
 public:
  PreludeText(std::span<const TextFile> own, std::string_view space) : own_(own), space_(space) {}

  /// Appends a header behind those it includes.
  void add(const std::string& header) {
    if (!done_.insert(header).second) return;
    std::string_view text = text_of(header);
    std::string body;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      add_line(text.substr(0, end), body);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    out_ += "// ---- " + header + "\n" + body;
  }

  std::string take() { return std::move(out_); }

 private:
  void add_line(std::string_view line, std::string& body) {
    constexpr std::string_view kInclude = "#include \"";
    const std::string_view content = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (content.starts_with(kInclude)) {
      add(std::string(content.substr(kInclude.size(), content.rfind('"') - kInclude.size())));
    } else if (content == "namespace tlp {" || content == "}  // namespace tlp") {
      body += std::string(content.substr(0, content.find("tlp"))) + std::string(space_) +
              (content.starts_with("}") ? "\n" : " {\n");
    } else if (!content.empty() && !content.starts_with("//") && !content.starts_with("#pragma once")) {
      body += std::string(line) + "\n";
    }
  }

  std::string_view text_of(std::string_view header) const {
    for (const std::span<const TextFile> files : {own_, std::span<const TextFile>(embedded::cfamily_prelude::files)}) {
      const auto file = std::find_if(files.begin(), files.end(), [&](const TextFile& f) { return f.name == header; });
      if (file != files.end()) return file->text;
    }
    internal_error(__FILE__, __LINE__, "header", "no prelude header " + std::string(header));
  }

  std::span<const TextFile> own_;
  std::string_view space_;
  std::set<std::string> done_;
  std::string out_;
};

}  // namespace

PreludeRows arithmetic_rows() { return kArithmetic; }
PreludeRows rounding_rows() { return kRounding; }
PreludeRows reduction_rows() { return kReductions; }

std::optional<std::string_view> find_prelude_header(const std::vector<PreludeRows>& tables, std::string_view function,
                                                    DType operand) {
  for (const PreludeRows table : tables) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const PreludeRow& r) { return r.function == function; });
    if (row == table.end()) continue;
    const bool divides_floats =
        operand.is_floating() && (function.starts_with("floor_") || function.starts_with("trunc_"));
    return divides_floats ? "float_division.h" : row->header;
  }
  return std::nullopt;
}

std::string_view prelude_header(const std::vector<PreludeRows>& tables, std::string_view function, DType operand) {
  const auto header = find_prelude_header(tables, function, operand);
  TL_CHECK(header.has_value(), "no prelude function " + std::string(function));
  return *header;
}

std::string prelude_text(std::span<const TextFile> own, const std::set<std::string>& headers, std::string_view space) {
  PreludeText text(own, space);
  for (const std::string& header : headers) text.add(header);
  return text.take();
}

}  // namespace tl
