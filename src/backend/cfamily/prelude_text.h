// The prelude of generated programs: headers embedded in the library, of which a program carries those it uses.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_file.h"
#include "types/dtype.h"

namespace tl {

/// The header that defines a function of the prelude.
struct PreludeRow {
  std::string_view function, header;
};

using PreludeRows = std::span<const PreludeRow>;

/// The arithmetic that every machine has; rounding and exact functions of floats; reductions over threads.
PreludeRows arithmetic_rows();
PreludeRows rounding_rows();
PreludeRows reduction_rows();

/// The header of a function for operands of a dtype (void: any), by the first table that has it; nothing for an unknown
/// name. Integer operators have their forms for floats in "float_division.h".
std::optional<std::string_view> find_prelude_header(const std::vector<PreludeRows>& tables, std::string_view function,
                                                    DType operand);
/// The same; an unknown name is an internal error.
std::string_view prelude_header(const std::vector<PreludeRows>& tables, std::string_view function, DType operand);

/// The text of the given headers and of those they include, each once, without comments: a machine's own, and those
/// that all share. What they define is in the namespace `space`.
std::string prelude_text(std::span<const TextFile> own, const std::set<std::string>& headers,
                         std::string_view space = "tlp");

}  // namespace tl
