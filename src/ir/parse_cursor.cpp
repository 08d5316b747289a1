#include "ir/parse_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ir/expr_syntax.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number_char(char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E'; }

}  // namespace

void ParseCursor::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

bool ParseCursor::at_end() {
  skip_space();
  return at_ >= text_.size();
}

bool ParseCursor::peek(std::string_view token) {
  skip_space();
  if (rest().substr(0, token.size()) != token) return false;
  const size_t end = at_ + token.size();
  const bool word = is_name_char(token.back());
  return !(word && end < text_.size() && is_name_char(text_[end]));
}

bool ParseCursor::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

void ParseCursor::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected `{}`", token));
}

std::string ParseCursor::peek_word() {
  skip_space();
  size_t end = at_;
  while (end < text_.size() && is_name_char(text_[end])) ++end;
  return std::string(text_.substr(at_, end - at_));
}

std::string ParseCursor::word(std::string_view what) {
  std::string out = peek_word();
  if (out.empty()) fail(fmt::format("expected {}", what));
  at_ += out.size();
  return out;
}

std::string ParseCursor::dotted_word(std::string_view what) {
  std::string out = word(what);
  while (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    out += "." + word(what);
  }
  return out;
}

bool ParseCursor::peek_number() {
  skip_space();
  const std::string_view text = rest();
  const size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  if (text.size() > sign && is_digit(text[sign])) return true;
  const std::string_view name = text.substr(sign, 3);
  return (name == "inf" || name == "nan") && !(text.size() > sign + 3 && is_name_char(text[sign + 3]));
}

std::string ParseCursor::number(std::string_view what) {
  if (!peek_number()) fail(fmt::format("expected {}", what));
  size_t end = at_ + (text_[at_] == '-' ? 1 : 0);
  if (!is_digit(text_[end])) {
    end += 3;
    // nan(0xffc00000): a NaN other than the quiet positive one.
    if (end < text_.size() && text_[end] == '(') end = std::min(text_.find(')', end), text_.size() - 1) + 1;
  } else {
    while (end < text_.size() && (is_number_char(text_[end]) || ((text_[end] == '-' || text_[end] == '+') &&
                                                                 (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
      ++end;
    }
  }
  std::string out(text_.substr(at_, end - at_));
  at_ = end;
  return out;
}

int64_t ParseCursor::integer(std::string_view what) {
  const std::string text = number(what);
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) fail(fmt::format("expected {}", what));
  return value;
}

std::string ParseCursor::quoted() {
  expect("\"");
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      c = text_[at_++];
      if (c == 'n') {
        c = '\n';
      } else if (c == 'x') {
        int code = 0;
        const char* first = text_.data() + at_;
        if (at_ + 2 > text_.size() || std::from_chars(first, first + 2, code, 16).ptr != first + 2)
          fail("bad \\x escape");
        at_ += 2;
        c = static_cast<char>(code);
      }
    }
    out += c;
  }
  if (at_ >= text_.size()) fail("string without end");
  ++at_;
  return out;
}

void ParseCursor::fail(const std::string& message) {
  skip_space();
  const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
  const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const int column = 1 + static_cast<int>(before.size() - start);
  const std::string found =
      at_ >= text_.size() ? "the end" : fmt::format("`{}`", rest().substr(0, std::min<size_t>(12, rest().find('\n'))));
  throw CompileError(Diagnostic{Severity::kError,
                                111,
                                fmt::format("text IR: {}, found {}", message, found),
                                make_loc(file_, line, column, column + 1),
                                {},
                                {}});
}

}  // namespace tl
