// The prelude of generated programs: headers embedded in the library, of which a program carries those it uses.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "support/text_file.h"
#include "types/dtype.h"

namespace tl {

/// The header that defines a function of the prelude.
struct PreludeRow {
  std::string_view function, header;
};

/// The header of a function for operands of a dtype (void: any): by a machine's rows, and by those of the arithmetic
/// that every machine has; nothing for an unknown name. Integer operators have their forms for floats in
/// "float_division.h".
std::optional<std::string_view> find_prelude_header(std::span<const PreludeRow> rows, std::string_view function,
                                                    DType operand);
/// The same; an unknown name is an internal error.
std::string_view prelude_header(std::span<const PreludeRow> rows, std::string_view function, DType operand);

/// The rows of the arithmetic that every machine has.
std::span<const PreludeRow> arithmetic_rows();

/// The text of the given headers and of those they include, each once, without comments: a machine's own, and those
/// that all share. What they define is in the namespace `space`.
std::string prelude_text(std::span<const TextFile> own, const std::set<std::string>& headers,
                         std::string_view space = "tlp");

}  // namespace tl
