#pragma once

// Words of messages: how shapes, buffers and regions are named to the user.

#include <string>
#include <vector>

#include "ir/buffer.h"
#include "support/diagnostic.h"

namespace tl {

/// "(128, 32)", "(n,)", "()".
std::string shape_text(const std::vector<Expr>& shape);
/// "`A_shared`, shared float16 (128, 32)".
std::string buffer_text(const BufferNode& buffer);
/// As the user slices: "S[6:12, 0:32]", "A[i, 0:64]".
std::string region_text(const Region& region);

/// Adds a note that says what `buffer` is and where it was declared.
Diagnostic& with_declaration(Diagnostic& diagnostic, const Buffer& buffer);

/// "1 index", "2 indices".
std::string counted(size_t count, const char* singular, const char* plural);

}  // namespace tl
