#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "backend/cfamily/c_names.h"
#include "ir/buffer.h"
#include "ir/intrinsics.h"
#include "ir/ops.h"

namespace tl {

std::string parenthesised(std::string text, bool needed);
/// Whether C++ computes in int on operands of this type, so that a result is to be cut back to its width.
bool computes_in_int(DType t);

/// What differs between targets in the names of things.
struct CDialect {
  /// In what is refused: "is not available on CUDA targets".
  std::string_view target;
  std::string_view int32;
  /// The prelude header that defines a function for operands of a dtype (void: any).
  std::string_view (*header_of)(std::string_view function, DType operand);
};

/// Writes expressions as C++, and collects the prelude headers that what it writes needs. Two contexts: a *value* has
/// the expression's own dtype and wraps at its width; an *index* (a subscript, an extent, a loop bound) is of one type,
/// int64 or int32, in which signed arithmetic does not overflow.
class CExpr {
 public:
  /// `headers` are needed in any case; the dialect outlives this.
  CExpr(CNames& names, const CDialect& dialect, std::set<std::string> headers, DType index_type = DType::i64())
      : names_(names), dialect_(dialect), headers_(std::move(headers)), index_type_(index_type) {}
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

  std::string type(DType t);
  std::string constant(const Scalar& value);
  /// Operators that C++ has no infix form for, and conversions: a function of the target's prelude. `operand` is the
  /// dtype it is called with where that decides what is needed of the prelude.
  std::string function(std::string_view name, DType operand = DType());
  const std::set<std::string>& headers() const { return headers_; }

 protected:
  enum class Context : uint8_t { kValue, kIndex };
  /// Precedence of C++'s operators: text that binds weaker than what is around it needs parentheses.
  static constexpr int kTernary = 3, kShift = 11, kSum = 12, kProduct = 13, kUnary = 14;

  // Where a target spells an operation by other means than the table of operators; nothing elsewhere.
  virtual std::optional<std::string> spelled(const BinaryNode&, Context, int /*strength*/) { return {}; }
  virtual std::optional<std::string> spelled(const UnaryNode&, int /*strength*/) { return {}; }
  virtual std::string conversion(DType to, const Expr& a);
  /// A call of what is no elementary function.
  virtual std::string foreign_call(const CallNode& call);

  [[noreturn]] void unsupported(const std::string& what, const std::string& help = {}) const;

  std::string value(const Expr& e, int strength);
  std::string index(const Expr& e, int strength);
  std::string args(const std::vector<Expr>& exprs);

 private:
  std::string call(const CallNode& call);
  std::string binary(const BinaryNode& n, int strength);
  /// An operand of an infix operator, whose dtype the other operand shows.
  std::string operand(const Expr& e, int strength);
  std::string unary(const UnaryNode& n, int strength);
  std::string index_binary(const BinaryNode& n, int strength);
  std::string contiguous_offset(const BufferNode& buffer, const std::vector<Expr>& indices);
  std::string strided_offset(const BufferNode& buffer, const std::vector<Expr>& indices);

  CNames& names_;
  const CDialect& dialect_;
  std::set<std::string> headers_;
  DType index_type_;
  std::unordered_set<const ExprNode*> as_index_;
};

/// A literal of C++ for a text.
std::string string_literal(std::string_view text);
/// What a device says where an assertion does not hold, up to the condition: "kernel.py:7: Device assert failed: x".
std::string assertion_text(const Assert& op);

}  // namespace tl
