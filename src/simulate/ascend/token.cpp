#include "simulate/ascend/token.h"

#include <cctype>

namespace tl::simulate::ascend {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// One past the closing quote of the literal that starts at `i`.
size_t end_of_literal(std::string_view text, size_t i) {
  const char quote = text[i++];
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i < text.size() ? i + 1 : text.size();
}

size_t end_of_number(std::string_view text, size_t i) {
  while (i < text.size() && (in_word(text[i]) || text[i] == '.' || text[i] == '\'' ||
                             ((text[i] == '+' || text[i] == '-') &&
                              std::string_view("eEpP").find(text[i - 1]) != std::string_view::npos))) {
    ++i;
  }
  return i;
}

size_t end_of_comment(std::string_view text, size_t i) {
  const bool line = text[i + 1] == '/';
  const size_t end = line ? text.find('\n', i) : text.find("*/", i + 2);
  if (end == std::string_view::npos) return text.size();
  return line ? end : end + 2;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    size_t end = i + 1;
    TokenKind kind = TokenKind::kOther;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      kind = TokenKind::kSpace;
    } else if (c == '/' && (next == '/' || next == '*')) {
      kind = TokenKind::kSpace;
      end = end_of_comment(text, i);
    } else if (starts_word(c)) {
      kind = TokenKind::kWord;
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      end = end_of_number(text, i + 1);
    } else if (c == '"' || c == '\'') {
      end = end_of_literal(text, i);
    }
    out.push_back({kind, text.substr(i, end - i)});
    i = end;
  }
  return out;
}

}  // namespace tl::simulate::ascend
