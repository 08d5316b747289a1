#pragma once

#include <set>
#include <string>
#include <string_view>

#include "types/dtype.h"

namespace tl {

/// The prelude header that defines a function of generated CUDA code for operands of a dtype (void: any); an unknown
/// name is an internal error.
std::string_view cuda_prelude_header(std::string_view function, DType operand = {});

/// The text of the given prelude headers and of those they include, each once, without comments.
std::string cuda_prelude_text(const std::set<std::string>& headers);

}  // namespace tl
