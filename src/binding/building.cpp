// tl.builder_*: every call is one call of tl::Builder.

#include "binding/arguments.h"
#include "binding/boundary.h"

namespace tl::binding {
namespace {

std::string_view view(const ffi::String& s) { return {s.data(), s.size()}; }

ffi::Array<ffi::Any> handles(const std::vector<Var>& vars) {
  ffi::Array<ffi::Any> out;
  for (const Var& v : vars) out.push_back(ExprHandle(static_cast<const Expr&>(v)));
  return out;
}

Builder& of(const BuilderHandle& b) { return b->value; }

std::optional<Operand> optional_operand(const ffi::AnyView& v) {
  if (v.type_index() == ffi::TypeIndex::kTVMFFINone) return std::nullopt;
  return to_operand(v);
}

BuilderHandle builder_new(const ffi::String& name) {
  BuilderHandle builder{std::string(name)};
  begin_current(builder);
  return builder;
}

int64_t builder_loc(const BuilderHandle& b, const ffi::String& file, int64_t line, int64_t column, int64_t end_column,
                    const ffi::String& macro, int64_t caller) {
  b->locs.push_back(make_loc(file, static_cast<int>(line), static_cast<int>(column), static_cast<int>(end_column),
                             macro, position(*b.get(), caller)));
  return static_cast<int64_t>(b->locs.size()) - 1;
}

void builder_symbol_var(const BuilderHandle& b, const ExprHandle& var) {
  const Var v(var->value);
  TL_CHECK(static_cast<bool>(v), "builder_symbol_var takes a variable");
  of(b).symbol(v);
}

ffi::Array<ffi::Any> builder_launch(const BuilderHandle& b, const Args& grid, const Args& threads, const Args& names,
                                    const OptionMap& opts) {
  const Options options(opts);
  LaunchOptions launch;
  launch.names = to_strings(names);
  launch.cluster = options.integers("cluster");
  launch.prelude = options.text("prelude");
  launch.hints = options.hints();
  return handles(of(b).launch(to_operands(grid), to_ints(threads), std::move(launch)));
}

ExprHandle builder_for(const BuilderHandle& b, const ffi::String& name, ffi::AnyView begin, ffi::AnyView end,
                       ffi::AnyView step, const ffi::String& kind, const OptionMap& opts) {
  const Options options(opts);
  LoopOptions loop;
  loop.stages = options.integer("stages", 0, 69);
  loop.order = options.integers("order");
  loop.stage = options.integers("stage");
  loop.hints = options.hints();
  const Var var = of(b).loop(name, to_operand(begin), to_operand(end), to_operand(step), to_enum<LoopKind>(view(kind)),
                             std::move(loop));
  return ExprHandle(static_cast<const Expr&>(var));
}

void builder_copy(const BuilderHandle& b, ffi::AnyView src, ffi::AnyView dst, const OptionMap& opts) {
  const Options options(opts);
  CopyOptions copy;
  // An instruction that is not known is no preference.
  copy.prefer = parse_enum<CopyPreference>(options.text("prefer")).value_or(CopyPreference::kAny);
  if (const auto evict = options.find("evict")) copy.evict = to_enum<EvictionPolicy>(evict->cast<std::string>());
  if (const auto pad = options.find("pad")) copy.pad = to_operand(*pad);
  copy.hints = options.hints();
  of(b).copy(to_tile(src), to_tile(dst), std::move(copy));
}

void builder_gemm(const BuilderHandle& b, ffi::AnyView a_tile, ffi::AnyView b_tile, ffi::AnyView c_tile,
                  bool transpose_a, bool transpose_b, const ffi::String& policy, ffi::AnyView clear,
                  const OptionMap& hints) {
  GemmOptions options;
  options.transpose_a = transpose_a;
  options.transpose_b = transpose_b;
  options.policy = to_enum<WarpPolicy>(view(policy));
  options.clear = to_operand(clear);
  options.hints = to_attrs(hints);
  of(b).gemm(to_tile(a_tile), to_tile(b_tile), to_tile(c_tile), std::move(options));
}

void register_function_parts() {
  Registry(Origin::kBuilder)
      .def("tl.builder_new", +builder_new)
      .def(
          "tl.builder_drop", +[](const BuilderHandle& b) { end_current(b); })
      .def("tl.builder_loc", +builder_loc)
      .def(
          "tl.builder_at", +[](const BuilderHandle& b, int64_t loc) { of(b).at(position(*b.get(), loc)); })
      .def(
          "tl.builder_symbol",
          +[](const BuilderHandle& b, const ffi::String& name, const ffi::String& dtype) {
            return ExprHandle(of(b).symbol(name, to_dtype(view(dtype))));
          })
      .def("tl.builder_symbol_var", +builder_symbol_var)
      .def(
          "tl.builder_tensor",
          +[](const BuilderHandle& b, const ffi::String& name, const ffi::String& dtype, const Args& shape,
              const Args& strides) {
            return BufferHandle(of(b).tensor(name, to_dtype(view(dtype)), to_operands(shape), to_operands(strides)));
          })
      .def(
          "tl.builder_tensor_at",
          +[](const BuilderHandle& b, const ffi::String& name, const ffi::String& dtype, const Args& shape,
              const Args& strides, ffi::AnyView address) {
            return BufferHandle(of(b).tensor_at(name, to_dtype(view(dtype)), to_operands(shape), to_operands(strides),
                                                to_operand(address)));
          })
      .def(
          "tl.builder_scalar",
          +[](const BuilderHandle& b, const ffi::String& name, const ffi::String& dtype) {
            return ExprHandle(of(b).scalar(name, to_dtype(view(dtype))));
          })
      .def(
          "tl.builder_attr", +[](const BuilderHandle& b, const ffi::String& key,
                                 ffi::AnyView value) { of(b).attr(key, to_attr(view(key), value)); })
      .def(
          "tl.builder_order",
          +[](const BuilderHandle& b, const Args& order) { of(b).reorder_parameters(to_ints(order)); });
}

void register_frames() {
  Registry(Origin::kBuilder)
      .def("tl.builder_launch", +builder_launch)
      .def(
          "tl.builder_lanes", +[](const BuilderHandle& b) { return handles(of(b).lanes()); })
      .def("tl.builder_for", +builder_for)
      .def(
          "tl.builder_parallel",
          +[](const BuilderHandle& b, const Args& names, const Args& extents, const OptionMap& hints) {
            return handles(of(b).parallel(to_strings(names), to_operands(extents), to_attrs(hints)));
          })
      .def(
          "tl.builder_if", +[](const BuilderHandle& b, ffi::AnyView c) { of(b).if_(to_operand(c)); })
      .def(
          "tl.builder_else", +[](const BuilderHandle& b) { of(b).else_(); })
      .def(
          "tl.builder_while", +[](const BuilderHandle& b, ffi::AnyView c) { of(b).while_(to_operand(c)); })
      .def(
          "tl.builder_group", +[](const BuilderHandle& b, const ffi::String& engine, int64_t first,
                                  int64_t count) { of(b).group(engine, first, count); })
      .def(
          "tl.builder_simt_region",
          +[](const BuilderHandle& b, const Args& threads, const OptionMap& hints) {
            of(b).simt_region(to_ints(threads), to_attrs(hints));
          })
      .def(
          "tl.builder_end", +[](const BuilderHandle& b) { of(b).end(); })
      .def(
          "tl.builder_discard", +[](const BuilderHandle& b) { of(b).discard(); })
      .def(
          "tl.builder_swizzle", +[](const BuilderHandle& b, int64_t panel_size, const ffi::String& order, bool enable) {
            if (enable) of(b).swizzle(panel_size, order);
          });
}

void register_statements() {
  Registry(Origin::kBuilder)
      .def(
          "tl.builder_bind", +[](const BuilderHandle& b, const ffi::String& name,
                                 ffi::AnyView e) { return ExprHandle(of(b).bind(name, to_operand(e))); })
      .def(
          "tl.builder_alloc",
          +[](const BuilderHandle& b, const ffi::String& name, const ffi::String& dtype, const Args& shape,
              const ffi::String& space, ffi::AnyView init, const OptionMap& hints) {
            return BufferHandle(of(b).alloc(name, to_dtype(view(dtype)), to_operands(shape), to_space(view(space)),
                                            optional_operand(init), to_attrs(hints)));
          })
      .def(
          "tl.builder_view",
          +[](const BuilderHandle& b, const ffi::String& name, const BufferHandle& source, const ffi::String& dtype,
              const Args& shape, const Args& strides) {
            return BufferHandle(
                of(b).view(name, source->value, to_dtype(view(dtype)), to_operands(shape), to_operands(strides)));
          })
      .def(
          "tl.builder_store",
          +[](const BuilderHandle& b, const BufferHandle& buffer, const Args& indices, ffi::AnyView value) {
            of(b).store(buffer->value, to_operands(indices), to_operand(value));
          })
      .def(
          "tl.builder_evaluate", +[](const BuilderHandle& b, ffi::AnyView e) { of(b).evaluate(to_operand(e)); })
      .def(
          "tl.builder_assert", +[](const BuilderHandle& b, ffi::AnyView c,
                                   const ffi::String& message) { of(b).assert_(to_operand(c), message); })
      .def(
          "tl.builder_assume", +[](const BuilderHandle& b, ffi::AnyView c) { of(b).assume(to_operand(c)); })
      .def(
          "tl.builder_print",
          +[](const BuilderHandle& b, const ffi::String& message, const Args& values, ffi::AnyView tile) {
            std::optional<TileOperand> region;
            if (tile.type_index() != ffi::TypeIndex::kTVMFFINone) region = to_tile(tile);
            of(b).print(message, to_operands(values), std::move(region));
          })
      .def(
          "tl.builder_break", +[](const BuilderHandle& b) { of(b).break_(); })
      .def("tl.builder_continue", +[](const BuilderHandle& b) { of(b).continue_(); });
}

void register_tile_operations() {
  Registry(Origin::kBuilder)
      .def("tl.builder_copy", +builder_copy)
      .def(
          "tl.builder_fill", +[](const BuilderHandle& b, ffi::AnyView dst,
                                 ffi::AnyView value) { of(b).fill(to_tile(dst), to_operand(value)); })
      .def("tl.builder_gemm", +builder_gemm)
      .def(
          "tl.builder_reduce",
          +[](const BuilderHandle& b, const ffi::String& kind, ffi::AnyView src, ffi::AnyView dst, int64_t dim,
              bool clear,
              const OptionMap& hints) { of(b).reduce(kind, to_tile(src), to_tile(dst), dim, clear, to_attrs(hints)); })
      .def(
          "tl.builder_scan",
          +[](const BuilderHandle& b, const ffi::String& kind, ffi::AnyView src, ffi::AnyView dst, int64_t dim,
              bool reverse) { of(b).scan(kind, to_tile(src), to_tile(dst), dim, reverse); })
      .def(
          "tl.builder_barrier", +[](const BuilderHandle& b, int64_t id, int64_t count) { of(b).barrier(id, count); })
      .def("tl.builder_grid_barrier", +[](const BuilderHandle& b) { of(b).grid_barrier(); });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  register_function_parts();
  register_frames();
  register_statements();
  register_tile_operations();
}

}  // namespace tl::binding
