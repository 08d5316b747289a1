// Allocations and views.

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/build/describe.h"
#include "ir/build/linear.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// What the tile of a memory space is called by the user, and why its extents must be constants.
const char* constant_size_reason(MemorySpace space) {
  switch (space) {
    case MemorySpace::kFragment:
      return "the layout for a fragment of run-time size can not be inferred";
    case MemorySpace::kLocal:
      return "Can only handle constant size stack allocation";
    default:
      return "on-chip memory is laid out when the kernel is compiled";
  }
}

}  // namespace

void Builder::check_allocation(const std::string& name, DType dtype, const std::vector<Expr>& shape,
                               MemorySpace space) {
  const auto refuse = [&](std::string problem, std::string help) {
    error(74, fmt::format("`{}`: {}", name, problem)).help = std::move(help);
    fail();
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto extent = as_int(shape[i]);
    if (extent && *extent <= 0) {
      refuse(fmt::format("extent {} of shape {} is {}, it must be positive", i, shape_text(shape), *extent),
             "give every extent at least 1");
    }
    if (!extent && space != MemorySpace::kGlobal) {
      refuse(fmt::format("the {} shape {} is known only at run time: {}", space_name(space), shape_text(shape),
                         constant_size_reason(space)),
             "allocate the largest tile and guard what lies beyond the run-time extent");
    }
  }
  if (dtype.is_void() || (dtype.is_handle() && space != MemorySpace::kVar)) {
    refuse(fmt::format("elements cannot be of type {}", dtype.name()), "use a number type such as \"float32\"");
  }
  if (dtype.cls() == TypeClass::kFloat4E2M1Unpacked && !is_shared(space)) {
    refuse(fmt::format("elements of type {} exist in shared memory only", dtype.name()), "use \"float4_e2m1fn\"");
  }
  if (space == MemorySpace::kL0C && !dtype.is_float(32) && !(dtype == DType::i32())) {
    refuse(fmt::format("products are summed in float32 or int32, not in {}", dtype.name()),
           "use \"float32\", or \"int32\" for products of integers; a copy out of it converts");
  }
  if (space == MemorySpace::kVar) {
    for (const Expr& extent : shape) {
      if (!is_const_int(extent, 1))
        refuse(fmt::format("a variable has one element, not the shape {}", shape_text(shape)), "use T.alloc_local");
    }
  }
}

void Builder::check_known_to_call(const std::string& name, const Expr& e) {
  visit_exprs(e, [&](const Expr& part) {
    const bool is_load = part.kind() == ExprKind::kLoad;
    if (!is_load && (part.kind() != ExprKind::kVar || scope_.is_everywhere(part))) return;
    error(74, fmt::format("`{}` depends on `{}`, but global memory is there before the function's first statement",
                          name, python_text(part)))
        .help = "use parameters, dimensions of tensors and what follows from them";
    fail();
  });
}

Buffer Builder::add_global(std::unique_ptr<Alloc> op) {
  const Buffer buffer = op->buffer;
  const bool good = check_uses(*op);
  scope_.define_everywhere(buffer);
  if (good) frames_.front().block->push_back(std::move(op));
  return buffer;
}

Buffer Builder::tensor_at(const std::string& name, DType dtype, const std::vector<Operand>& extents,
                          const std::vector<Operand>& strides, const Operand& address) {
  auto op = make<Alloc>();
  op->buffer = checked_tensor(name, dtype, extents, strides);
  op->at = address.as_written();
  if (!op->at.dtype().is_handle() && !(op->at.dtype().is_integral() && op->at.dtype().bits() == 64)) {
    error(80, fmt::format("the address of tensor `{}` is of type {}", name, op->at.dtype().name())).help =
        "use a parameter of type T.ptr, or an int64";
    fail();
  }
  check_known_to_call(name, op->at);
  for (const auto* exprs : {&op->buffer->shape, &op->buffer->strides}) {
    for (const Expr& e : *exprs) check_known_to_call(name, e);
  }
  return add_global(std::move(op));
}

Buffer Builder::alloc(const std::string& name, DType dtype, const std::vector<Operand>& extents, MemorySpace space,
                      std::optional<Operand> init, Attrs hints) {
  std::vector<Expr> sizes = shape(extents, 74, "`" + name + "`");
  check_allocation(name, dtype, sizes, space);
  check_core_allocation(name, space);
  // On a GPU bool tiles have no dynamic form.
  if (dtype.is_bool() && space == MemorySpace::kShared && !on_cores()) space = MemorySpace::kSharedStatic;
  auto op = make<Alloc>();
  op->buffer = make_buffer(scope_.unique_name(name), dtype, std::move(sizes), space, {}, here_);
  op->hints = std::move(hints);
  const Buffer buffer = op->buffer;
  if (init && space != MemorySpace::kVar) {
    error(74, fmt::format("`{}`: only variables take an initial value", name)).help = "use T.fill after the allocation";
    fail();
  }
  if (init) {
    attempt([&] {
      op->init = promote::stored(*init, dtype).value;
      check_core_store(*init, *buffer);
    });
  }
  if (space == MemorySpace::kGlobal) {
    for (const Expr& e : buffer->shape) check_known_to_call(name, e);
    return add_global(std::move(op));
  }
  const bool good = check_uses(*op);
  scope_.define(buffer);
  if (const Group* group = vector_region()) of_region_[buffer->name] = {group, group->loc};
  if (good) frames_.back().block->push_back(std::move(op));
  return buffer;
}

Buffer Builder::view(const std::string& name, const Buffer& source, DType dtype, const std::vector<Operand>& extents,
                     const std::vector<Operand>& strides) {
  auto op = make<View>();
  std::vector<Expr> sizes = shape(extents, 25, "the view of `" + source->name + "`");
  std::vector<Expr> steps = shape(strides, 25, "the strides of the view of `" + source->name + "`");
  const auto refuse = [&](int code, std::string message, const char* help) {
    Diagnostic& d = error(code, std::move(message));
    d.help = help;
    with_declaration(d, source);
    fail();
  };
  if (!steps.empty() && steps.size() != sizes.size()) {
    refuse(25,
           fmt::format("Invalid shape/strides' dimensions: shape {}, strides {}", shape_text(sizes), shape_text(steps)),
           "give one stride a dimension, in elements");
  }
  if (!source->is_contiguous() && steps.empty()) {
    refuse(25, fmt::format("T.view of `{}`, which is not contiguous", source->name), "give the strides of the view");
  }
  const auto bits = [](DType t) { return int64_t{t.storage_bits()} * t.lanes(); };
  const auto sizes_equal = equal(product_of(sizes, bits(dtype)), product_of(source->shape, bits(source->dtype)));
  if (steps.empty() && !sizes_equal.value_or(true)) {
    refuse(26,
           fmt::format("T.reshape/view shape check failed: {} {} has another size than {} {}", dtype.name(),
                       shape_text(sizes), source->dtype.name(), shape_text(source->shape)),
           "a view has as many bits as the buffer it names");
  }
  op->buffer = make_buffer(scope_.unique_name(name), dtype, std::move(sizes), source->space, std::move(steps), here_);
  op->source = source;
  const Buffer buffer = op->buffer;
  if (!sizes_equal && buffer->strides.empty()) {
    Expr wanted = make_int(DType::i64(), bits(source->dtype)), given = make_int(DType::i64(), bits(dtype));
    for (const Expr& e : buffer->shape) given = promote::binary(BinaryOp::kMul, given, e);
    for (const Expr& e : source->shape) wanted = promote::binary(BinaryOp::kMul, wanted, e);
    assert_(
        promote::binary(BinaryOp::kEq, given, wanted),
        fmt::format("T.reshape/view shape check failed: `{}` has another size than `{}`", buffer->name, source->name));
  }
  const bool good = check_uses(*op);
  scope_.define(buffer);
  view_of_[buffer.get()] = source;
  if (good) frames_.back().block->push_back(std::move(op));
  return buffer;
}

const BufferNode* Builder::storage(const Buffer& buffer) const {
  const BufferNode* node = buffer.get();
  for (auto it = view_of_.find(node); it != view_of_.end(); it = view_of_.find(node)) node = it->second.get();
  return node;
}

}  // namespace tl
