#include "ir/promote.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ir/intrinsics.h"
#include "ir/text.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

[[noreturn]] void refuse(int code, std::string message, std::string help = {}) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.help = std::move(help);
  throw CompileError(std::move(d));
}

bool fits(int64_t v, int bits) { return v >= -(int64_t{1} << (bits - 1)) && v < (int64_t{1} << (bits - 1)); }

/// Width order of float formats; different formats of one rank do not meet.
int float_rank(DType t) {
  if (t.is_float(64)) return 4;
  if (t.is_float(32)) return 3;
  if (t.cls() == TypeClass::kTFloat32) return 2;
  return t.bits() == 16 ? 1 : 0;
}

std::optional<DType> common_integer(DType a, DType b) {
  if (a.is_bool() || b.is_bool()) return a.is_bool() ? b : a;
  if (a.bits() != b.bits()) return a.bits() > b.bits() ? a : b;
  return a.is_uint() ? a : b;
}

std::optional<DType> common_float(DType a, DType b) {
  if (a == b) return a;
  const int ra = float_rank(a), rb = float_rank(b);
  if (ra != rb) return ra > rb ? a : b;
  // The language's rule for the two 16-bit floats; formats of 8 bits and fewer do not meet.
  if (a.bits() == 16 && b.bits() == 16) return DType::f16();
  return std::nullopt;
}

bool is_number(DType t) { return t.is_bool() || t.is_integral() || t.is_floating(); }

std::string spelled(BinaryOp op) {
  const OpInfo& info = op_info(op);
  return std::string(info.symbol.empty() ? info.name : info.symbol);
}

std::string type_name(const Operand& a) {
  const Expr* e = a.expr();
  return e != nullptr && e->kind() == ExprKind::kString ? "string" : a.dtype().name();
}

DType meeting_dtype(std::string_view what, const Operand& a, const Operand& b) {
  if (const auto common = promote::common_dtype(a.dtype(), b.dtype())) return *common;
  const bool floats = a.dtype().is_floating() && b.dtype().is_floating();
  refuse(80, fmt::format("operands of `{}` are {} and {}, which have no common type", what, type_name(a), type_name(b)),
         floats ? fmt::format("convert one of them: T.cast(x, \"{}\"), or both: T.cast(x, \"float32\")", type_name(a))
                : "");
}

/// bool operands of arithmetic count as int32.
DType arithmetic_dtype(BinaryOp op, DType common) {
  return common.is_bool() && !accepts(op, common) ? DType::i32() : common;
}

/// "it takes integers or bool".
std::string accepted_text(const OpInfo& info) {
  constexpr std::pair<OperandSet, const char*> kFamilies[] = {
      {kOnInteger, "integers"}, {kOnFloat, "floats"}, {kOnBool, "bool"}, {kOnHandle, "pointers"}};
  std::string out;
  for (const auto& [family, name] : kFamilies) {
    if ((info.operands & family) != 0) out += (out.empty() ? "it takes " : " or ") + std::string(name);
  }
  return out;
}

void require_bools(BinaryOp op, const Operand& a, const Operand& b) {
  for (const Operand* side : {&a, &b}) {
    if (side->dtype().is_bool()) continue;
    refuse(3, fmt::format("an operand of `{}` is {}, not bool", op_name(op), side->dtype().name()),
           "compare it: `x != 0`; for bits use & and |");
  }
}

std::string text_of(const Operand& a) { return python_text(a.as_written()); }

[[noreturn]] void out_of_range(const std::string& value, bool above, DType to) {
  const std::string bound = above ? std::to_string(integer_max(to)) : std::to_string(integer_min(to));
  refuse(81, fmt::format("{} exceeds {} of {} ({})", value, above ? "maximum" : "minimum", to.name(), bound),
         fmt::format("use a wider dtype, or wrap on purpose: T.cast({}, \"{}\")", value, to.name()));
}

/// Constants that an integer dtype cannot hold are refused. Returns whether a fraction is cut off.
bool check_constant(const Scalar& c, DType to) {
  if (c.dtype().is_floating()) {
    const double v = c.as_float();
    if (std::isnan(v)) out_of_range("nan", true, to);
    const double limit = std::ldexp(1.0, to.bits() - (to.is_int() ? 1 : 0));
    if (v >= limit) out_of_range(c.text(), true, to);
    if (v <= (to.is_int() ? -limit - 1 : -1.0)) out_of_range(c.text(), false, to);
    return std::trunc(v) != v;
  }
  const bool huge = c.dtype().is_uint() && c.as_uint() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!huge && c.as_int() < integer_min(to)) out_of_range(c.text(), false, to);
  if ((huge || c.as_int() >= 0) && c.as_uint() > integer_max(to)) out_of_range(c.text(), true, to);
  return false;
}

}  // namespace

DType Operand::dtype() const {
  if (const Expr* e = expr()) return e->dtype();
  if (std::holds_alternative<bool>(value_)) return DType::boolean();
  if (const int64_t* i = std::get_if<int64_t>(&value_)) return fits(*i, 32) ? DType::i32() : DType::i64();
  const double v = std::get<double>(value_);
  return std::isfinite(v) && std::abs(v) > std::numeric_limits<float>::max() ? DType::f64() : DType::f32();
}

Expr Operand::as_written() const { return as(dtype()); }

Expr Operand::as(DType dtype) const {
  if (const Expr* e = expr()) return cast(dtype, *e);
  if (const bool* b = std::get_if<bool>(&value_)) return make_const(cast(Scalar::boolean(*b), dtype));
  if (const int64_t* i = std::get_if<int64_t>(&value_)) return make_int(dtype, *i);
  return make_float(dtype, std::get<double>(value_));
}

namespace promote {

std::optional<DType> common_dtype(DType a, DType b) {
  if (a == b) return a;
  if (a.lanes() != b.lanes() || !is_number(a) || !is_number(b)) return std::nullopt;
  if (a.is_floating() != b.is_floating()) return a.is_floating() ? a : b;
  return a.is_floating() ? common_float(a, b) : common_integer(a, b);
}

Expr binary(BinaryOp op, const Operand& a, const Operand& b) {
  if (op == BinaryOp::kAnd || op == BinaryOp::kOr) require_bools(op, a, b);
  const DType common = arithmetic_dtype(op, meeting_dtype(spelled(op), a, b));
  if (op == BinaryOp::kDiv && common.is_integral()) {
    refuse(82,
           fmt::format("`/` of {} and {}: there are multiple types of integer divisions", a.dtype().name(),
                       b.dtype().name()),
           "write // (rounds down), T.truncdiv (rounds towards zero), or convert an operand to a float");
  }
  if (!accepts(op, common)) {
    refuse(80, fmt::format("`{}` is not defined on {}", spelled(op), common.name()), accepted_text(op_info(op)));
  }
  const Expr divisor = b.as(common);
  const bool divides = op >= BinaryOp::kFloorDiv && op <= BinaryOp::kTruncMod;
  if (divides && is_const_int(divisor, 0)) {
    refuse(124, fmt::format("`{}` by the constant 0", spelled(op)),
           "the divisor is a number at compile time: choose another expression with a plain `if` where it may be 0");
  }
  return tl::binary(op, a.as(common), divisor);
}

Expr unary(UnaryOp op, const Operand& a) {
  DType dtype = a.dtype();
  if (op == UnaryOp::kNot && !dtype.is_bool()) {
    refuse(3, fmt::format("the operand of `not` is {}, not bool", dtype.name()), "compare it: `x == 0`");
  }
  if (dtype.is_bool() && !accepts(op, dtype)) dtype = DType::i32();
  if (!accepts(op, dtype)) {
    refuse(80, fmt::format("`{}` is not defined on {}", op_name(op), dtype.name()), accepted_text(op_info(op)));
  }
  return tl::unary(op, a.as(dtype));
}

Expr select(const Operand& condition, const Operand& a, const Operand& b) {
  const DType common = meeting_dtype("if_then_else", a, b);
  return tl::select(promote::condition(condition), a.as(common), b.as(common));
}

Expr call(std::string_view name, const std::vector<Operand>& args) {
  const Intrinsic* row = find_intrinsic(name);
  if (row == nullptr || !row->math) refuse(10, fmt::format("there is no function `{}`", name));
  if (static_cast<int>(args.size()) != row->min_args) {
    refuse(84, fmt::format("{} takes {} argument(s), but {} were given", name, row->min_args, args.size()));
  }
  const bool scales = *row->math == MathFn::kLdexp;
  DType common = args[0].dtype();
  for (size_t i = 1; i < args.size() && !scales; ++i) common = meeting_dtype(name, args[0].as(common), args[i]);
  if (!accepts(*row->math, common) && (common.is_integral() || common.is_bool())) common = DType::f32();
  if (!accepts(*row->math, common) || (scales && !args[1].dtype().is_integral())) {
    refuse(80, fmt::format("{} is not defined on {}", name, scales ? args[1].dtype().name() : common.name()));
  }
  std::vector<Expr> values;
  std::vector<Scalar> constants;
  for (const Operand& arg : args) {
    values.push_back(scales && !values.empty() ? arg.as_written() : arg.as(common));
    if (const auto* c = values.back().as<ConstNode>()) constants.push_back(c->value);
  }
  const DType result = result_dtype(*row->math, common);
  // Only functions that every target computes exactly are folded: a folded value is the value at run time.
  if (constants.size() == values.size() && max_ulp(*row->math, result) == 0)
    return make_const(apply_math(*row->math, constants));
  return tl::call(result, row, std::move(values));
}

Expr extern_call(DType result, std::string_view function, const std::vector<Operand>& args, bool pure) {
  std::vector<Expr> values = {make_string(std::string(function))};
  for (const Operand& arg : args) values.push_back(arg.as_written());
  return tl::call(result, find_intrinsic(pure ? "pure_extern" : "extern"), std::move(values));
}

Expr bitcast(DType dtype, const Operand& a) {
  const DType from = a.dtype();
  if (from.bits() * from.lanes() != dtype.bits() * dtype.lanes()) {
    refuse(80, fmt::format("cannot read the bits of {} as {}: the sizes differ", from.name(), dtype.name()),
           "T.cast converts the value");
  }
  return tl::bitcast(dtype, a.as_written());
}

Expr converted(const Operand& a, DType dtype) {
  const DType from = a.dtype();
  const bool from_ok = is_number(from) || from.is_handle(), to_ok = is_number(dtype) || dtype.is_handle();
  if (!from_ok || !to_ok || from.lanes() != dtype.lanes()) {
    refuse(80, fmt::format("cannot convert {} to {}", type_name(a), dtype.name()));
  }
  return a.as(dtype);
}

Expr condition(const Operand& a) {
  const DType t = a.dtype();
  if (t.is_bool()) return a.as_written();
  if (!is_number(t) || t.is_vector()) {
    refuse(3, fmt::format("a value of type {} cannot be used as condition directly", type_name(a)),
           "compare it with something");
  }
  return tl::binary(BinaryOp::kNe, a.as_written(), make_zero(t));
}

Stored stored(const Operand& value, DType dtype) {
  const DType from = value.dtype();
  const bool addresses = (from.is_handle() && dtype == DType::i64()) || (dtype.is_handle() && from == DType::i64());
  if (from != dtype && !addresses && (!is_number(from) || !is_number(dtype) || from.lanes() != dtype.lanes())) {
    refuse(
        24,
        fmt::format("a value of type {} cannot be stored in an element of type {}: Incompatible types in BufferStore",
                    type_name(value), dtype.name()),
        "store a number or an element");
  }
  const Expr written = value.as_written();
  bool loses = from.is_floating() && dtype.is_integral();
  const auto* c = written.as<ConstNode>();
  if (c != nullptr && dtype.is_integral() && !c->value.dtype().is_handle()) loses = check_constant(c->value, dtype);
  return {value.as(dtype), loses};
}

Expr index(const Operand& a, int code, std::string_view what) {
  const DType t = a.dtype();
  if (!t.is_integral() || t.is_vector()) {
    refuse(code, fmt::format("{} is `{}`, which is {} and not an integer", what, text_of(a), type_name(a)),
           t.is_floating() || t.is_bool() ? "convert it: T.cast(x, \"int32\")" : "");
  }
  return a.as(t.bits() < 32 ? DType::i32() : t);
}

}  // namespace promote
}  // namespace tl
