#pragma once

#include <string>
#include <unordered_map>

#include "ir/buffer.h"
#include "ir/parse_cursor.h"

namespace tl {

/// Reads expressions, regions and definitions; names are looked up among those defined so far.
class ExprParser {
 public:
  explicit ExprParser(ParseCursor& cursor) : cursor_(cursor) {}

  Expr expr() { return infix(0); }
  std::vector<Expr> list();
  Region region();
  Buffer buffer_use();
  Var var_definition();
  /// `%name: space dtype[shape] strides [..]`; `loc` becomes the buffer's position.
  Buffer buffer_definition();
  /// Reads `%name: dtype` or a buffer definition, whichever follows.
  bool next_is_buffer_definition();
  DType dtype();

 private:
  Expr infix(int strength);
  Expr unary_or_primary();
  Expr primary();
  Expr constant();
  Expr call_like(const std::string& name);
  Expr typed_call(const std::string& name);
  Expr named();
  void define_name(const std::string& name);
  std::string name();

  ParseCursor& cursor_;
  std::unordered_map<std::string, Var> vars_;
  std::unordered_map<std::string, Buffer> buffers_;
};

}  // namespace tl
