#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "layout/checked.h"

namespace tl {

/// A position in the text form of a layout object. Spaces between tokens have no meaning.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  /// Whether `token` comes next.
  bool next_is(std::string_view token);
  /// Steps over `token` if it comes next.
  bool eat(std::string_view token);
  /// The integer that comes next, if one does and it fits.
  std::optional<int64_t> integer();
  bool at_end();
  /// "expected WHAT at column N of 'TEXT'".
  LayoutError expected(std::string_view what) const;

 private:
  void skip_spaces();

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace tl
