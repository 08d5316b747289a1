#include "ir/parse_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "ir/expr_syntax.h"
#include "ir/intrinsics.h"

namespace tl {

DType ExprParser::dtype() {
  const std::string text = cursor_.word("a dtype");
  const auto parsed = parse_dtype(text);
  if (!parsed) cursor_.fail(fmt::format("unknown dtype `{}`", text));
  return *parsed;
}

std::string ExprParser::name() {
  cursor_.expect("%");
  return cursor_.word("a name");
}

void ExprParser::define_name(const std::string& name) {
  if (vars_.count(name) != 0 || buffers_.count(name) != 0) cursor_.fail(fmt::format("`%{}` is defined twice", name));
}

Var ExprParser::var_definition() {
  const std::string n = name();
  define_name(n);
  cursor_.expect(":");
  Var var(n, dtype());
  vars_[n] = var;
  return var;
}

bool ExprParser::next_is_buffer_definition() {
  ParseCursor ahead = cursor_;
  ahead.expect("%");
  ahead.word("a name");
  ahead.expect(":");
  return parse_space(ahead.word("a memory space or dtype")).has_value();
}

Buffer ExprParser::buffer_definition() {
  const std::string n = name();
  define_name(n);
  cursor_.expect(":");
  const std::string space_text = cursor_.word("a memory space");
  const auto space = parse_space(space_text);
  if (!space) cursor_.fail(fmt::format("unknown memory space `{}`", space_text));
  const DType type = dtype();
  std::vector<Expr> shape = list(), strides;
  if (cursor_.accept("strides")) strides = list();
  if (!strides.empty() && strides.size() != shape.size()) cursor_.fail("as many strides as extents");
  return buffers_[n] = make_buffer(n, type, std::move(shape), *space, std::move(strides));
}

Buffer ExprParser::buffer_use() {
  const std::string n = name();
  const auto it = buffers_.find(n);
  if (it == buffers_.end()) cursor_.fail(fmt::format("unknown buffer `%{}`", n));
  return it->second;
}

std::vector<Expr> ExprParser::list() {
  std::vector<Expr> out;
  cursor_.expect("[");
  while (!cursor_.peek("]")) {
    if (!out.empty()) cursor_.expect(",");
    out.push_back(expr());
  }
  cursor_.expect("]");
  return out;
}

Region ExprParser::region() {
  Region out;
  out.buffer = buffer_use();
  cursor_.expect("[");
  while (!cursor_.peek("]")) {
    if (!out.offsets.empty()) cursor_.expect(",");
    out.offsets.push_back(expr());
    cursor_.expect(":+");
    out.extents.push_back(expr());
  }
  cursor_.expect("]");
  if (out.offsets.size() != out.buffer->rank()) cursor_.fail("a region of the buffer's rank");
  return out;
}

Expr ExprParser::infix(int strength) {
  Expr left = unary_or_primary();
  for (;;) {
    // Rows with two characters come first, so `<` is not read out of `<<`.
    const auto* row =
        std::find_if(std::begin(kInfix), std::end(kInfix), [&](const InfixRow& r) { return cursor_.peek(r.symbol); });
    if (row == std::end(kInfix) || row->strength < strength) return left;
    cursor_.expect(row->symbol);
    Expr right = infix(row->strength + 1);
    if (left.dtype() != right.dtype()) {
      cursor_.fail(
          fmt::format("operands of `{}` are {} and {}", row->symbol, left.dtype().name(), right.dtype().name()));
    }
    if (!accepts(row->op, left.dtype()))
      cursor_.fail(fmt::format("`{}` does not take {}", row->symbol, left.dtype().name()));
    left = binary(row->op, left, right);
  }
}

Expr ExprParser::unary_or_primary() {
  if (cursor_.peek_number()) return constant();
  static constexpr std::pair<std::string_view, UnaryOp> kSymbols[] = {
      {"-", UnaryOp::kNeg}, {"~", UnaryOp::kBitNot}, {"!", UnaryOp::kNot}};
  for (const auto& [symbol, op] : kSymbols) {
    if (!cursor_.accept(symbol)) continue;
    Expr a = unary_or_primary();
    if (!accepts(op, a.dtype())) cursor_.fail(fmt::format("`{}` does not take {}", symbol, a.dtype().name()));
    return unary(op, a);
  }
  return primary();
}

Expr ExprParser::constant() {
  const std::string text = cursor_.number("a number");
  const bool integral = text.find_first_of(".en") == std::string::npos;
  DType type = integral ? DType::i32() : DType::f32();
  // A region's `:+` follows a number too, so only a word behind the colon is a dtype.
  ParseCursor ahead = cursor_;
  if (ahead.accept(":") && parse_dtype(ahead.peek_word())) {
    cursor_.expect(":");
    type = dtype();
  }
  if (!type.is_floating() && !integral) cursor_.fail("an integer literal");
  const auto value = parse_scalar(type, text);
  if (!value) cursor_.fail(fmt::format("{} is no {}", text, type.name()));
  return make_const(*value);
}

Expr ExprParser::named() {
  const std::string n = name();
  if (const auto var = vars_.find(n); var != vars_.end()) return var->second;
  const auto buffer = buffers_.find(n);
  if (buffer == buffers_.end()) cursor_.fail(fmt::format("unknown name `%{}`", n));
  std::vector<Expr> indices = list();
  if (indices.size() != buffer->second->rank()) cursor_.fail("as many indices as the buffer's rank");
  return load(buffer->second, std::move(indices));
}

Expr ExprParser::primary() {
  if (cursor_.accept("(")) {
    Expr e = expr();
    cursor_.expect(")");
    return e;
  }
  if (cursor_.peek("%")) return named();
  if (cursor_.peek("\"")) return make_string(cursor_.quoted());
  if (cursor_.accept("true")) return make_bool(true);
  if (cursor_.accept("false")) return make_bool(false);
  const std::string word = cursor_.word("an expression");
  if (cursor_.peek(":")) return typed_call(word);
  return call_like(word);
}

Expr ExprParser::typed_call(const std::string& name) {
  const Intrinsic* row = find_intrinsic(name);
  if (row == nullptr) cursor_.fail(fmt::format("unknown function `{}`", name));
  cursor_.expect(":");
  const DType type = dtype();
  std::vector<Expr> args;
  cursor_.expect("(");
  while (!cursor_.peek(")")) {
    if (!args.empty()) cursor_.expect(",");
    args.push_back(expr());
  }
  cursor_.expect(")");
  return call(type, row, std::move(args));
}

Expr ExprParser::call_like(const std::string& name) {
  cursor_.expect("(");
  if (name == "cast" || name == "bitcast") {
    const DType type = dtype();
    cursor_.expect(",");
    Expr a = expr();
    cursor_.expect(")");
    return name == "cast" ? cast(type, a) : bitcast(type, a);
  }
  std::vector<Expr> args;
  while (!cursor_.peek(")")) {
    if (!args.empty()) cursor_.expect(",");
    args.push_back(expr());
  }
  cursor_.expect(")");
  const auto want = [&](size_t count) {
    if (args.size() != count) cursor_.fail(fmt::format("`{}` takes {} arguments", name, count));
  };
  if (name == "select") {
    want(3);
    if (!args[0].dtype().is_bool() || args[1].dtype() != args[2].dtype())
      cursor_.fail("`select` of a bool and one dtype");
    return select(args[0], args[1], args[2]);
  }
  if (const auto op = parse_unary_op(name)) {
    want(1);
    if (!accepts(*op, args[0].dtype()))
      cursor_.fail(fmt::format("`{}` does not take {}", name, args[0].dtype().name()));
    return unary(*op, args[0]);
  }
  if (const auto op = parse_binary_op(name)) {
    want(2);
    if (args[0].dtype() != args[1].dtype() || !accepts(*op, args[0].dtype())) {
      cursor_.fail(fmt::format("`{}` does not take {} and {}", name, args[0].dtype().name(), args[1].dtype().name()));
    }
    return binary(*op, args[0], args[1]);
  }
  const Intrinsic* row = find_intrinsic(name);
  if (row == nullptr || !row->math) cursor_.fail(fmt::format("unknown function `{}`", name));
  want(static_cast<size_t>(row->min_args));
  if (!accepts(*row->math, args[0].dtype()))
    cursor_.fail(fmt::format("`{}` does not take {}", name, args[0].dtype().name()));
  const DType type = result_dtype(*row->math, args[0].dtype());
  return call(type, row, std::move(args));
}

}  // namespace tl
