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

}  // namespace tl
