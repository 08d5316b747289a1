#include "ir/walk.h"

#include "ir/index.h"

namespace tl {
namespace {

template <class F>
void on_exprs(Expr& value, F&& f) {
  if (value) f(value);
}
template <class F>
void on_exprs(std::vector<Expr>& values, F&& f) {
  for (Expr& e : values) f(e);
}
template <class F>
void on_exprs(Region& region, F&& f) {
  on_exprs(region.offsets, f);
  on_exprs(region.extents, f);
}
template <class T, class F>
void on_exprs(T&, F&&) {}

template <class T, class F>
void on_blocks(std::string_view, T&, F&&) {}
template <class F>
void on_blocks(std::string_view name, Block& b, F&& f) {
  f(name, b);
}

/// Calls `f(Expr&)` on every operand expression of the op; vars that the op defines are no operands.
template <class F>
void each_expr_slot(Op& op, F&& f) {
  visit(op, [&](auto& typed) {
    for_each_field(typed, [&](const auto& field, auto& value) {
      if (field.role != FieldRole::kDefines) on_exprs(value, f);
    });
  });
}

void replace_buffer(Buffer& buffer, const Substitution& s) {
  const auto it = s.buffers.find(buffer.get());
  if (it != s.buffers.end()) buffer = it->second;
}

struct RenewDefinitions {
  Substitution& s;
  void operator()(Var& var) const {
    Var fresh(var.name(), var.dtype());
    s.vars[var.get()] = fresh;
    var = std::move(fresh);
  }
  void operator()(std::vector<Var>& vars) const {
    for (Var& v : vars) (*this)(v);
  }
  void operator()(Buffer& buffer) const {
    auto fresh = make_ref<BufferNode>(*buffer);
    for (Expr& e : fresh->shape) e = substitute(e, s);
    for (Expr& e : fresh->strides) e = substitute(e, s);
    s.buffers[buffer.get()] = fresh;
    buffer = fresh;
  }
  template <class T>
  void operator()(T&) const {}
};

void renew(Block& block, Substitution& s) {
  for (OpPtr& op : block) {
    // Operands may not see what the op itself defines, so they are substituted first.
    each_expr_slot(*op, [&](Expr& e) { e = substitute(e, s); });
    visit(*op, [&](auto& typed) {
      for_each_field(typed, [&](const auto& field, auto& value) {
        using Type = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, Region>) {
          replace_buffer(value.buffer, s);
        } else if constexpr (std::is_same_v<Type, Buffer>) {
          if (field.role == FieldRole::kRefers) replace_buffer(value, s);
        }
      });
      for_each_field(typed, [&](const auto& field, auto& value) {
        if (field.role == FieldRole::kDefines) RenewDefinitions{s}(value);
      });
    });
    for_each_block(*op, [&](std::string_view, Block& nested) { renew(nested, s); });
  }
}

}  // namespace

void for_each_expr(const Op& op, const std::function<void(const Expr&)>& f) {
  each_expr_slot(const_cast<Op&>(op), [&](Expr& e) { f(e); });
}

void map_exprs(Op& op, const std::function<Expr(const Expr&)>& f) {
  each_expr_slot(op, [&](Expr& e) { e = f(e); });
}

void map_values(Op& op, const std::function<Expr(const Expr&)>& f) {
  // Bounds have the dtype of the variable that they bound.
  const bool is_bound = op.kind == OpKind::kFor || op.kind == OpKind::kParallel || op.kind == OpKind::kLaunch;
  const auto index = [&](Expr& e) {
    Expr mapped = map_index(e, f);
    e = mapped.dtype() == e.dtype() || !is_bound ? std::move(mapped) : f(e);
  };
  visit(op, [&](auto& typed) {
    for_each_field(typed, [&](const auto& field, auto& value) {
      using Type = std::remove_reference_t<decltype(value)>;
      if (std::is_same_v<Type, Region> || field.role == FieldRole::kIndex) {
        on_exprs(value, index);
      } else if (field.role != FieldRole::kDefines) {
        on_exprs(value, [&](Expr& e) { e = f(e); });
      }
    });
  });
}

void for_each_region(const Op& op, const std::function<void(const RegionAccess&)>& f) {
  visit(op, [&](const auto& typed) {
    for_each_field(typed, [&](const auto& field, const auto& value) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Region>) {
        if (value) f({&value, field.role, field.name});
      }
    });
  });
}

void for_each_block(Op& op, const std::function<void(std::string_view, Block&)>& f) {
  visit(op, [&](auto& typed) {
    for_each_field(typed, [&](const auto& field, auto& value) { on_blocks(field.name, value, f); });
  });
}

void for_each_block(const Op& op, const std::function<void(std::string_view, const Block&)>& f) {
  for_each_block(const_cast<Op&>(op), [&](std::string_view name, Block& block) { f(name, block); });
}

void for_each_definition(const Op& op, const std::function<void(const Var&)>& on_var,
                         const std::function<void(const Buffer&)>& on_buffer) {
  visit(op, [&](const auto& typed) {
    for_each_field(typed, [&](const auto& field, const auto& value) {
      using Type = std::remove_cvref_t<decltype(value)>;
      if (field.role != FieldRole::kDefines) return;
      if constexpr (std::is_same_v<Type, Var>) on_var(value);
      if constexpr (std::is_same_v<Type, Buffer>) on_buffer(value);
      if constexpr (std::is_same_v<Type, std::vector<Var>>) {
        for (const Var& v : value) on_var(v);
      }
    });
  });
}

void visit_ops(const Block& block, const std::function<void(const Op&)>& f) {
  for (const OpPtr& op : block) {
    f(*op);
    for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { visit_ops(nested, f); });
  }
}

void visit_ops(Block& block, const std::function<void(Op&)>& f) {
  for (OpPtr& op : block) {
    f(*op);
    for_each_block(*op, [&](std::string_view, Block& nested) { visit_ops(nested, f); });
  }
}

void substitute(Op& op, const Substitution& s) {
  if (s.empty()) return;
  map_values(op, [&](const Expr& e) { return substitute(e, s); });
  visit(op, [&](auto& typed) {
    for_each_field(typed, [&](const auto& field, auto& value) {
      using Type = std::remove_reference_t<decltype(value)>;
      if constexpr (std::is_same_v<Type, Region>) replace_buffer(value.buffer, s);
      if constexpr (std::is_same_v<Type, Buffer>) {
        if (field.role == FieldRole::kRefers) replace_buffer(value, s);
      }
    });
  });
  for_each_block(op, [&](std::string_view, Block& nested) { substitute(nested, s); });
}

void substitute(Block& block, const Substitution& s) {
  for (OpPtr& op : block) substitute(*op, s);
}

void rewrite_ops(Block& block, const std::function<Block(OpPtr)>& f) {
  Block out;
  out.reserve(block.size());
  for (OpPtr& op : block) {
    for_each_block(*op, [&](std::string_view, Block& nested) { rewrite_ops(nested, f); });
    Block replaced = f(std::move(op));
    for (OpPtr& r : replaced) out.push_back(std::move(r));
  }
  block = std::move(out);
}

Block clone_with_new_definitions(const Block& block, Substitution s) {
  Block copy = clone(block);
  renew(copy, s);
  return copy;
}

OpPtr clone(const Op& op) {
  return visit(op, [](const auto& typed) -> OpPtr {
    using Class = std::remove_cvref_t<decltype(typed)>;
    auto copy = make_op<Class>(typed.loc);
    copy->slot = typed.slot;
    std::apply(
        [&](const auto&... field) {
          [[maybe_unused]] const auto one = [&](const auto& f) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(typed.*(f.member))>, Block>) {
              copy.get()->*(f.member) = clone(typed.*(f.member));
            } else {
              copy.get()->*(f.member) = typed.*(f.member);
            }
          };
          (one(field), ...);
        },
        Class::fields());
    return copy;
  });
}

Block clone(const Block& block) {
  Block out;
  out.reserve(block.size());
  for (const OpPtr& op : block) out.push_back(clone(*op));
  return out;
}

std::unique_ptr<Function> clone(const Function& f) {
  auto copy = std::make_unique<Function>();
  copy->name = f.name;
  copy->symbols = f.symbols;
  copy->params = f.params;
  copy->outputs = f.outputs;
  copy->attrs = f.attrs;
  copy->body = clone(f.body);
  copy->loc = f.loc;
  return copy;
}

std::string_view op_name(const Op& op) {
  return visit(op, [](const auto& typed) { return std::remove_cvref_t<decltype(typed)>::kName; });
}

}  // namespace tl
