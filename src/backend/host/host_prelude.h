#pragma once

#include <set>
#include <string>
#include <string_view>

#include "types/dtype.h"

namespace tl {

/// The prelude header that defines a function of generated host code for operands of a dtype (void: any); an unknown
/// name is an internal error.
std::string_view host_prelude_header(std::string_view function, DType operand = {});

/// The text of the given prelude headers and of those they include, each once, without comments.
std::string host_prelude_text(const std::set<std::string>& headers);

}  // namespace tl
