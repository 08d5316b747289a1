#include <fmt/format.h>

#include "ir/enum_names.h"
#include "ir/parse_expr.h"
#include "ir/text.h"

namespace tl {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : cursor_(text, file), exprs_(cursor_) {}

  std::unique_ptr<Function> function() {
    auto f = std::make_unique<Function>();
    cursor_.expect("func");
    cursor_.expect("@");
    f->name = cursor_.word("a function name");
    if (cursor_.accept("symbols")) define(f->symbols);
    cursor_.expect("params");
    each_in_brackets([&] {
      if (exprs_.next_is_buffer_definition()) {
        f->params.push_back(exprs_.buffer_definition());
      } else {
        f->params.push_back(exprs_.var_definition());
      }
    });
    if (cursor_.accept("outputs")) read(f->outputs);
    if (cursor_.accept("attrs")) read(f->attrs);
    f->loc = position();
    f->body = braces();
    if (!cursor_.at_end()) cursor_.fail("the end of the text");
    return f;
  }

 private:
  Block braces() {
    Block block;
    cursor_.expect("{");
    while (!cursor_.accept("}")) block.push_back(op());
    return block;
  }

  OpPtr op() {
    const std::string name = cursor_.dotted_word("an op");
#define TL_PARSE_CASE(Class) \
  if (name == Class::kName) return fields<Class>();
    TL_FOR_EACH_OP(TL_PARSE_CASE)
#undef TL_PARSE_CASE
    cursor_.fail(fmt::format("unknown op `{}`", name));
  }

  template <class Class>
  OpPtr fields() {
    auto op = std::make_unique<Class>();
    bool first = true;
    for_each_field(*op, [&](const auto& field, auto& value) {
      if constexpr (!std::is_same_v<std::remove_reference_t<decltype(value)>, Block>) {
        if (!next_field(field.name, field.style, first)) return;
        first = false;
        if (field.role == FieldRole::kDefines) {
          define(value);
        } else {
          read(value);
        }
      }
    });
    read_slot(*op);
    op->loc = position();
    give_position(*op);
    bool first_block = true;
    for_each_field(*op, [&](const auto& field, auto& value) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, Block>) {
        if (first_block || cursor_.accept(field.name)) value = braces();
        first_block = false;
      }
    });
    return op;
  }

  /// Consumes what stands before a field's value: the comma, and `name=` of a keyword field. False: it is left out.
  bool next_field(std::string_view name, FieldStyle style, bool first) {
    if (style == FieldStyle::kPositional) {
      if (!first) cursor_.expect(",");
      return true;
    }
    ParseCursor ahead = cursor_;
    if (!first && !ahead.accept(",")) return false;
    if (!ahead.accept(name) || !ahead.accept("=")) return false;
    cursor_ = ahead;
    return true;
  }

  void read_slot(Op& op) {
    if (!cursor_.accept("slot")) return;
    Slot slot;
    cursor_.expect("(");
    slot.engine = cursor_.word("an engine");
    cursor_.expect(",");
    slot.stage = cursor_.integer("a stage");
    cursor_.expect(",");
    slot.order = cursor_.integer("an order");
    cursor_.expect(")");
    op.slot = slot;
  }

  Loc position() {
    if (!cursor_.accept("@")) return {};
    std::string file = cursor_.quoted();
    cursor_.expect(":");
    const auto line = static_cast<int>(cursor_.integer("a line"));
    int column = 0, end = 0;
    if (cursor_.accept(":")) {
      column = static_cast<int>(cursor_.integer("a column"));
      cursor_.expect("-");
      end = static_cast<int>(cursor_.integer("a column"));
    }
    if (!cursor_.accept("in")) return make_loc(std::move(file), line, column, end);
    std::string macro = cursor_.quoted();
    return make_loc(std::move(file), line, column, end, std::move(macro), position());
  }

  /// A buffer that an op defines is declared where the op stands.
  void give_position(Alloc& op) { const_cast<BufferNode&>(*op.buffer).loc = op.loc; }
  void give_position(View& op) { const_cast<BufferNode&>(*op.buffer).loc = op.loc; }
  void give_position(Op&) {}

  template <class F>
  void each_in_brackets(F&& f, std::string_view open = "[", std::string_view close = "]") {
    cursor_.expect(open);
    for (bool first = true; !cursor_.peek(close); first = false) {
      if (!first) cursor_.expect(",");
      f();
    }
    cursor_.expect(close);
  }

  void define(Var& v) { v = exprs_.var_definition(); }
  void define(Buffer& b) { b = exprs_.buffer_definition(); }
  void define(std::vector<Var>& vars) {
    each_in_brackets([&] { vars.push_back(exprs_.var_definition()); });
  }
  template <class T>
  void define(T&) {}

  void read(Var& v) { define(v); }
  void read(std::vector<Var>& vars) { define(vars); }
  void read(Expr& e) { e = exprs_.expr(); }
  void read(std::vector<Expr>& e) { e = exprs_.list(); }
  void read(Buffer& b) { b = exprs_.buffer_use(); }
  void read(Region& r) { r = exprs_.region(); }
  void read(bool& b) { b = cursor_.word("true or false") == "true"; }
  void read(int64_t& i) { i = cursor_.integer("an integer"); }
  void read(std::string& s) { s = cursor_.quoted(); }
  void read(std::vector<int64_t>& ints) {
    each_in_brackets([&] { ints.push_back(cursor_.integer("an integer")); });
  }
  template <class E>
    requires std::is_enum_v<E>
  void read(E& e) {
    const std::string word = cursor_.word("a word");
    const auto value = parse_enum<E>(word);
    if (!value) cursor_.fail(fmt::format("`{}` is no {}", word, EnumNames<E>::kType));
    e = *value;
  }
  void read(Attrs& attrs) {
    each_in_brackets(
        [&] {
          std::string key = cursor_.quoted();
          cursor_.expect(":");
          attrs[std::move(key)] = attr_value();
        },
        "{", "}");
  }

  AttrValue attr_value() {
    if (cursor_.peek("\"")) return cursor_.quoted();
    if (cursor_.accept("true")) return true;
    if (cursor_.accept("false")) return false;
    if (cursor_.peek("[")) {
      std::vector<int64_t> ints;
      read(ints);
      return ints;
    }
    const Expr number = exprs_.expr();
    if (const auto d = as_float(number)) return *d;
    if (const auto i = as_int(number)) return *i;
    cursor_.fail("a constant");
  }

  ParseCursor cursor_;
  ExprParser exprs_;
};

}  // namespace

std::unique_ptr<Function> parse_function(std::string_view text, const std::string& file) {
  return Parser(text, file).function();
}

}  // namespace tl
