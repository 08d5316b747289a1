#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace tl {

/// Numbers the positions of a function's ops in order of first appearance. Generated source refers to lines by these
/// numbers (`//@3`), so that it does not depend on positions: two traces of one program share it, each with its own
/// table.
class LineTable {
 public:
  LineTable() = default;
  explicit LineTable(const Function& function);

  /// -1 for a position that the function did not have.
  int number_of(const Loc& loc) const;
  const std::vector<Loc>& lines() const { return lines_; }

 private:
  void add(const Loc& loc);
  std::unordered_map<std::string, int> numbers_;
  std::vector<Loc> lines_;
};

/// `source` with every marker line `//@n` replaced by a comment with the n-th position and the user's text there.
std::string with_user_lines(const std::string& source, const std::vector<Loc>& lines,
                            const SourceReader& read = file_source_reader());

}  // namespace tl
