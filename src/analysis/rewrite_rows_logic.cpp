// Comparisons of integers, logic and select.

#include "analysis/rewrite_rows.h"

namespace tl::rewrite {
namespace {

constexpr BinaryOp kOrders[] = {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe};
constexpr BinaryOp kEqualities[] = {BinaryOp::kEq, BinaryOp::kNe};

struct Table {
  std::vector<Row> rows;
  void add(uint8_t types, std::vector<Row> more) {
    for (Row& row : more) {
      row.types = types;
      rows.push_back(std::move(row));
    }
  }
};

}  // namespace

std::vector<Row> comparison_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  Table table;
  for (const BinaryOp op : kEqualities) {
    const auto is = [op](const Pattern& a, const Pattern& b) { return binary(op, a, b); };
    table.add(kInteger, {
                            {is(x + c0, c1), is(x, c1 - c0)},
                            {is(x - c0, c1), is(x, c1 + c0)},
                            {is(c0 - x, c1), is(x, c0 - c1)},
                            {is(-x, c0), is(x, -c0)},
                            {is(x - y, 0), is(x, y)},
                            {is(x + y, x), is(y, 0)},
                            {is(x - y, x), is(y, 0)},
                            {is(x + y, x + z), is(y, z)},
                            {is(x * c0, c1), is(x, c1 / c0), c0 != 0 && c1 % c0 == 0 && exact(x * c0)},
                            {is(x * c0, y * c0), is(x, y), c0 != 0 && exact(x * c0) && exact(y * c0)},
                        });
  }
  for (const BinaryOp op : kOrders) {
    const auto is = [op](const Pattern& a, const Pattern& b) { return binary(op, a, b); };
    const auto turned = [op](const Pattern& a, const Pattern& b) { return binary(swapped_comparison(op), a, b); };
    table.add(kInteger, {
                            {is(x + c0, c1), is(x, c1 - c0), exact(x + c0) && exact(c1 - c0)},
                            {is(x - c0, c1), is(x, c1 + c0), exact(x - c0) && exact(c1 + c0)},
                            {is(c0 - x, c1), turned(x, c0 - c1), exact(c0 - x) && exact(c0 - c1)},
                            {is(-x, c0), turned(x, -c0), exact(-x) && exact(-c0)},
                            {is(x + y, x + z), is(y, z), exact(x + y) && exact(x + z)},
                            {is(x * c0, y * c0), is(x, y), c0 > 0 && exact(x * c0) && exact(y * c0)},
                            {is(x - y, 0), is(x, y), exact(x - y)},
                        });
  }
  // x * c0 against c1: the bound rounds towards the side that stays true.
  const Pattern up = (c1 + (c0 - 1)) / c0;
  table.add(kInteger, {
                          {x * c0 <= c1, x <= c1 / c0, c0 > 0 && exact(x * c0)},
                          {x * c0 > c1, x > c1 / c0, c0 > 0 && exact(x * c0)},
                          {x * c0 < c1, x < up, c0 > 0 && exact(x * c0) && exact(c1 + (c0 - 1))},
                          {x * c0 >= c1, x >= up, c0 > 0 && exact(x * c0) && exact(c1 + (c0 - 1))},
                          {x / c0 < c1, x < c1 * c0, c0 > 0 && exact(c1 * c0)},
                          {x / c0 >= c1, x >= c1 * c0, c0 > 0 && exact(c1 * c0)},
                          {x / c0 <= c1, x < (c1 + 1) * c0, c0 > 0 && exact((c1 + 1) * c0)},
                          {x / c0 > c1, x >= (c1 + 1) * c0, c0 > 0 && exact((c1 + 1) * c0)},
                      });
  return table.rows;
}

std::vector<Row> boolean_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  const Pattern yes = truth(true), no = truth(false);
  Table table;
  table.add(kAllTypes, {
                           {p && yes, p},
                           {p && no, no},
                           {p || yes, yes},
                           {p || no, p},
                           {p && p, p},
                           {p || p, p},
                           {p && !p, no},
                           {p || !p, yes},
                           {!!p, p},
                           {p && (p || q), p},
                           {p || (p && q), p},
                           {p && (p && q), p && q},
                           {p || (p || q), p || q},
                           {p == yes, p},
                           {p == no, !p},
                           {p != yes, !p},
                           {p != no, p},
                           {select(p, x, x), x},
                           {select(!p, x, y), select(p, y, x)},
                           {select(p, select(p, x, y), z), select(p, x, z)},
                           {select(p, x, select(p, y, z)), select(p, x, z)},
                           {select(p, yes, no), p},
                           {select(p, no, yes), !p},
                       });
  // An order of floats has no negation: NaN is not less, and not greater either.
  for (const BinaryOp op : kOrders) {
    table.add(kInteger, {{!binary(op, x, y), binary(negated_comparison(op), x, y)}});
  }
  for (const BinaryOp op : kEqualities) {
    table.add(kNumber, {{!binary(op, x, y), binary(negated_comparison(op), x, y)}});
  }
  table.add(kInteger, {
                          {select(x < y, x, y), min(x, y)},
                          {select(x <= y, x, y), min(x, y)},
                          {select(x > y, x, y), max(x, y)},
                          {select(x >= y, x, y), max(x, y)},
                          {select(x < y, y, x), max(x, y)},
                          {select(x <= y, y, x), max(x, y)},
                          {select(x > y, y, x), min(x, y)},
                          {select(x >= y, y, x), min(x, y)},
                          {select(x == y, x, y), y},
                          {select(x != y, x, y), x},
                      });
  return table.rows;
}

std::vector<Row> float_rows() {
  const auto [x, y, z, p, q, r, c0, c1, c2] = wildcards();
  Table table;
  // IEEE 754 keeps these for every operand, NaN, infinities and signed zeros included. x * 0, x - x and any other
  // grouping of sums and products are left alone.
  table.add(kFloat, {
                        {x * 1, x},
                        {true_div(x, 1), x},
                        {x - 0, x},
                        {x + negative_zero(), x},
                        {-(-x), x},
                        {x + -y, x - y},
                        {x - -y, x + y},
                        {-x * -y, x * y},
                        {true_div(-x, -y), true_div(x, y)},
                        {abs(-x), abs(x)},
                        {abs(abs(x)), abs(x)},
                    });
  return table.rows;
}

}  // namespace tl::rewrite
