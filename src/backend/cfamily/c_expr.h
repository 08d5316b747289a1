#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "backend/cfamily/c_names.h"
#include "ir/buffer.h"
#include "ir/intrinsics.h"

namespace tl {

std::string parenthesised(std::string text, bool needed);
/// Whether C++ computes in int on operands of this type, so that a result is to be cut back to its width.
bool computes_in_int(DType t);

/// Writes expressions as C++. Two contexts: a *value* has the expression's own dtype and wraps at its width; an *index*
/// (a subscript, an extent, a loop bound) is of one type, int64 or int32, in which signed arithmetic does not overflow.
class CExpr {
 public:
  explicit CExpr(CNames& names, DType index_type = DType::i64()) : names_(names), index_type_(index_type) {}
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

  DType index_type() const { return index_type_; }
  /// Whether the index type holds every value of `t` that an index can have: all of them, or those that the width of
  /// indices was chosen for.
  bool fits_index(DType t) const { return t.is_int() || (t.is_uint() && t.bits() < index_type_.bits()); }
  /// Declares that the C++ variable of `v` is of the index type whatever v's dtype is.
  void hold_as_index(const Var& v) { as_index_.insert(v.get()); }

  // What differs between targets.
  virtual std::string type(DType t) = 0;
  virtual std::string constant(const Scalar& value) = 0;
  virtual std::string call(const CallNode& call) = 0;
  /// Operators that C++ has no infix form for, and conversions: a function of the target's prelude. `operand` is the
  /// dtype it is called with where that decides what is needed of the prelude.
  virtual std::string function(std::string_view name, DType operand) = 0;
  std::string function(std::string_view name) { return function(name, DType()); }

 protected:
  enum class Context : uint8_t { kValue, kIndex };
  /// Precedence of C++'s operators: text that binds weaker than what is around it needs parentheses.
  static constexpr int kTernary = 3, kShift = 11, kSum = 12, kProduct = 13, kUnary = 14;

  // Where a target spells an operation by other means than the table of operators; nothing elsewhere.
  virtual std::optional<std::string> spelled(const BinaryNode&, Context, int /*strength*/) { return {}; }
  virtual std::optional<std::string> spelled(const UnaryNode&, int /*strength*/) { return {}; }
  virtual std::string conversion(DType to, const Expr& a);

  std::string value(const Expr& e, int strength);
  std::string index(const Expr& e, int strength);
  std::string args(const std::vector<Expr>& exprs);

 private:
  std::string binary(const BinaryNode& n, int strength);
  /// An operand of an infix operator, whose dtype the other operand shows.
  std::string operand(const Expr& e, int strength);
  std::string unary(const UnaryNode& n, int strength);
  std::string index_binary(const BinaryNode& n, int strength);
  std::string contiguous_offset(const BufferNode& buffer, const std::vector<Expr>& indices);
  std::string strided_offset(const BufferNode& buffer, const std::vector<Expr>& indices);

  CNames& names_;
  DType index_type_;
  std::unordered_set<const ExprNode*> as_index_;
};

}  // namespace tl
