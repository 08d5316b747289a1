#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "simulate/interpreter.h"

namespace tl::simulate {

/// A place of the program that acts: an access, a division, a statement.
struct Site {
  Loc loc;
  /// The buffer an access is to; null otherwise.
  const BufferNode* buffer = nullptr;
};

/// Collects findings, one for each source line, code and buffer.
class Findings {
 public:
  explicit Findings(int64_t limit) : limit_(limit) {}

  /// A finding of `code` at place `site`, with `other` the second place of a conflict (or 0). `describe` fills in the
  /// message and is called for the first of its kind only.
  void report(int code, uint32_t site, uint32_t other, const Site& at,
              const std::function<void(Diagnostic&)>& describe);

  const std::vector<Finding>& all() const { return findings_; }
  int64_t dropped() const { return dropped_; }

 private:
  static constexpr int64_t kDropped = -1;
  int64_t index_of(int code, uint32_t site, const Site& at, const std::function<void(Diagnostic&)>& describe);

  int64_t limit_;
  int64_t dropped_ = 0;
  std::vector<Finding> findings_;
  std::map<std::tuple<int, uint32_t, uint32_t>, int64_t> by_site_;
  std::map<std::tuple<int, std::string, const BufferNode*>, int64_t> by_line_;
};

}  // namespace tl::simulate
