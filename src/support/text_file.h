#pragma once

#include <string_view>

namespace tl {

/// A file whose text was put into the program at build time: its name without folders, and its whole text.
struct TextFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace tl
