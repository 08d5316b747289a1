#pragma once

#include <set>
#include <string>
#include <unordered_map>

namespace tl {

/// C++ identifiers for variables and buffers: the user's names where they are free.
class CNames {
 public:
  CNames();
  /// Keeps `name` from being given to anything.
  void reserve(const std::string& name) { taken_.insert(name); }
  /// The identifier of a node, made from `wanted` at first sight.
  const std::string& of(const void* node, const std::string& wanted);
  /// A new identifier that belongs to no node.
  std::string fresh(const std::string& wanted);

 private:
  std::unordered_map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace tl
