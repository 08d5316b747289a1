#pragma once

#include <set>
#include <string>
#include <string_view>

#include "backend/cfamily/c_names.h"
#include "types/dtype.h"

namespace tl {

/// The header of the Ascend prelude that defines a function for operands of a dtype (void: any). Throws CompileError
/// TL090 for what functions of threads do not have.
std::string_view ascend_prelude_header(std::string_view function, DType operand);

/// The same for the program of a core, whose scalar unit computes integers and float32.
std::string_view ascend_core_header(std::string_view function, DType operand);

/// Keeps what generated programs use themselves from being given to the user's variables.
void reserve_ascend_names(CNames& names);

/// The text that a program begins with: what it includes of the machine's, and the given headers, those for functions
/// of threads in the namespace tlp, those for the programs of cores in tlp::core.
std::string ascend_prelude_text(const std::set<std::string>& headers, const std::set<std::string>& core_headers);

}  // namespace tl
