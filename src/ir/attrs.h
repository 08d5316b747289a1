#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include <cstdint>

namespace tl {

/// Plain data attached by name: what the user asked for and the compiler has no field for.
using AttrValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;
using Attrs = std::map<std::string, AttrValue>;

/// The attribute of that name, which has type T where it is there.
template <class T>
T hint(const Attrs& hints, const char* key, T otherwise) {
  const auto it = hints.find(key);
  return it == hints.end() ? otherwise : std::get<T>(it->second);
}

}  // namespace tl
