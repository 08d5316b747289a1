#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/ref.h"
#include "types/dtype.h"
#include "types/scalar.h"

namespace tl {

struct BufferNode;
/// A multi-dimensional array in one memory space; identity is the node. See ir/buffer.h.
using Buffer = Ref<const BufferNode>;
struct Intrinsic;

enum class ExprKind : uint8_t { kConst, kString, kVar, kUnary, kBinary, kSelect, kCast, kBitcast, kLoad, kCall };

/// Base of the immutable expression nodes. Children are set at construction, so the hash is computed once.
/// Variables and buffers hash and compare by identity; `structural_equal` of functions maps them.
struct ExprNode : RefCounted {
  ExprKind kind;
  DType dtype;
  size_t hash = 0;

 protected:
  ExprNode(ExprKind k, DType t) : kind(k), dtype(t) {}
};

struct ConstNode;
struct VarNode;

/// A scalar expression: index arithmetic and computation alike. Null means "absent".
class Expr : public Ref<const ExprNode> {
 public:
  Expr() = default;
  Expr(std::nullptr_t) {}                                     // NOLINT: absent
  Expr(Ref<const ExprNode>&& node) : Ref(std::move(node)) {}  // NOLINT: an Expr is a reference
  Expr(int value);                                            // NOLINT: int32 constant
  DType dtype() const { return get()->dtype; }
  ExprKind kind() const { return get()->kind; }
  template <class Node>
  const Node* as() const {
    return get() != nullptr && get()->kind == Node::kKind ? static_cast<const Node*>(get()) : nullptr;
  }
};

/// A constant of any scalar dtype.
struct ConstNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kConst;
  Scalar value;
  explicit ConstNode(Scalar v);
};

/// Text: an argument of `print`, of an extern call or of an intrinsic.
struct StringNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kString;
  std::string value;
  explicit StringNode(std::string v);
};

/// A name bound once: by a parameter, a loop, a launch or a `bind`.
struct VarNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVar;
  std::string name;
  VarNode(std::string n, DType t);
};

struct UnaryNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  UnaryOp op;
  Expr a;
  UnaryNode(UnaryOp o, Expr x);
};

/// Both operands have one dtype; comparisons give bool.
struct BinaryNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  BinaryOp op;
  Expr a, b;
  BinaryNode(BinaryOp o, Expr x, Expr y);
};

/// `condition ? a : b`; only the chosen side is evaluated, so a condition guards the loads of its side.
struct SelectNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kSelect;
  Expr condition, a, b;
  SelectNode(Expr c, Expr x, Expr y);
};

/// Conversion of the value by the rules of `tl::cast(Scalar, DType)`.
struct CastNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCast;
  Expr a;
  CastNode(DType t, Expr x);
};

/// The same bits read as another dtype of equal size.
struct BitcastNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBitcast;
  Expr a;
  BitcastNode(DType t, Expr x);
};

/// One element of a buffer. Out of range it reads as 0 where the buffer is global (see docs/text-ir.md).
struct LoadNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kLoad;
  Buffer buffer;
  std::vector<Expr> indices;
  LoadNode(Buffer b, std::vector<Expr> i);
};

/// An elementary function, a machine intrinsic or an extern function; `intrinsic` is a row of ir/intrinsics.h.
struct CallNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCall;
  const Intrinsic* intrinsic;
  std::vector<Expr> args;
  CallNode(DType t, const Intrinsic* i, std::vector<Expr> a);
};

/// A variable: an Expr whose node is a VarNode.
class Var : public Expr {
 public:
  Var() = default;
  Var(std::string name, DType dtype);
  /// Null when `e` is not a variable.
  explicit Var(const Expr& e);
  const std::string& name() const { return static_cast<const VarNode*>(get())->name; }
};

// Constructors. Operands already have the dtypes the node asks for (promotion: ir/promote.h); constants fold by the
// arithmetic of types/scalar.h, so a folded value is the value every target computes.
Expr make_const(Scalar value);
Expr make_int(DType dtype, int64_t value);
Expr make_float(DType dtype, double value);
Expr make_bool(bool value);
Expr make_string(std::string value);
/// 0, 0.0 or false of `dtype`.
Expr make_zero(DType dtype);
Expr unary(UnaryOp op, Expr a);
Expr binary(BinaryOp op, Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
Expr cast(DType dtype, Expr a);
Expr bitcast(DType dtype, Expr a);
Expr load(Buffer buffer, std::vector<Expr> indices);
Expr call(DType dtype, const Intrinsic* intrinsic, std::vector<Expr> args);

// Short forms of integer and boolean arithmetic on operands of one dtype.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr floordiv(Expr a, Expr b);
Expr floormod(Expr a, Expr b);
Expr ceildiv(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr equal(Expr a, Expr b);
/// A side that is the constant true (and) or false (or) leaves the other.
Expr logical_and(Expr a, Expr b);
Expr logical_or(Expr a, Expr b);
Expr logical_not(Expr a);

/// The value of an integer or bool constant.
std::optional<int64_t> as_int(const Expr& e);
std::optional<double> as_float(const Expr& e);
bool is_const_int(const Expr& e, int64_t value);
/// Equality of structure; variables, buffers and intrinsics by identity.
bool same(const Expr& a, const Expr& b);

struct ExprHash {
  size_t operator()(const Expr& e) const { return e ? e->hash : 0; }
};
struct ExprSame {
  bool operator()(const Expr& a, const Expr& b) const { return same(a, b); }
};

}  // namespace tl
