#pragma once

#include <functional>
#include <string>

#include "ir/buffer.h"
#include "ir/expr_syntax.h"

namespace tl {

/// The text IR, which parses, or Python, for messages.
enum class ExprStyle { kText, kPython };

/// Writes expressions, with the names that `name_of` gives to variables and buffers (identity: the node's address).
class ExprPrinter {
 public:
  using NameOf = std::function<std::string(const void* node, const std::string& wanted)>;
  explicit ExprPrinter(NameOf name_of, ExprStyle style = ExprStyle::kText)
      : name_of_(std::move(name_of)), python_(style == ExprStyle::kPython) {}

  std::string expr(const Expr& e) const { return expr(e, 0); }
  std::string list(const std::vector<Expr>& exprs) const;
  std::string region(const Region& r) const;
  std::string buffer(const Buffer& b) const { return name_of_(b.get(), b->name); }
  std::string var(const Var& v) const { return name_of_(v.get(), v.name()); }

 private:
  std::string expr(const Expr& e, int strength) const;
  const InfixRow* row_of(BinaryOp op) const;
  std::string constant(const Scalar& value) const;
  std::string infix(const BinaryNode& n, const InfixRow& row, int strength) const;
  std::string conversion(std::string_view name, const Expr& e, const Expr& from) const;
  std::string args(const std::vector<Expr>& exprs) const;
  NameOf name_of_;
  bool python_;
};

/// `"text"` with quotes, backslashes and control characters escaped.
std::string quoted(const std::string& text);

}  // namespace tl
