#include "layout/text_cursor.h"

#include <fmt/format.h>

#include <charconv>

namespace tl {

void TextCursor::skip_spaces() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
}

bool TextCursor::next_is(std::string_view token) {
  skip_spaces();
  return text_.substr(position_).starts_with(token);
}

bool TextCursor::eat(std::string_view token) {
  if (!next_is(token)) return false;
  position_ += token.size();
  return true;
}

std::optional<int64_t> TextCursor::integer() {
  skip_spaces();
  int64_t value = 0;
  const char* begin = text_.data() + position_;
  auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (status != std::errc{}) return std::nullopt;
  position_ += static_cast<size_t>(end - begin);
  return value;
}

bool TextCursor::at_end() {
  skip_spaces();
  return position_ == text_.size();
}

LayoutError TextCursor::expected(std::string_view what) const {
  return {fmt::format("expected {} at column {} of '{}'", what, position_ + 1, text_)};
}

}  // namespace tl
