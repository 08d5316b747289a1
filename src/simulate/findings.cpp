#include "simulate/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::simulate {

int64_t Findings::index_of(int code, uint32_t site, const Site& at, const std::function<void(Diagnostic&)>& describe) {
  std::string line = at.loc ? fmt::format("{}:{}", at.loc->file, at.loc->line) : fmt::format("place {}", site);
  const auto [place, is_new] = by_line_.try_emplace({code, std::move(line), at.buffer}, kDropped);
  if (!is_new) return place->second;
  if (static_cast<int64_t>(findings_.size()) >= limit_) return kDropped;
  diagnostic_code(code);
  Finding finding;
  finding.diagnostic.code = code;
  finding.diagnostic.loc = at.loc;
  describe(finding.diagnostic);
  if (at.buffer != nullptr && at.buffer->loc) {
    finding.diagnostic.notes.push_back({fmt::format("`{}` is declared here", at.buffer->name), at.buffer->loc});
  }
  finding.count = 0;
  findings_.push_back(std::move(finding));
  return place->second = static_cast<int64_t>(findings_.size()) - 1;
}

void Findings::report(int code, uint32_t site, uint32_t other, const Site& at,
                      const std::function<void(Diagnostic&)>& describe) {
  const auto [known, is_new] = by_site_.try_emplace({code, site, other}, kDropped);
  if (is_new) known->second = index_of(code, site, at, describe);
  if (known->second == kDropped) {
    ++dropped_;
  } else {
    ++findings_[static_cast<size_t>(known->second)].count;
  }
}

}  // namespace tl::simulate

namespace tl {

bool RunReport::has_errors() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.diagnostic.severity == Severity::kError; });
}

std::vector<Diagnostic> RunFindings::diagnostics() const {
  std::vector<Diagnostic> out;
  for (const Finding& finding : findings) {
    out.push_back(finding.diagnostic);
    if (finding.count > 1) out.back().notes.push_back({fmt::format("found {} times here", finding.count), {}});
  }
  if (dropped > 0) {
    Diagnostic more;
    more.severity = Severity::kNote;
    more.message = fmt::format("{} findings at further places are not shown", dropped);
    out.push_back(std::move(more));
  }
  return out;
}

}  // namespace tl
