#include "ir/line_table.h"

#include <fmt/format.h>

#include <cstdlib>

#include "ir/walk.h"

namespace tl {
namespace {

std::string key_of(const Loc& loc) { return fmt::format("{}:{}", loc->file, loc->line); }

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

LineTable::LineTable(const Function& function) {
  visit_ops(function.body, [&](const Op& op) { add(op.loc); });
}

void LineTable::add(const Loc& loc) {
  if (!loc) return;
  if (numbers_.emplace(key_of(loc), static_cast<int>(lines_.size())).second) lines_.push_back(loc);
}

int LineTable::number_of(const Loc& loc) const {
  if (!loc) return -1;
  const auto it = numbers_.find(key_of(loc));
  return it == numbers_.end() ? -1 : it->second;
}

std::string with_user_lines(const std::string& source, const std::vector<Loc>& lines, const SourceReader& read) {
  std::string out;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    at = end + 1;
    const size_t marker = line.find("//@");
    const bool whole_line = marker != std::string::npos && line.find_first_not_of(' ') == marker;
    if (!whole_line) {
      out += line + "\n";
      continue;
    }
    const size_t number = std::strtoul(line.c_str() + marker + 3, nullptr, 10);
    if (number >= lines.size()) continue;
    const Loc& loc = lines[number];
    const std::string text = read ? trimmed(read(loc->file, loc->line)) : std::string();
    out += fmt::format("{}// {}:{}{}\n", line.substr(0, marker), base_name(loc->file), loc->line,
                       text.empty() ? "" : "  " + text);
  }
  return out;
}

}  // namespace tl
