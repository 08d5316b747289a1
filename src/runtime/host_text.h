#pragma once

#include <span>
#include <string>

#include "runtime/artifact.h"

namespace tl {

/// How a call of the artifact is checked, bound and launched, as text for people: a line for each parameter and symbol,
/// then the host program of each variant.
std::string host_text(const Artifact& artifact);

/// A program as an expression over named slots: "(m + 127) // 128".
std::string infix_text(const IntProgram& program, std::span<const std::string> slot_names);

}  // namespace tl
