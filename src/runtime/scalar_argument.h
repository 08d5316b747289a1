// Scalars passed by value.
#pragma once

#include "runtime/arguments.h"

namespace tl {

/// The bits that a kernel takes for a scalar parameter: integers sign- or zero-extended by their type, a float's own
/// pattern in the low bits. bool takes integers (0 or not), integers take bool, floats take both. An integer outside
/// the parameter's range, a float for an integer and everything else throw CompileError 101.
uint64_t scalar_word(const Artifact& artifact, const ParamSpec& param, const Argument& argument);

}  // namespace tl
