#include "simulate/ascend/report_book.h"

#include <fmt/format.h>

#include "simulate/ascend/host_text.h"

namespace tl::simulate::ascend {

bool ReportBook::wants(int code, int line, int other_line, int kind) {
  const auto [it, is_new] = known_.try_emplace({code, line, other_line, kind}, -1);
  if (is_new && static_cast<int64_t>(findings_.size()) < limit_) {
    it->second = static_cast<int64_t>(findings_.size());
    return true;
  }
  if (it->second < 0) {
    ++dropped_;
  } else {
    ++findings_[static_cast<size_t>(it->second)].count;
  }
  return false;
}

void ReportBook::add(int code, int line, std::string message, int other_line, std::string note, std::string help) {
  Finding finding;
  finding.diagnostic.code = diagnostic_code(code).number;
  finding.diagnostic.loc = place(line);
  finding.diagnostic.message = std::move(message);
  finding.diagnostic.help = std::move(help);
  if (!note.empty()) finding.diagnostic.notes.push_back({std::move(note), place(other_line)});
  findings_.push_back(std::move(finding));
}

Loc ReportBook::place(int line) const {
  for (size_t i = program_.headers().size(); i-- > 0;) {
    const int first = first_line_of_header(i);
    if (line >= first) return make_loc(program_.headers()[i], line - first + 1);
  }
  return line > 0 ? make_loc(program_.file(), line) : Loc();
}

std::string ReportBook::name_of_line(int line) const {
  const Loc loc = place(line);
  if (!loc) return "the end of the kernel";
  return loc->file == program_.file() ? fmt::format("line {}", loc->line) : fmt::format("{}:{}", loc->file, loc->line);
}

}  // namespace tl::simulate::ascend
