#include "layout/shape.h"

#include <algorithm>

#include "layout/text_cursor.h"

namespace tl {
namespace {

/// Deeper nesting than this in a text is refused rather than parsed on an unbounded stack.
constexpr int kMaxDepth = 64;

void collect_leaves(const IntTuple& tuple, std::vector<int64_t>& out) {
  if (tuple.is_leaf()) return out.push_back(tuple.value());
  for (size_t i = 0; i < tuple.rank(); ++i) collect_leaves(tuple[i], out);
}

Checked<IntTuple> parse_tuple(TextCursor& cursor, int depth) {
  if (!cursor.eat("(")) {
    if (auto value = cursor.integer()) return IntTuple(*value);
    return cursor.expected("an integer or '('");
  }
  if (depth == kMaxDepth) return cursor.expected("at most 64 nested parentheses");
  std::vector<IntTuple> children;
  if (cursor.eat(")")) return IntTuple(std::move(children));
  do {
    auto child = parse_tuple(cursor, depth + 1);
    if (!child) return child;
    children.push_back(*std::move(child));
  } while (cursor.eat(","));
  if (!cursor.eat(")")) return cursor.expected("',' or ')'");
  return IntTuple(std::move(children));
}

}  // namespace

IntTuple IntTuple::list(const std::vector<int64_t>& values) {
  return IntTuple(std::vector<IntTuple>(values.begin(), values.end()));
}

Checked<IntTuple> IntTuple::parse(TextCursor& cursor) { return parse_tuple(cursor, 0); }

Checked<IntTuple> IntTuple::parse(std::string_view text) {
  TextCursor cursor(text);
  auto tuple = parse(cursor);
  if (tuple && !cursor.at_end()) return cursor.expected("the end");
  return tuple;
}

int64_t IntTuple::depth() const {
  if (leaf_) return 0;
  int64_t deepest = 0;
  for (const IntTuple& child : children_) deepest = std::max(deepest, child.depth());
  return deepest + 1;
}

std::vector<int64_t> IntTuple::leaves() const {
  std::vector<int64_t> out;
  collect_leaves(*this, out);
  return out;
}

int64_t IntTuple::product() const {
  if (leaf_) return value_;
  int64_t result = 1;
  for (const IntTuple& child : children_) result *= child.product();
  return result;
}

std::optional<int64_t> IntTuple::checked_product() const {
  int64_t result = 1;
  bool overflow = false;
  for (int64_t leaf : leaves()) {
    if (leaf == 0) return 0;
    overflow |= __builtin_mul_overflow(result, leaf, &result);
  }
  if (overflow) return std::nullopt;
  return result;
}

std::string IntTuple::to_string() const {
  if (leaf_) return std::to_string(value_);
  std::string out = "(";
  for (size_t i = 0; i < children_.size(); ++i) out += (i == 0 ? "" : ",") + children_[i].to_string();
  return out + ")";
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf() || b.is_leaf()) return a.is_leaf() && b.is_leaf();
  if (a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!congruent(a[i], b[i])) return false;
  }
  return true;
}

bool compatible(const IntTuple& coarse, const IntTuple& fine) {
  if (coarse.is_leaf()) return fine.checked_product() == coarse.value();
  if (fine.is_leaf() || fine.rank() != coarse.rank()) return false;
  for (size_t i = 0; i < coarse.rank(); ++i) {
    if (!compatible(coarse[i], fine[i])) return false;
  }
  return true;
}

}  // namespace tl
