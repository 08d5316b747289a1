#pragma once

#include <string>
#include <string_view>

namespace tl {

/// A place in text IR: tokens, and errors that say line and column.
class ParseCursor {
 public:
  ParseCursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// The next token is this punctuation or word; nothing is consumed.
  bool peek(std::string_view token);
  /// Consumes the token if it is next.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  bool at_end();

  /// A run of name characters; empty where there is none.
  std::string peek_word();
  std::string word(std::string_view what);
  /// Word characters with dots, such as `tile.copy`.
  std::string dotted_word(std::string_view what);
  /// Text of a number literal with sign, point and exponent, or inf / nan.
  std::string number(std::string_view what);
  bool peek_number();
  int64_t integer(std::string_view what);
  std::string quoted();

  [[noreturn]] void fail(const std::string& message);

 private:
  void skip_space();
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
};

}  // namespace tl
