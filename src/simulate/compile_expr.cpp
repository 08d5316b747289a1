#include <fmt/format.h>

#include "ir/index.h"
#include "simulate/compile.h"

namespace tl::simulate {

int Program::cell_bits_of(const Buffer& buffer) const {
  const auto it = cell_bits.find(buffer.get());
  return it != cell_bits.end() ? it->second : buffer->dtype.storage_bits();
}

VarSlot* Compiler::define(const Var& var, bool varies) {
  VarSlot& slot = program_.vars.emplace_back();
  slot.varies = varies;
  slot.values.resize(varies ? static_cast<size_t>(where_.width) : 1);
  program_.var_of[var.get()] = &slot;
  var_world_[&slot] = where_.world;
  return &slot;
}

BufferSlot* Compiler::define(const Buffer& buffer, bool is_private) {
  if (buffer->dtype.is_vector() || buffer->dtype.is_void()) {
    stop(90, here_,
         fmt::format("`{}` has elements of type {}, which cannot be interpreted", buffer->name, buffer->dtype.name()));
  }
  BufferSlot& slot = program_.buffers.emplace_back();
  slot.buffer = buffer;
  slot.codec = Codec(buffer->dtype);
  slot.is_private = is_private;
  program_.buffer_of[buffer.get()] = &slot;
  buffer_world_[&slot] = where_.world;
  return &slot;
}

BufferSlot* Compiler::use(const Buffer& buffer) {
  const auto it = program_.buffer_of.find(buffer.get());
  TL_CHECK(it != program_.buffer_of.end(), "buffer " + buffer->name + " is used before it is defined");
  BufferSlot* slot = it->second;
  if (slot->is_private && buffer_world_[slot] == World::kThreads && where_.world == World::kPoints) {
    stop(64, here_, fmt::format("`{}` differs between threads, and is used in a parallel loop", buffer->name),
         "a parallel loop belongs to all threads together: use a shared buffer or a fragment");
  }
  return slot;
}

NodeList Compiler::exprs(const std::vector<Expr>& list) {
  NodeList out;
  for (const Expr& e : list) out.push_back(expr(e));
  return out;
}

NodePtr Compiler::bound(const Expr& e) { return expr(e.dtype().is_int() ? widen_index(e) : e); }

NodeList Compiler::indices(const std::vector<Expr>& list) {
  NodeList out;
  for (const Expr& e : list) out.push_back(expr(widen_index(e)));
  return out;
}

TileRefPtr Compiler::region(const Region& region) {
  BufferSlot* buffer = use(region.buffer);
  NodeList offsets = indices(region.offsets), extents = indices(region.extents);
  const uint32_t site = m_.add_site(here_, region.buffer.get());
  return std::make_unique<TileRef>(buffer, std::move(offsets), std::move(extents), site);
}

NodePtr Compiler::call(const CallNode& node) {
  if (!node.intrinsic->math) {
    const auto* name = node.args.empty() ? nullptr : node.args[0].as<StringNode>();
    stop(90, here_,
         fmt::format("calls `{}`, which cannot be interpreted", name != nullptr ? name->value : node.intrinsic->name),
         "run the program on a target that has the function");
  }
  return make_math_node(*node.intrinsic->math, node.dtype, exprs(node.args), where_.width);
}

NodePtr Compiler::expr(const Expr& e) {
  const int width = where_.width;
  if (e.dtype().is_vector()) stop(90, here_, fmt::format("a value of type {} cannot be interpreted", e.dtype().name()));
  switch (e.kind()) {
    case ExprKind::kConst:
      return make_const_node(e.as<ConstNode>()->value);
    case ExprKind::kString:
      stop(90, here_, "a string has no value here");
    case ExprKind::kVar: {
      const auto it = program_.var_of.find(e.get());
      TL_CHECK(it != program_.var_of.end(), "variable " + e.as<VarNode>()->name + " is used before it is defined");
      const VarSlot* slot = it->second;
      if (slot->varies && var_world_[slot] == World::kThreads && where_.world == World::kPoints) {
        stop(64, here_,
             fmt::format("`{}` differs between threads, and is used in a parallel loop", e.as<VarNode>()->name),
             "a parallel loop belongs to all threads together; its points have no thread index");
      }
      return make_var_node(e.dtype(), slot);
    }
    case ExprKind::kUnary:
      return make_unary_node(e.as<UnaryNode>()->op, expr(e.as<UnaryNode>()->a), width);
    case ExprKind::kBinary: {
      const auto* n = e.as<BinaryNode>();
      NodePtr a = expr(n->a), b = expr(n->b);
      return make_binary_node(n->op, std::move(a), std::move(b), width, site_);
    }
    case ExprKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      NodePtr condition = expr(n->condition), a = expr(n->a), b = expr(n->b);
      return make_select_node(std::move(condition), std::move(a), std::move(b), width);
    }
    case ExprKind::kCast:
      return make_cast_node(e.dtype(), expr(e.as<CastNode>()->a), width);
    case ExprKind::kBitcast:
      return make_bitcast_node(e.dtype(), expr(e.as<BitcastNode>()->a), width);
    case ExprKind::kLoad: {
      const auto* n = e.as<LoadNode>();
      BufferSlot* buffer = use(n->buffer);
      return make_load_node(buffer, indices(n->indices), width, m_.add_site(here_, n->buffer.get()));
    }
    case ExprKind::kCall:
      return call(*e.as<CallNode>());
  }
  internal_error(__FILE__, __LINE__, "kind", "expression of unknown kind");
}

}  // namespace tl::simulate
