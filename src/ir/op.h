#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ir/attrs.h"
#include "ir/buffer.h"
#include "ir/expr.h"
#include "ir/field.h"
#include "support/diagnostic.h"

namespace tl {

/// Every op class, in the order of the documentation. A new op is a struct in one of ir/ops_*.h and a row here.
// clang-format off
#define TL_FOR_EACH_OP(X)                                                              \
  X(Launch) X(Group) X(For) X(Parallel) X(If) X(While) X(Break) X(Continue)            \
  X(Bind) X(Alloc) X(View) X(Store) X(Evaluate)                                        \
  X(Assert) X(Assume) X(Print)                                                         \
  X(Copy) X(Fill) X(Gemm) X(Reduce) X(Scan) X(Relayout)                                \
  X(Barrier) X(AsyncCopy) X(Wait)                                                      \
  X(ThreadReduce) X(ThreadCommit) X(ThreadWait)                                        \
  X(CoreLaunch) X(CoreSet) X(CoreWait) X(CoreBarrier)
// clang-format on

enum class OpKind : uint8_t {
#define TL_OP_KIND(Name) k##Name,
  TL_FOR_EACH_OP(TL_OP_KIND)
#undef TL_OP_KIND
};

/// Where and when a schedule puts an op: the engine that runs it, its pipeline stage, and its order inside the loop.
struct Slot {
  std::string engine;
  int64_t stage = 0;
  int64_t order = 0;
  bool operator==(const Slot&) const = default;
};

/// Base of all ops. An op owns its nested blocks; expressions and buffers are shared.
struct Op {
  const OpKind kind;
  Loc loc;
  /// Set by the schedule; absent means "program order on the threads of the enclosing group".
  std::optional<Slot> slot;

  virtual ~Op() = default;
  template <class T>
  T* as() {
    return kind == T::kKind ? static_cast<T*>(this) : nullptr;
  }
  template <class T>
  const T* as() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

 protected:
  explicit Op(OpKind k) : kind(k) {}
  Op(const Op&) = default;
};

using OpPtr = std::unique_ptr<Op>;
/// Ops in program order.
using Block = std::vector<OpPtr>;

template <OpKind K>
struct OpOf : Op {
  static constexpr OpKind kKind = K;
  OpOf() : Op(K) {}
};

template <class T>
std::unique_ptr<T> make_op(Loc loc) {
  auto op = std::make_unique<T>();
  op->loc = std::move(loc);
  return op;
}

/// The laws an op checks beyond what its field types say; reports to the enclosing verifier run.
class Verifier;

}  // namespace tl
