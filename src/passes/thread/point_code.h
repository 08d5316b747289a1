#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/walk.h"
#include "layout/fragment.h"
#include "passes/thread/thread_digits.h"

namespace tl {

/// A fragment as an array of each thread.
struct ThreadTile {
  /// Kept alive: tiles are known by address.
  Buffer tile;
  Fragment layout;
  Buffer registers;
};

/// What lowering knows of a launch: its threads, and its fragments as arrays.
struct ThreadTiles {
  /// Linear index of the thread in its block, int32.
  Expr thread;
  int64_t threads = 1;
  /// Indices of programs, and how many there are.
  std::vector<std::pair<Var, Expr>> grid;
  std::unordered_map<const BufferNode*, ThreadTile> tiles;

  const ThreadTile* find(const Buffer& buffer) const {
    const auto it = tiles.find(buffer.get());
    return it == tiles.end() ? nullptr : &it->second;
  }
};

/// The points of a laid-out parallel loop as code of one thread: a nest of loops over the digits of its registers.
class PointCode {
 public:
  PointCode(const Parallel& loop, const Fragment& layout, const ThreadTiles& tiles);

  /// `body` once for every point that the thread runs, in order of its registers. Stores to memory that several threads
  /// share are made by the point's owner.
  Block scalar(const Block& body) const;
  /// The same as a loop that stays one, which costs time and saves code; `scalar` where the body has registers.
  Block rolled(const Block& body) const;

  const ThreadDigits& digits() const { return digits_; }
  const Fragment& layout() const { return layout_; }
  const Parallel& loop() const { return loop_; }
  const ThreadTiles& tiles() const { return tiles_; }
  bool is_padded() const { return !padded_.empty(); }
  /// Whether the point of these digits is in the tile; the constant true where no point is outside.
  Expr valid_at(const std::vector<Expr>& digits) const;
  /// Null where every point has one holder.
  const Expr& owner() const { return owner_; }

  /// New variables, one a register digit.
  std::vector<Var> digit_vars() const;
  /// Number of a register from its digits.
  Expr register_number(const std::vector<Expr>& digits) const;
  /// `e` at the point of these digits: loop variables become coordinates, elements of fragments become registers. None
  /// where a register is no sum of digits.
  std::optional<Expr> at(const Expr& e, const std::vector<Expr>& digits) const;
  /// The register of a fragment's element, as `at`.
  std::optional<Expr> register_of(const Buffer& tile, const std::vector<Expr>& indices,
                                  const std::vector<Expr>& digits) const;
  /// Whether the registers of `tile[indices]` for `count` neighbours, taken in aligned groups of that many, are aligned
  /// neighbours too.
  bool in_order(const Buffer& tile, const std::vector<Expr>& indices, int64_t count) const;
  /// A nest over the digits `first` up to `last` (excluded), the first of them innermost.
  Block nest(const std::vector<Var>& vars, size_t first, size_t last, Block body) const;

 private:
  struct Table {
    std::vector<int64_t> registers;
    /// Constant, then one coefficient a digit; empty where the table is no such sum.
    std::vector<int64_t> sum;
  };
  const Table& table(const Buffer& tile, const std::vector<Expr>& indices) const;
  void find_sum(Table& table) const;
  Expr valid(const std::vector<Expr>& coordinates) const;
  std::optional<Block> body_at(const Block& body, const std::vector<Expr>& digits, std::optional<int64_t> reg) const;
  std::optional<Expr> register_at(const Buffer& tile, const std::vector<Expr>& indices, const std::vector<Expr>& digits,
                                  std::optional<int64_t> reg) const;
  std::optional<Expr> rewritten(const Expr& e, const std::vector<Expr>& digits, std::optional<int64_t> reg) const;
  bool rewrite(Block& block, const std::vector<Expr>& digits, std::optional<int64_t> reg) const;
  Substitution point(const std::vector<Expr>& digits) const;
  std::vector<Expr> digits_of(int64_t reg) const;

  const Parallel& loop_;
  const Fragment& layout_;
  const ThreadTiles& tiles_;
  ThreadDigits digits_;
  std::vector<size_t> padded_;
  Expr owner_;
  mutable std::vector<std::pair<std::pair<const BufferNode*, std::vector<Expr>>, Table>> tables_;
};

}  // namespace tl
