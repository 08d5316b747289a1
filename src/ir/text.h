#pragma once

// The text form of the IR (specified in docs/text-ir.md): any stage can be written down, compared, tested and replayed.

#include <memory>
#include <string>
#include <string_view>

#include "ir/function.h"

namespace tl {

struct PrintOptions {
  /// Append `@"file":line:column-end` to every op. Off for comparison and for cache keys.
  bool positions = false;
};

std::string print(const Function& function, PrintOptions options = {});
std::string print(const Op& op, PrintOptions options = {});
std::string print(const Block& block, PrintOptions options = {});
/// Names are the variables' own, not made unique: for messages.
std::string print(const Expr& e);
std::string print(const Region& region);
/// The expression as Python writes it, for the user: `A[i] // 2 > 0.5`.
std::string python_text(const Expr& e);

/// Reads what `print` writes; `#` starts a comment. Throws CompileError TL111 with line and column of the text.
std::unique_ptr<Function> parse_function(std::string_view text, const std::string& file = "<text>");

/// Whether two functions are the same program up to the identity of variables and buffers and up to positions.
bool structural_equal(const Function& a, const Function& b);
/// A hash that agrees with `structural_equal` and is the same in every process and on every machine.
uint64_t structural_hash(const Function& f);

}  // namespace tl
