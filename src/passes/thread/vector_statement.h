#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "passes/thread/guarded_stores.h"
#include "passes/thread/point_code.h"
#include "passes/thread/vector_access.h"

namespace tl {

/// One (guarded) store of a laid-out parallel loop on its way to vectors, or several that are one statement.
class VectorStatement {
 public:
  VectorStatement(const PointCode& code, std::span<const GuardedStore> stores, const Facts& facts,
                  const AccessRules& rules);

  /// Empty where vectors do not help.
  std::optional<Block> run();
  /// The statement as it is, point by point.
  Block by_points() const;

 private:
  struct MovedLoad {
    Expr load;
    int64_t width;
    /// What keeps it inside its tensor.
    std::vector<Expr> conditions;
    Buffer array;
  };
  /// The element at these digits, moved; null where a place cannot be said in registers.
  using Element = std::function<OpPtr(const std::vector<Expr>& digits)>;
  /// What the statement computes.
  struct Values {
    std::vector<NamedValue> named;
    /// By store.
    std::vector<Expr> stored;

    void for_each(const std::function<void(Expr&)>& f) {
      for (NamedValue& v : named) f(v.value);
      for (Expr& value : stored) f(value);
    }
  };

  // --- decisions: vector_statement.cpp
  std::optional<Expr> all_of(const std::vector<Expr>& conditions) const;
  bool fails_rarely(const Expr& condition) const;
  Values values() const;
  bool find_loads(Values& values, const std::vector<Expr>& conditions);
  void add_load(const Expr& load);
  bool is_inside(const LoadNode& load, const std::vector<Expr>& conditions) const;
  bool find_conditions();
  int64_t width_of(const Buffer& buffer, const std::vector<Expr>& indices) const;
  size_t batch_digits() const;
  bool moves_asynchronously() const;
  int64_t moved_width() const { return std::min(loads_[0].width, store_widths_[0]); }
  Block interior(const Values& values);
  Block group_edge();

  // --- code: vector_moves.cpp
  Block in_batches(const Values& values);
  Block moved_to_registers(const Values& values) const;
  Block moved_from_registers(const Values& values) const;
  Block asynchronous_moves() const;
  bool compute(const Values& values, size_t batch, int64_t size, Block& out);
  bool store_array(size_t i, const Buffer& array, size_t batch, Block& out) const;
  OpPtr plain_store(const GuardedStore& store, const Expr& value, const std::vector<Expr>& digits) const;
  Block where(const std::vector<Expr>& conditions, std::vector<Expr> digits, Block body, Block otherwise = {}) const;
  std::optional<Expr> asked_once(const Expr& value, std::vector<Expr> digits, Block& out) const;
  void owned(Block& block) const;
  bool move(size_t batch, int64_t width, const std::vector<Expr>& conditions, Block& out, const Element& element) const;
  Block group_move(const std::vector<Var>& vars, int64_t width, const Element& element) const;
  Block group_fill(const std::vector<Var>& vars, int64_t width, const Expr& value) const;
  Block valid_groups(const std::vector<Var>& vars, Block body) const;
  std::optional<std::vector<Expr>> indices_at(const std::vector<Expr>& indices, const std::vector<Expr>& digits) const;
  std::vector<Var> step_vars() const;
  Expr slot(const std::vector<Expr>& digits, size_t batch) const;
  Expr with_arrays(const Expr& e, const std::vector<Expr>& digits, size_t batch) const;
  Buffer temporary(const std::string& name, DType dtype, int64_t size, Block& out) const;
  Block counted(const Var& var, int64_t extent, LoopKind kind, Block body) const;
  Block if_block(const Expr& condition, Block then_body, Block else_body = {}) const;

  const PointCode& code_;
  std::span<const GuardedStore> stores_;
  /// The last one, whose names are those of all.
  const GuardedStore& store_;
  const Facts& facts_;
  const AccessRules& rules_;
  std::vector<int64_t> extents_;
  /// Registers of a thread that are neighbours along the last variable.
  int64_t group_ = 1;
  std::vector<MovedLoad> loads_;
  /// By store.
  std::vector<int64_t> store_widths_;
  /// Whether conditions are asked, group by group.
  bool at_edge_ = false;
  /// Variables of the digits around the batch.
  std::vector<Var> outer_;
};

}  // namespace tl
