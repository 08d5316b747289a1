// The messages of argument checks: fragments of them are part of the interface that programs match on.
#pragma once

#include <string>

#include "runtime/arguments.h"

namespace tl {

/// Throws CompileError: "kernel <k> input <p> <text>" or "kernel <k> scalar <p> <text>".
[[noreturn]] void throw_argument_error(int code, const Artifact& artifact, const ParamSpec& param, std::string text);
[[noreturn]] void throw_wrong_count(const Artifact& artifact, size_t expected, size_t given);
/// Every argument that could give the symbol its value is null.
[[noreturn]] void throw_unbound_symbol(const Artifact& artifact, const SlotBinding& binding);

/// "float", "int", "None", "tensor", or the name of the argument's type.
std::string describe_kind(const Argument& argument);
/// "8", or "8 (m * 2)" for an extent that depends on symbols.
std::string describe_dim(const Dim& dim, int64_t value);

}  // namespace tl
