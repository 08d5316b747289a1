// tl.expr_*, tl.buffer_* and tl.region_*: values that need no function around them.

#include <fmt/format.h>

#include "binding/arguments.h"
#include "binding/boundary.h"
#include "ir/text.h"

namespace tl::binding {
namespace {

constexpr std::string_view kExprKinds[] = {"const",  "string", "var",     "unary", "binary",
                                           "select", "cast",   "bitcast", "load",  "call"};

template <class Op>
Op to_op(std::optional<Op> op, const ffi::String& name) {
  if (op) return *op;
  refuse(10, fmt::format("there is no operator `{}`", std::string(name)));
}

std::string_view view(const ffi::String& s) { return {s.data(), s.size()}; }

ffi::Array<ffi::Any> handles(const std::vector<Expr>& exprs) {
  ffi::Array<ffi::Any> out;
  for (const Expr& e : exprs) out.push_back(ExprHandle(e));
  return out;
}

/// None when `e` is no constant. An unsigned value beyond int64 comes as its two's complement.
ffi::Any constant_value(const Expr& e) {
  if (const auto* s = e.as<StringNode>()) return ffi::String(s->value);
  const auto* c = e.as<ConstNode>();
  if (c == nullptr) return nullptr;
  if (e.dtype().is_bool()) return c->value.as_int() != 0;
  if (e.dtype().is_floating()) return c->value.as_float();
  return c->value.as_int();
}

ExprHandle expr_binary(const ffi::String& op, ffi::AnyView a, ffi::AnyView b) {
  return ExprHandle(promote::binary(to_op(parse_binary_op(view(op)), op), to_operand(a), to_operand(b)));
}

ExprHandle expr_unary(const ffi::String& op, ffi::AnyView a) {
  return ExprHandle(promote::unary(to_op(parse_unary_op(view(op)), op), to_operand(a)));
}

BufferHandle buffer_new(const ffi::String& name, const ffi::String& dtype, const Args& shape, const Args& strides,
                        const ffi::String& space, int64_t loc) {
  const auto extents = [&](const Args& values, const char* what) {
    std::vector<Expr> out;
    for (const Operand& e : to_operands(values))
      out.push_back(promote::index(e, 22, fmt::format("{} {} of {}", what, out.size(), view(name))));
    return out;
  };
  std::vector<Expr> sizes = extents(shape, "extent"), steps = extents(strides, "stride");
  if (!steps.empty() && steps.size() != sizes.size()) {
    refuse(25, fmt::format("Invalid shape/strides' dimensions: {} extents and {} strides", sizes.size(), steps.size()),
           "give one stride a dimension, in elements");
  }
  const BuilderObject* builder = current_builder();
  return BufferHandle(make_buffer(name, to_dtype(view(dtype)), std::move(sizes), to_space(view(space)),
                                  std::move(steps), builder != nullptr ? position(*builder, loc) : Loc()));
}

void register_expressions() {
  Registry(Origin::kBesideBuilder)
      .def(
          "tl.expr_int",
          +[](const ffi::String& dtype, int64_t v) { return ExprHandle(make_int(to_dtype(view(dtype)), v)); })
      .def(
          "tl.expr_float",
          +[](const ffi::String& dtype, double v) { return ExprHandle(make_float(to_dtype(view(dtype)), v)); })
      .def(
          "tl.expr_str", +[](const ffi::String& s) { return ExprHandle(make_string(s)); })
      .def(
          "tl.expr_var", +[](const ffi::String& name,
                             const ffi::String& dtype) { return ExprHandle(Var(name, to_dtype(view(dtype)))); })
      .def("tl.expr_binary", +expr_binary)
      .def("tl.expr_unary", +expr_unary)
      .def(
          "tl.expr_select",
          +[](ffi::AnyView c, ffi::AnyView a, ffi::AnyView b) {
            return ExprHandle(promote::select(to_operand(c), to_operand(a), to_operand(b)));
          })
      .def(
          "tl.expr_cast",
          +[](const ffi::String& dtype, ffi::AnyView e) {
            return ExprHandle(promote::converted(to_operand(e), to_dtype(view(dtype))));
          })
      .def(
          "tl.expr_bitcast",
          +[](const ffi::String& dtype, ffi::AnyView e) {
            return ExprHandle(promote::bitcast(to_dtype(view(dtype)), to_operand(e)));
          })
      .def(
          "tl.expr_call", +[](const ffi::String& name,
                              const Args& args) { return ExprHandle(promote::call(view(name), to_operands(args))); })
      .def(
          "tl.expr_extern",
          +[](const ffi::String& dtype, const ffi::String& name, const Args& args) {
            return ExprHandle(promote::extern_call(to_dtype(view(dtype)), view(name), to_operands(args)));
          })
      .def(
          "tl.expr_pure_extern",
          +[](const ffi::String& dtype, const ffi::String& name, const Args& args) {
            return ExprHandle(promote::extern_call(to_dtype(view(dtype)), view(name), to_operands(args), true));
          })
      .def(
          "tl.expr_of", +[](ffi::AnyView v) { return ExprHandle(to_operand(v).as_written()); })
      .def("tl.expr_condition", +[](ffi::AnyView v) { return ExprHandle(promote::condition(to_operand(v))); });
}

void register_inspection() {
  Registry(Origin::kBesideBuilder)
      .def(
          "tl.expr_dtype", +[](const ExprHandle& e) { return ffi::String(e->value.dtype().name()); })
      .def(
          "tl.expr_const", +[](const ExprHandle& e) { return constant_value(e->value); })
      .def(
          "tl.expr_kind",
          +[](const ExprHandle& e) { return ffi::String(std::string(kExprKinds[static_cast<int>(e->value.kind())])); })
      .def(
          "tl.expr_text", +[](const ExprHandle& e) { return ffi::String(python_text(e->value)); })
      .def(
          "tl.expr_same", +[](const ExprHandle& a, const ExprHandle& b) { return same(a->value, b->value); })
      .def(
          "tl.expr_hash", +[](const ExprHandle& e) { return static_cast<int64_t>(e->value->hash); })
      .def(
          "tl.expr_var_name", +[](const ExprHandle& e) -> ffi::Any {
            const auto* var = e->value.as<VarNode>();
            return var != nullptr ? ffi::Any(ffi::String(var->name)) : ffi::Any(nullptr);
          });
}

void register_buffers() {
  Registry(Origin::kBesideBuilder)
      .def("tl.buffer_new", +buffer_new)
      .def(
          "tl.buffer_name", +[](const BufferHandle& b) { return ffi::String(b->value->name); })
      .def(
          "tl.buffer_dtype", +[](const BufferHandle& b) { return ffi::String(b->value->dtype.name()); })
      .def(
          "tl.buffer_shape", +[](const BufferHandle& b) { return handles(b->value->shape); })
      .def(
          "tl.buffer_strides", +[](const BufferHandle& b) { return handles(b->value->strides); })
      .def(
          "tl.buffer_space",
          +[](const BufferHandle& b) { return ffi::String(std::string(scope_name(b->value->space))); })
      .def(
          "tl.buffer_same", +[](const BufferHandle& a, const BufferHandle& b) { return a->value == b->value; })
      .def(
          "tl.expr_load", +[](const BufferHandle& b,
                              const Args& indices) { return ExprHandle(element(b->value, to_operands(indices))); })
      .def(
          "tl.region_new",
          +[](const BufferHandle& b, const Args& offsets, const Args& extents) {
            return RegionHandle(region(b->value, to_operands(offsets), to_operands(extents)));
          })
      .def(
          "tl.region_extents", +[](const RegionHandle& r) { return handles(r->value.extents); })
      .def("tl.region_text", +[](const RegionHandle& r) { return ffi::String(print(r->value)); });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  register_expressions();
  register_inspection();
  register_buffers();
}

}  // namespace tl::binding
