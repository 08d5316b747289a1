#pragma once

// All op classes, and the one place that goes from an op's kind to its class.

#include <type_traits>

#include "ir/ops_async.h"
#include "ir/ops_control.h"
#include "ir/ops_core.h"
#include "ir/ops_data.h"
#include "ir/ops_thread.h"
#include "ir/ops_tile.h"

namespace tl {

/// Calls `f` with `op` as its own class and returns the result.
template <class OpRef, class F>
decltype(auto) visit(OpRef& op, F&& f) {
  constexpr bool is_const = std::is_const_v<std::remove_reference_t<OpRef>>;
  switch (op.kind) {
#define TL_VISIT_CASE(Name) \
  case OpKind::k##Name:     \
    return f(static_cast<std::conditional_t<is_const, const Name, Name>&>(op));
    TL_FOR_EACH_OP(TL_VISIT_CASE)
#undef TL_VISIT_CASE
  }
  internal_error(__FILE__, __LINE__, "kind", "op of unknown kind");
}

/// Calls `f(field, value)` for every field of the op, in declared order.
template <class OpClass, class F>
void for_each_field(OpClass& op, F&& f) {
  std::apply([&](const auto&... field) { (f(field, op.*(field.member)), ...); },
             std::remove_const_t<OpClass>::fields());
}

/// The text name of the op's class, such as "tile.copy".
std::string_view op_name(const Op& op);

/// A deep copy with its own blocks; buffers, variables and expressions are shared.
OpPtr clone(const Op& op);
Block clone(const Block& block);

}  // namespace tl
