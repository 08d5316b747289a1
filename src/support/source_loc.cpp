#include "support/source_loc.h"

#include <fmt/format.h>

namespace tl {

Loc make_loc(std::string file, int line, int column, int end_column, std::string macro, Loc caller) {
  auto node = make_ref<LocNode>();
  node->file = std::move(file);
  node->line = line;
  node->column = column;
  node->end_column = end_column;
  node->macro = std::move(macro);
  node->caller = std::move(caller);
  return node;
}

std::string to_string(const Loc& loc) {
  if (!loc) return "<unknown>";
  return loc->column > 0 ? fmt::format("{}:{}:{}", loc->file, loc->line, loc->column)
                         : fmt::format("{}:{}", loc->file, loc->line);
}

}  // namespace tl
