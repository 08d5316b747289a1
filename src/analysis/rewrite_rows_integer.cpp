// Integer arithmetic. Like terms of sums are collected elsewhere (simplify_sum.cpp); here are the rows that a sum's
// linear form does not show, division, and bits. Rows without `exact` hold with wrap-around.

#include "analysis/rewrite_rows.h"

namespace tl::rewrite {
namespace {

std::vector<Row> of_types(uint8_t types, std::vector<Row> rows) {
  for (Row& row : rows) row.types = types;
  return rows;
}

void append(std::vector<Row>& to, std::vector<Row> rows) {
  for (Row& row : rows) to.push_back(std::move(row));
}

}  // namespace

std::vector<Row> sum_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  return of_types(kInteger, {
                                {x + 0, x},
                                {x - 0, x},
                                {0 - x, -x},
                                {x - x, 0},
                                {x * 0, 0},
                                {x * 1, x},
                                {x * -1, -x},
                                {-(-x), x},
                                {-(x - y), y - x},
                                {x + -y, x - y},
                                {x - -y, x + y},
                                {(x / y) * y + x % y, x, y != 0},
                                {x - (x / y) * y, x % y, y != 0},
                                {(x / c0) * c0, x, c0 != 0 && x % c0 == 0},
                                // ceildiv of a multiple
                                {-(-x / c0), x / c0, c0 > 0 && x % c0 == 0 && exact(-x)},
                            });
}

std::vector<Row> division_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  std::vector<Row> rows = of_types(
      kInteger,
      {
          {x / 0, 0},
          {x % 0, 0},
          {0 / x, 0},
          {0 % x, 0},
          {x / 1, x},
          {x % 1, 0},
          {x / x, 1, x != 0},
          {x % x, 0},
          {x / y, 0, 0 <= x && x < y},
          {x % y, x, 0 <= x && x < y},
          {(x / c0) / c1, x / (c0 * c1), c0 > 0 && c1 > 0 && exact(c0 * c1)},
          {(x % c0) % c1, x % c1, c0 > 0 && c1 > 0 && c0 % c1 == 0},

          {(x * c0) / c1, x * (c0 / c1), c1 > 0 && c0 % c1 == 0 && exact(x * c0)},
          {(x * c0) / c1, x / (c1 / c0), c0 > 0 && c1 > 0 && c1 % c0 == 0 && exact(x * c0)},
          {(x * c0 + y) / c1, x * (c0 / c1) + y / c1, c1 > 0 && c0 % c1 == 0 && exact(x * c0 + y)},
          {(x * c0 - y) / c1, x * (c0 / c1) + -y / c1, c1 > 0 && c0 % c1 == 0 && exact(x * c0 - y) && exact(-y)},
          {(y - x * c0) / c1, y / c1 - x * (c0 / c1), c1 > 0 && c0 % c1 == 0 && exact(y - x * c0)},
          {(x * c0 + y) / c1, x / (c1 / c0), c0 > 0 && c1 > 0 && c1 % c0 == 0 && 0 <= y && y < c0 && exact(x * c0 + y)},
          {(x + c0) / c1, x / c1 + c0 / c1, c1 > 0 && c0 % c1 == 0 && exact(x + c0)},

          {(x * c0) % c1, 0, c1 > 0 && c0 % c1 == 0 && exact(x * c0)},
          {(x * c0 + y) % c1, y % c1, c1 > 0 && c0 % c1 == 0 && exact(x * c0 + y)},
          {(x * c0 - y) % c1, -y % c1, c1 > 0 && c0 % c1 == 0 && exact(x * c0 - y) && exact(-y)},
          {(y - x * c0) % c1, y % c1, c1 > 0 && c0 % c1 == 0 && exact(y - x * c0)},
          {(x + c0) % c1, x % c1, c1 > 0 && c0 % c1 == 0 && exact(x + c0)},
          {(x % c0 + y) % c0, (x + y) % c0, c0 > 0 && exact(x % c0 + y) && exact(x + y)},
          {(x * c0) % c1, (x % (c1 / c0)) * c0, c0 > 1 && c1 > 0 && c1 % c0 == 0 && exact(x * c0)},
          {(x * c0 + y) % c1, (x % (c1 / c0)) * c0 + y,
           c0 > 1 && c1 > 0 && c1 % c0 == 0 && 0 <= y && y < c0 && exact(x * c0 + y)},

          // Wrap-around takes away multiples of 2^bits, which a power of two divides.
          {(x * c0) % c1, 0, c0 % c1 == 0 && power_of_two(c1)},
          {(x * c0 + y) % c1, y % c1, c0 % c1 == 0 && power_of_two(c1)},
          {(x * c0 - y) % c1, -y % c1, c0 % c1 == 0 && power_of_two(c1)},
          {(y - x * c0) % c1, y % c1, c0 % c1 == 0 && power_of_two(c1)},
          {(x + c0) % c1, x % c1, c0 % c1 == 0 && power_of_two(c1)},
          {(x % c0 + y) % c0, (x + y) % c0, power_of_two(c0)},

          {trunc_div(x, 0), 0},
          {trunc_mod(x, 0), 0},
          {trunc_div(0, x), 0},
          {trunc_mod(0, x), 0},
          {trunc_div(x, 1), x},
          {trunc_mod(x, 1), 0},
          {trunc_div(x, y), x / y, x >= 0 && y >= 0},
          {trunc_mod(x, y), x % y, x >= 0 && y >= 0},
      });
  append(rows, of_types(kSigned, {
                                     {x / -1, -x},
                                     {x % -1, 0},
                                     {abs(-x), abs(x)},
                                 }));
  return rows;
}

std::vector<Row> bit_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  return of_types(kInteger, {
                                {x & 0, 0},
                                {x & -1, x},
                                {x & x, x},
                                {x | 0, x},
                                {x | -1, -1},
                                {x | x, x},
                                {x ^ 0, x},
                                {x ^ x, 0},
                                {~~x, x},
                                {(x & c0) & c1, x & (c0 & c1)},
                                {(x | c0) | c1, x | (c0 | c1)},
                                {(x ^ c0) ^ c1, x ^ (c0 ^ c1)},
                                {x & c0, x, 0 <= x && x <= c0 && power_of_two(c0 + 1)},
                                {x << 0, x},
                                {x >> 0, x},
                                {0 << x, 0},
                                {0 >> x, 0},
                                {(x << c0) >> c0, x, exact(x << c0)},
                                {abs(abs(x)), abs(x)},
                                {abs(x), x, x >= 0},
                                {abs(x), -x, x <= 0},
                            });
}

std::vector<Row> order_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  std::vector<Row> rows = of_types(kNumber, {
                                                {min(x, x), x},
                                                {max(x, x), x},
                                                {min(min(x, y), x), min(x, y)},
                                                {max(max(x, y), x), max(x, y)},
                                                {min(min(x, c0), c1), min(x, min(c0, c1))},
                                                {max(max(x, c0), c1), max(x, max(c0, c1))},
                                            });
  append(rows, of_types(kInteger, {
                                      {min(x, y), x, x <= y},
                                      {min(x, y), y, y <= x},
                                      {max(x, y), x, x >= y},
                                      {max(x, y), y, y >= x},
                                      {max(min(x, y), y), y},
                                      {min(max(x, y), y), y},
                                      {min(max(x, c0), c1), c1, c1 <= c0},
                                      {max(min(x, c0), c1), c1, c1 >= c0},
                                      {min(x + c0, x + c1), x + min(c0, c1), exact(x + c0) && exact(x + c1)},
                                      {max(x + c0, x + c1), x + max(c0, c1), exact(x + c0) && exact(x + c1)},
                                      {min(x + y, x + z), x + min(y, z), exact(x + y) && exact(x + z)},
                                      {max(x + y, x + z), x + max(y, z), exact(x + y) && exact(x + z)},
                                  }));
  return rows;
}

}  // namespace tl::rewrite
