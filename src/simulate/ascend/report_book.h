#pragma once

// Findings of a run: one for each code, line and other line, with a count.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simulate/ascend/ascend_simulator.h"

namespace tl::simulate::ascend {

class ReportBook {
 public:
  ReportBook(const Program& program, int64_t limit) : program_(program), limit_(limit) {}

  /// Whether this is new and its text is wanted: then `add` follows.
  bool wants(int code, int line, int other_line, int kind = 0);
  /// A note is at the other line, where it is not 0.
  void add(int code, int line, std::string message, int other_line = 0, std::string note = {}, std::string help = {});

  Loc place(int line) const;
  /// `line 12`, or the header's name and its line.
  std::string name_of_line(int line) const;
  std::vector<Finding> take() { return std::move(findings_); }
  int64_t dropped() const { return dropped_; }

 private:
  const Program& program_;
  int64_t limit_;
  int64_t dropped_ = 0;
  std::vector<Finding> findings_;
  std::map<std::tuple<int, int, int, int>, int64_t> known_;
};

}  // namespace tl::simulate::ascend
