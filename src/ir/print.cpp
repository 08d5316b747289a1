#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "ir/enum_names.h"
#include "ir/expr_syntax.h"
#include "ir/print_expr.h"
#include "ir/text.h"

namespace tl {
namespace {

/// Gives every variable and buffer one name of its own: the user's, with a number behind it where it is taken.
class UniqueNames {
 public:
  std::string operator()(const void* node, const std::string& wanted) {
    const auto it = names_.find(node);
    if (it != names_.end()) return it->second;
    std::string base;
    for (const char c : wanted) base += is_name_char(c) ? c : '_';
    if (base.empty()) base = "v";
    std::string name = base;
    for (int& n = next_[base]; taken_.count(name) != 0;) name = fmt::format("{}_{}", base, ++n);
    taken_.insert(name);
    return names_[node] = "%" + name;
  }

 private:
  std::unordered_map<const void*, std::string> names_;
  std::unordered_map<std::string, int> next_;
  std::set<std::string> taken_;
};

std::string position(const Loc& loc) {
  if (!loc) return {};
  std::string out = fmt::format(" @{}:{}", quoted(loc->file), loc->line);
  if (loc->column > 0) out += fmt::format(":{}-{}", loc->column, loc->end_column);
  if (loc->caller) out += fmt::format(" in {}{}", quoted(loc->macro), position(loc->caller));
  return out;
}

bool is_default(const Expr& a, const Expr& b) { return a.get() == b.get() || same(a, b); }
bool is_default(const Region& a, const Region& b) { return !a && !b ? true : same(a, b); }
bool is_default(const std::vector<Expr>& a, const std::vector<Expr>& b) { return a.empty() && b.empty(); }
template <class T>
bool is_default(const T& a, const T& b) {
  return a == b;
}

class Printer {
 public:
  explicit Printer(PrintOptions options)
      : options_(options),
        exprs_([this](const void* node, const std::string& wanted) { return names_(node, wanted); }) {}

  std::string function(const Function& f) {
    std::string out = "func @" + f.name;
    if (!f.symbols.empty()) out += " symbols " + value(f.symbols);
    out += " params [";
    for (size_t i = 0; i < f.params.size(); ++i) {
      if (i > 0) out += ", ";
      out += std::visit([&](const auto& p) { return definition(p); }, f.params[i]);
    }
    out += "]";
    if (!f.outputs.empty()) out += " outputs " + value(f.outputs);
    if (!f.attrs.empty()) out += " attrs " + value(f.attrs);
    if (options_.positions) out += position(f.loc);
    return out + " " + braces(f.body) + "\n";
  }

  std::string ops(const Block& block) {
    std::string out;
    for (const OpPtr& op : block) out += std::string(2 * depth_, ' ') + this->op(*op) + "\n";
    return out;
  }

  std::string op(const Op& op) {
    return visit(op, [&](const auto& typed) { return fields(typed); });
  }

 private:
  template <class Class>
  std::string fields(const Class& op) {
    static const Class defaults;
    std::string head, blocks;
    for_each_field(op, [&](const auto& field, const auto& v) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, Block>) {
        return;  // after the position
      } else {
        const bool keyword = field.style == FieldStyle::kKeyword;
        if (keyword && is_default(v, defaults.*(field.member))) return;
        head += head.empty() ? " " : ", ";
        if (keyword) head += std::string(field.name) + "=";
        head += field.role == FieldRole::kDefines ? definition(v) : value(v);
      }
    });
    if (op.slot) head += fmt::format(" slot({}, {}, {})", op.slot->engine, op.slot->stage, op.slot->order);
    if (options_.positions) head += position(op.loc);
    bool first = true;
    for_each_field(op, [&](const auto& field, const auto& v) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, Block>) {
        if (first || !v.empty()) blocks += (first ? " " : fmt::format(" {} ", field.name)) + braces(v);
        first = false;
      }
    });
    return std::string(Class::kName) + head + blocks;
  }

  std::string braces(const Block& block) {
    if (block.empty()) return "{}";
    ++depth_;
    std::string out = "{\n" + ops(block);
    --depth_;
    return out + std::string(2 * depth_, ' ') + "}";
  }

  std::string definition(const Var& v) { return fmt::format("{}: {}", exprs_.var(v), v.dtype().name()); }
  std::string definition(const Buffer& b) {
    std::string shape = exprs_.list(b->shape);
    std::string out = fmt::format("{}: {} {}{}", exprs_.buffer(b), space_name(b->space), b->dtype.name(), shape);
    if (!b->strides.empty()) out += " strides " + exprs_.list(b->strides);
    return out;
  }
  std::string definition(const std::vector<Var>& vars) {
    std::string out;
    for (const Var& v : vars) out += (out.empty() ? "" : ", ") + definition(v);
    return "[" + out + "]";
  }
  template <class T>
  std::string definition(const T&) {
    return "?";  // no other field type defines anything
  }

  std::string value(const std::vector<Var>& v) { return definition(v); }
  std::string value(const Var& v) { return definition(v); }
  std::string value(const Expr& e) { return exprs_.expr(e); }
  std::string value(const std::vector<Expr>& e) { return exprs_.list(e); }
  std::string value(const Buffer& b) { return exprs_.buffer(b); }
  std::string value(const Region& r) { return exprs_.region(r); }
  std::string value(bool b) { return b ? "true" : "false"; }
  std::string value(int64_t i) { return std::to_string(i); }
  std::string value(double d) { return Scalar::of_float(DType::f64(), d).text() + ":float64"; }
  std::string value(const std::string& s) { return quoted(s); }
  std::string value(const std::vector<int64_t>& ints) { return fmt::format("[{}]", fmt::join(ints, ", ")); }
  std::string value(const Attrs& attrs) {
    std::string out;
    for (const auto& [key, attr] : attrs) {
      out += (out.empty() ? "" : ", ") + quoted(key) + ": ";
      out += std::visit([&](const auto& v) { return value(v); }, attr);
    }
    return "{" + out + "}";
  }
  template <class E>
    requires std::is_enum_v<E>
  std::string value(E e) {
    return std::string(enum_name(e));
  }

  PrintOptions options_;
  UniqueNames names_;
  ExprPrinter exprs_;
  int depth_ = 0;
};

ExprPrinter plain_printer(ExprStyle style = ExprStyle::kText) {
  return ExprPrinter([](const void*, const std::string& wanted) { return wanted; }, style);
}

}  // namespace

std::string print(const Function& function, PrintOptions options) { return Printer(options).function(function); }
std::string print(const Op& op, PrintOptions options) { return Printer(options).op(op); }
std::string print(const Block& block, PrintOptions options) { return Printer(options).ops(block); }
std::string print(const Expr& e) { return plain_printer().expr(e); }
std::string python_text(const Expr& e) { return plain_printer(ExprStyle::kPython).expr(e); }
std::string print(const Region& region) { return plain_printer().region(region); }

bool structural_equal(const Function& a, const Function& b) { return print(a) == print(b); }

uint64_t structural_hash(const Function& f) {
  // FNV-1a, 64 bits.
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : print(f)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace tl
