#pragma once

#include <string>
#include <unordered_set>

#include "backend/cfamily/c_names.h"
#include "ir/buffer.h"
#include "ir/intrinsics.h"

namespace tl {

/// Writes expressions as C++. Two contexts: a *value* has the expression's own dtype and wraps at its width; an *index*
/// (a subscript, an extent, a loop bound) is an int64 in which signed arithmetic does not wrap.
class CExpr {
 public:
  explicit CExpr(CNames& names) : names_(names) {}
  virtual ~CExpr() = default;

  std::string value(const Expr& e) { return value(e, 0); }
  std::string index(const Expr& e) { return index(e, 0); }
  /// `A[...]`, with the element's offset as an index.
  std::string element(const BufferNode& buffer, const std::vector<Expr>& indices);
  /// The offset of an element, in elements.
  std::string offset(const BufferNode& buffer, const std::vector<Expr>& indices);

  std::string name(const Var& v) { return names_.of(v.get(), v.name()); }
  std::string name(const BufferNode& b) { return names_.of(&b, b.name); }
  CNames& names() { return names_; }

  /// Declares that the C++ variable of `v` is an int64 whatever v's dtype is (it always holds a value of that dtype).
  void hold_wide(const Var& v) { wide_.insert(v.get()); }

  // What differs between targets.
  virtual std::string type(DType t) = 0;
  virtual std::string constant(const Scalar& value) = 0;
  virtual std::string call(const CallNode& call) = 0;
  /// Operators that C++ has no infix form for, and conversions: a function of the target's prelude. `operand` is the
  /// dtype it is called with where that decides what is needed of the prelude.
  virtual std::string function(std::string_view name, DType operand) = 0;
  std::string function(std::string_view name) { return function(name, DType()); }

 protected:
  std::string args(const std::vector<Expr>& exprs);

 private:
  std::string value(const Expr& e, int strength);
  std::string index(const Expr& e, int strength);
  std::string binary(const BinaryNode& n, int strength);
  /// An operand of an infix operator, whose dtype the other operand shows.
  std::string operand(const Expr& e, int strength);
  std::string unary(const UnaryNode& n, int strength);
  std::string index_binary(const BinaryNode& n, int strength);
  std::string contiguous_offset(const BufferNode& buffer, const std::vector<Expr>& indices);
  std::string strided_offset(const BufferNode& buffer, const std::vector<Expr>& indices);

  CNames& names_;
  std::unordered_set<const ExprNode*> wide_;
};

}  // namespace tl
