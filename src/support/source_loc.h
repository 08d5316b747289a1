#pragma once

#include <string>

#include "support/ref.h"

namespace tl {

struct LocNode;

/// A place in the user's source. Null where there is none (ops made by tests, or parsed without positions).
using Loc = Ref<const LocNode>;

/// Lines and columns count from 1; `end_column` is one past the last marked character on `line`.
struct LocNode : RefCounted {
  std::string file;
  int line = 0;
  int column = 0;
  int end_column = 0;
  /// Name of the inlined macro that this line belongs to, empty in the kernel's own body.
  std::string macro;
  /// Where that macro was called, null in the kernel's own body.
  Loc caller;
};

Loc make_loc(std::string file, int line, int column = 0, int end_column = 0, std::string macro = {}, Loc caller = {});

/// `file:line:column`, or `<unknown>`.
std::string to_string(const Loc& loc);

}  // namespace tl
