#pragma once

#include <string_view>
#include <vector>

namespace tl::simulate::ascend {

enum class TokenKind { kSpace, kWord, kOther };

/// A piece of C++ text; pieces joined give the text back. Comments and line ends count as space, literals as other.
struct Token {
  TokenKind kind;
  std::string_view text;
};

std::vector<Token> tokens_of(std::string_view text);

}  // namespace tl::simulate::ascend
