#pragma once

// Expressions over operands as the user writes them: finds the common dtype, converts, checks, folds constants.
// Every function throws CompileError, without a position, for operands that have no meaning; whoever knows the position
// adds it.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/expr.h"

namespace tl {

/// One side of an operator: an expression, or a number as written. A written integer is int32 (int64 where it does not
/// fit), a written float is float32, but takes part with all its digits where it meets a float64.
class Operand {
 public:
  Operand(Expr e) : value_(std::move(e)) {}       // NOLINT: an operand is written as what it is
  Operand(Var v) : value_(Expr(std::move(v))) {}  // NOLINT
  Operand(bool v) : value_(v) {}                  // NOLINT
  Operand(int v) : value_(int64_t{v}) {}          // NOLINT
  Operand(int64_t v) : value_(v) {}               // NOLINT
  Operand(double v) : value_(v) {}                // NOLINT

  DType dtype() const;
  /// Null when the operand is a number as written.
  const Expr* expr() const { return std::get_if<Expr>(&value_); }
  /// The operand in its own dtype.
  Expr as_written() const;
  /// The operand converted to `dtype`, as a cast does.
  Expr as(DType dtype) const;

 private:
  std::variant<Expr, bool, int64_t, double> value_;
};

namespace promote {

/// The dtype in which operands of `a` and `b` meet, if there is one:
///  - two integers: the wider; of one width, the unsigned one. bool counts as the narrowest integer.
///  - an integer and a float: the float.
///  - two floats: the wider; two different formats of one width (float16 and bfloat16, two fp8 formats) have none.
std::optional<DType> common_dtype(DType a, DType b);

/// Errors: TL080 where the operands have no common dtype or the operator is not defined on it, TL082 for `/` of two
/// integers, TL003 for and / or on something else than bool.
Expr binary(BinaryOp op, const Operand& a, const Operand& b);
Expr unary(UnaryOp op, const Operand& a);
Expr select(const Operand& condition, const Operand& a, const Operand& b);
/// A call of a row of ir/intrinsics.h by its name. Integers given to a function of floats become float32. Errors: TL010
/// for an unknown name, TL084 for a wrong number of arguments, TL080 for wrong dtypes.
Expr call(std::string_view name, const std::vector<Operand>& args);
/// A call of a foreign function; `pure` says that it does nothing but give a value.
Expr extern_call(DType result, std::string_view function, const std::vector<Operand>& args, bool pure = false);
/// The same bits as another dtype. Error: TL080 where the sizes differ.
Expr bitcast(DType dtype, const Operand& a);

/// `T.cast`: any number to any number, wrapping and truncating as tl::cast(Scalar, DType) does. Error: TL080 for what
/// is no number, or for another number of lanes.
Expr converted(const Operand& a, DType dtype);

/// A bool from a bool or a number (not zero). Error: TL003 for anything else.
Expr condition(const Operand& a);

/// A value converted for a store into elements of `dtype`.
struct Stored {
  Expr value;
  /// A fraction may be cut off.
  bool may_lose_precision = false;
};
/// Errors: TL024 for a value that is no number, TL081 for a constant that `dtype` cannot hold.
Stored stored(const Operand& value, DType dtype);

/// An index, an offset or an extent: integers narrower than 32 bits become int32. Error: `code` (TL022 or TL066) where
/// it is not an integer; `what` names it in the message.
Expr index(const Operand& a, int code, std::string_view what);

}  // namespace promote
}  // namespace tl
