// tl.builder_finish, tl.function_* and tl.diagnostic_*: finished functions, and messages.

#include "binding/arguments.h"
#include "binding/boundary.h"
#include "ir/line_table.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl::binding {
namespace {

FunctionHandle builder_finish(const BuilderHandle& b, const Args& outputs) {
  std::shared_ptr<const Function> function = b->value.finish(to_ints(outputs));
  end_current(b);
  return FunctionHandle(std::move(function));
}

ffi::Array<ffi::Any> parameter(const Param& p) {
  if (const auto* var = std::get_if<Var>(&p)) {
    return {ffi::String("scalar"), ffi::String(var->name()), ffi::String(var->dtype().name()), ffi::Array<ffi::Any>()};
  }
  const Buffer& buffer = std::get<Buffer>(p);
  ffi::Array<ffi::Any> shape;
  for (const Expr& e : buffer->shape) shape.push_back(ExprHandle(e));
  return {ffi::String("tensor"), ffi::String(buffer->name), ffi::String(buffer->dtype.name()), shape};
}

ffi::Array<ffi::Any> function_params(const FunctionHandle& f) {
  ffi::Array<ffi::Any> out;
  for (const Param& p : f->value->params) out.push_back(parameter(p));
  return out;
}

int64_t function_launches(const FunctionHandle& f) {
  int64_t count = 0;
  visit_ops(f->value->body, [&](const Op& op) { count += op.as<Launch>() != nullptr; });
  return count;
}

Diagnostic diagnostic(int64_t code, const ffi::String& message, const Args& notes, const ffi::String& help, Loc loc) {
  Diagnostic d;
  d.code = static_cast<int>(code);
  d.message = message;
  d.help = help;
  d.loc = std::move(loc);
  for (const std::string& note : to_strings(notes)) d.notes.push_back({note, Loc()});
  return d;
}

ffi::String diagnostic_render(int64_t code, const ffi::String& message, const ffi::String& file, int64_t line,
                              int64_t column, int64_t end_column, const Args& notes, const ffi::String& help) {
  const Loc loc =
      line > 0 ? make_loc(file, static_cast<int>(line), static_cast<int>(column), static_cast<int>(end_column)) : Loc();
  return render(diagnostic(code, message, notes, help, loc));
}

ffi::Array<ffi::Any> diagnostic_codes() {
  ffi::Array<ffi::Any> out;
  for (const DiagnosticCode& c : all_diagnostic_codes()) {
    out.push_back(ffi::Array<ffi::Any>{int64_t{c.number}, ffi::String(std::string(error_class_name(c.cls))),
                                       ffi::String(std::string(c.title))});
  }
  return out;
}

ffi::Array<ffi::Any> builder_diagnostics(const BuilderHandle& b) {
  ffi::Array<ffi::Any> out;
  for (const Diagnostic& d : b->value.found(Severity::kWarning)) out.push_back(ffi::String(render(d)));
  return out;
}

void builder_fail(const BuilderHandle& b, int64_t loc, int64_t code, const ffi::String& message, const Args& notes,
                  const ffi::String& help) {
  b->value.fail(diagnostic(code, message, notes, help, position(*b.get(), loc)));
}

ffi::String builder_warn(const BuilderHandle& b, int64_t loc, int64_t code, const ffi::String& message) {
  Diagnostic d = diagnostic(code, message, {}, "", position(*b.get(), loc));
  d.severity = Severity::kWarning;
  const std::string text = render(d);
  b->value.warn(std::move(d));
  return text;
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  Registry(Origin::kBuilder)
      .def("tl.builder_finish", +builder_finish)
      .def("tl.builder_diagnostics", +builder_diagnostics)
      .def("tl.builder_fail", +builder_fail)
      .def("tl.builder_warn", +builder_warn)
      .def(
          "tl.function_text",
          +[](const FunctionHandle& f, bool positions) { return ffi::String(print(*f->value, {positions})); })
      .def(
          "tl.function_parse",
          +[](const ffi::String& text) {
            return FunctionHandle(std::shared_ptr<const Function>(parse_function({text.data(), text.size()})));
          })
      .def(
          "tl.function_name", +[](const FunctionHandle& f) { return ffi::String(f->value->name); })
      .def("tl.function_params", +function_params)
      .def(
          "tl.function_outputs",
          +[](const FunctionHandle& f) {
            ffi::Array<ffi::Any> out;
            for (const int64_t o : f->value->outputs) out.push_back(o);
            return out;
          })
      .def("tl.function_launches", +function_launches)
      .def(
          "tl.function_annotate_source",
          +[](const FunctionHandle& f, const ffi::String& source) {
            return ffi::String(with_user_lines({source.data(), source.size()}, LineTable(*f->value).lines()));
          })
      .def("tl.diagnostic_render", +diagnostic_render)
      .def(
          "tl.diagnostic_class",
          +[](int64_t code) {
            return ffi::String(std::string(error_class_name(diagnostic_code(static_cast<int>(code)).cls)));
          })
      .def("tl.diagnostic_codes", +diagnostic_codes);
}

}  // namespace tl::binding
