#pragma once

#include <cstdint>
#include <vector>

#include "ir/expr.h"
#include "layout/fragment.h"

namespace tl {

/// One digit of a thread's index or of a register's number, and what it adds to one coordinate of the tile.
struct LayoutDigit {
  int64_t extent = 1;
  /// Number of the thread, or of the register, that digit 1 stands for.
  int64_t unit = 1;
  /// The dimension it counts along and by how much; nothing where it replicates.
  size_t dim = 0;
  int64_t step = 0;
};

/// An affine fragment as digits, so that a coordinate is a sum of digits times steps. Where the fragment's leaves cross
/// dimensions unevenly (`split` false), the digits count along the row-major index of the box instead, and coordinates
/// are quotients and remainders of it.
struct ThreadDigits {
  std::vector<LayoutDigit> threads, registers;
  bool split = true;

  static ThreadDigits of(const Fragment& fragment);
};

/// Digit `d` of a linear thread index below `threads`.
Expr thread_digit(const Expr& thread, const LayoutDigit& d, int64_t threads);

/// The coordinates of a point, from the thread's index and one expression a register digit, in int32.
std::vector<Expr> coordinates(const Fragment& fragment, const ThreadDigits& digits, const Expr& thread,
                              const std::vector<Expr>& registers);

/// Dimensions along which coordinates may leave the tile: padding.
std::vector<size_t> padded_dims(const Fragment& fragment, const ThreadDigits& digits);

/// Holds for the one thread that owns a point, of those that hold it; null where there is one holder.
Expr is_owner(const ThreadDigits& digits, const Expr& thread, int64_t threads);

}  // namespace tl
