#include "ir/build/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/build/describe.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[Tilelang Semantic Check] ";

std::string missing_text(const Scope::Missing& missing) {
  const char* what = missing.is_buffer ? "Buffer" : "Immutable variable";
  if (missing.was_defined) return fmt::format("{} `{}` is used outside its defining region", what, missing.name);
  return fmt::format("{} `{}` is not part of this function", what, missing.name);
}

const char* missing_help(const Scope::Missing& missing) {
  if (!missing.was_defined) return "make it a parameter, or define it in the function before its first use";
  if (missing.is_buffer) return "allocate it before the loop or branch";
  return "to carry a value out of a loop or branch, write to a variable made by T.alloc_var before it";
}

}  // namespace

Builder::Builder(std::string name, Loc loc) : function_(std::make_unique<Function>()), here_(loc) {
  function_->name = std::move(name);
  function_->loc = std::move(loc);
  frames_.push_back({nullptr, &function_->body});
}

Builder::~Builder() = default;

// --- mistakes ------------------------------------------------------------------------------------

Diagnostic& Builder::error(int code, std::string message) {
  return diagnostics_.error(code, here_, std::move(message));
}

std::vector<Diagnostic> Builder::found(Severity severity) const {
  std::vector<Diagnostic> out;
  for (const Diagnostic& d : diagnostics_.all()) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Diagnostic& o) {
      return o.code == d.code && o.message == d.message && to_string(o.loc) == to_string(d.loc);
    });
    if (d.severity == severity && !known) out.push_back(d);
  }
  return out;
}

void Builder::throw_mistakes() const {
  std::vector<Diagnostic> errors = found(Severity::kError);
  if (!errors.empty()) throw CompileError(std::move(errors));
}

void Builder::fail() {
  throw_mistakes();
  internal_error(__FILE__, __LINE__, "has_errors", "failed without a recorded error");
}

void Builder::fail(Diagnostic diagnostic) {
  Diagnostic& recorded = diagnostics_.error(diagnostic.code, diagnostic.loc, std::move(diagnostic.message));
  recorded.notes = std::move(diagnostic.notes);
  recorded.help = std::move(diagnostic.help);
  fail();
}

void Builder::warn(Diagnostic diagnostic) {
  Diagnostic& recorded = diagnostics_.warning(diagnostic.code, diagnostic.loc, std::move(diagnostic.message));
  recorded.notes = std::move(diagnostic.notes);
  recorded.help = std::move(diagnostic.help);
}

void Builder::record(const CompileError& e) {
  for (const Diagnostic& d : e.diagnostics()) {
    Diagnostic& recorded = diagnostics_.error(d.code, d.loc ? d.loc : here_, d.message);
    recorded.notes = d.notes;
    recorded.help = d.help;
  }
}

bool Builder::check_element(const BufferNode& buffer, const std::vector<Expr>& indices) {
  const bool fragment = buffer.space == MemorySpace::kFragment, local = buffer.space == MemorySpace::kLocal;
  if ((!fragment && !local) || enclosing<Parallel>() == nullptr) return true;
  uint8_t dependence = Scope::kUniform;
  for (const Expr& index : indices) dependence |= scope_.dependence(index);
  const Buffer handle(&buffer);
  if (fragment && (dependence & Scope::kOnRuntimeParallel) != 0) {
    Diagnostic& d = error(
        63, fmt::format("{}fragment `{}` is indexed by a T.Parallel variable of symbolic range", kCheck, buffer.name));
    d.help = "give the loop a constant extent and guard the body: `if i < n:`";
    with_declaration(d, handle);
    return false;
  }
  if (local && dependence != Scope::kUniform) {
    Diagnostic& d =
        error(64, fmt::format("{}Local buffer `{}` is indexed by a T.Parallel variable", kCheck, buffer.name));
    d.help = "every thread has its own copy of a local buffer: use T.alloc_fragment for a tile spread over the threads";
    with_declaration(d, handle);
    return false;
  }
  return true;
}

void Builder::check_loads(const Expr& e, bool& good) {
  visit_exprs(e, [&](const Expr& part) {
    if (const auto* load = part.as<LoadNode>()) good &= check_element(*load->buffer, load->indices);
  });
}

bool Builder::check_uses(const Op& op) {
  bool good = true;
  const auto report = [&](const std::optional<Scope::Missing>& missing) {
    if (!missing) return;
    good = false;
    const auto made_in = of_region_.find(missing->name);
    if (missing->is_buffer && made_in != of_region_.end() && made_in->second.group != vector_region()) {
      return used_behind_region(*missing, made_in->second.loc);
    }
    Diagnostic& d = error(2, missing_text(*missing));
    d.help = missing_help(*missing);
    if (missing->defined_at)
      d.notes.push_back({fmt::format("`{}` is defined here", missing->name), missing->defined_at});
  };
  const bool parallel = enclosing<Parallel>() != nullptr;
  for_each_expr(op, [&](const Expr& e) {
    report(scope_.use(e));
    if (parallel) check_loads(e, good);
  });
  for_each_region(op, [&](const RegionAccess& access) { report(scope_.use(access.region->buffer)); });
  if (const auto* view = op.as<View>()) report(scope_.use(view->source));
  if (const auto* store = op.as<Store>()) {
    report(scope_.use(store->buffer));
    good &= check_element(*store->buffer, store->indices);
  }
  return good;
}

// --- blocks --------------------------------------------------------------------------------------

void Builder::add(OpPtr op) {
  if (check_uses(*op)) frames_.back().block->push_back(std::move(op));
}

void Builder::open(OpPtr op, Block* block) {
  check_uses(*op);
  frames_.push_back({std::move(op), block});
  scope_.open();
}

Var Builder::new_var(const std::string& name, DType dtype, uint8_t dependence) {
  Var var(scope_.unique_name(name), dtype);
  scope_.define(var, here_, dependence);
  return var;
}

// --- the function's own parts --------------------------------------------------------------------

std::vector<Expr> Builder::shape(const std::vector<Operand>& extents, int code, const std::string& what) {
  std::vector<Expr> out;
  for (const Operand& extent : extents) {
    const std::string name = fmt::format("extent {} of {}", out.size(), what);
    if (!attempt([&] { out.push_back(promote::index(extent, code, name)); })) fail();
  }
  return out;
}

Var Builder::symbol(const std::string& name, DType dtype) {
  Var var(scope_.unique_name(name), dtype);
  symbol(var);
  return var;
}

void Builder::symbol(const Var& var) {
  if (scope_.knows(var)) return;
  scope_.define_everywhere(var, here_);
  function_->symbols.push_back(var);
}

Buffer Builder::checked_tensor(const std::string& name, DType dtype, const std::vector<Operand>& extents,
                               const std::vector<Operand>& strides) {
  const Buffer buffer = make_buffer(scope_.unique_name(name), dtype, shape(extents, 22, "tensor " + name),
                                    MemorySpace::kGlobal, {}, here_);
  const std::vector<Expr> steps = shape(strides, 22, "the strides of tensor " + name);
  for (const Expr& extent : buffer->shape) {
    if (as_int(extent).value_or(0) < 0) {
      error(27, fmt::format("tensor `{}` has the negative extent {} in shape {}", name, *as_int(extent),
                            shape_text(buffer->shape)))
          .help = "extents are 0 or more";
      fail();
    }
  }
  if (!steps.empty() && steps.size() != buffer->rank()) {
    Diagnostic& d = error(25, fmt::format("Invalid shape/strides' dimensions: tensor `{}` has shape {} and strides {}",
                                          name, shape_text(buffer->shape), shape_text(steps)));
    d.help = "give one stride a dimension, in elements";
    fail();
  }
  if (dtype.is_void() || dtype.is_handle()) {
    error(74, fmt::format("tensor `{}` cannot have elements of type {}", name, dtype.name())).help =
        "use a number type such as \"float32\"";
    fail();
  }
  return make_buffer(buffer->name, dtype, buffer->shape, MemorySpace::kGlobal, steps, here_);
}

Buffer Builder::tensor(const std::string& name, DType dtype, const std::vector<Operand>& extents,
                       const std::vector<Operand>& strides) {
  const Buffer made = checked_tensor(name, dtype, extents, strides);
  for (const std::vector<Expr>* exprs : {&made->shape, &made->strides}) {
    for (const Expr& e : *exprs) {
      visit_exprs(e, [&](const Expr& part) {
        if (part.kind() == ExprKind::kVar) symbol(Var(part));
      });
    }
  }
  scope_.define_everywhere(made);
  function_->params.emplace_back(made);
  return made;
}

Var Builder::scalar(const std::string& name, DType dtype) {
  const Var var(scope_.unique_name(name), dtype);
  scope_.define_everywhere(var, here_);
  function_->params.emplace_back(var);
  return var;
}

void Builder::attr(const std::string& key, AttrValue value) { function_->attrs[key] = std::move(value); }

void Builder::reorder_parameters(const std::vector<int64_t>& order) {
  std::vector<Param> reordered;
  for (const int64_t from : order) reordered.push_back(function_->params.at(from));
  TL_CHECK(reordered.size() == function_->params.size(), "an order of parameters names each once");
  function_->params = std::move(reordered);
}

std::unique_ptr<Function> Builder::finish(std::vector<int64_t> outputs) {
  TL_CHECK(frames_.size() == 1, "finish with open frames");
  for (const int64_t output : outputs) {
    if (output >= 0 && output < static_cast<int64_t>(function_->params.size())) continue;
    error(108, fmt::format("output index {} is out of range for a function with {} parameters", output,
                           function_->params.size()))
        .help = "outputs are positions of parameters, from 0";
  }
  throw_mistakes();
  function_->outputs = std::move(outputs);
  return std::move(function_);
}

}  // namespace tl
