#pragma once

// The tables of rewrite rows. A row may be applied wherever its condition is known: it then holds for every value of
// its names, with wrap-around and all. The tests go through all rows and try them on random operands of every dtype.

#include <vector>

#include "analysis/rewrite_pattern.h"

namespace tl::rewrite {

/// Dtypes that x, y, z and the constants of a row may have, as a bit mask.
enum TypeSet : uint8_t {
  kSigned = 1,
  kUnsigned = 2,
  kInteger = kSigned | kUnsigned,
  /// Formats with a negative zero: not e8m0, not the fnuz formats, whose negation or zero is another matter.
  kFloat = 4,
  kBoolean = 8,
  kNumber = kInteger | kFloat,
  kAllTypes = kNumber | kBoolean,
};
/// The bit of a dtype; 0 for one that no row speaks of.
uint8_t type_bit(DType t);

struct Row {
  Pattern from, to;
  /// Absent: always.
  Pattern when = {};
  uint8_t types = kAllTypes;
};

// One table a file; `types` narrows what the rows of a group are for.
std::vector<Row> sum_rows();
std::vector<Row> division_rows();
std::vector<Row> bit_rows();
std::vector<Row> order_rows();
std::vector<Row> comparison_rows();
std::vector<Row> boolean_rows();
std::vector<Row> float_rows();

/// All of them, in the order they are tried.
const std::vector<Row>& all_rows();

/// The first row that changes `e`, applied; `e` itself where there is none. Operands of commutative operators are tried
/// in both orders, constants stand on the right.
Expr apply_rows(const Expr& e, const Decider& decider);

}  // namespace tl::rewrite
