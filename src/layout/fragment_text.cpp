#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layout/fragment_table.h"
#include "layout/text_cursor.h"

namespace tl {
namespace {

Checked<std::vector<int64_t>> parse_list(TextCursor& cursor) {
  auto tuple = IntTuple::parse(cursor);
  if (!tuple) return LayoutError{tuple.error()};
  if (tuple->is_leaf() || tuple->depth() > 1) return cursor.expected("a flat list of integers before this point");
  return tuple->leaves();
}

Checked<Fragment> parse_affine(TextCursor& cursor, const std::vector<int64_t>& extents) {
  std::vector<int64_t> box(extents);
  if (cursor.eat("box=")) {
    auto given = parse_list(cursor);
    if (!given) return LayoutError{given.error()};
    box = *std::move(given);
    if (!cursor.eat(",")) return cursor.expected("','");
  }
  if (!cursor.eat("threads=")) return cursor.expected("'threads=', 'box=' or 'slots='");
  auto threads = Layout::parse(cursor);
  if (!threads) return LayoutError{threads.error()};
  if (!cursor.eat(",") || !cursor.eat("registers=")) return cursor.expected("', registers='");
  auto registers = Layout::parse(cursor);
  if (!registers) return LayoutError{registers.error()};
  return Fragment::affine(extents, box, *threads, *registers);
}

Checked<Fragment> parse_table(TextCursor& cursor, const std::vector<int64_t>& extents) {
  auto slots = parse_list(cursor);
  if (!slots) return LayoutError{slots.error()};
  if (!cursor.eat(",") || !cursor.eat("table=")) return cursor.expected("', table='");
  auto table = parse_list(cursor);
  if (!table) return LayoutError{table.error()};
  int64_t count = 0;
  bool fits = slots->size() == 2 && !__builtin_mul_overflow((*slots)[0], (*slots)[1], &count);
  if (!fits || count != static_cast<int64_t>(table->size())) {
    return cursor.expected("one table entry for each of (threads, registers) slots before this point");
  }
  int64_t registers = (*slots)[1];
  return Fragment::from_slots(extents, (*slots)[0], registers, [&](int64_t thread, int64_t reg) {
    int64_t element = (*table)[static_cast<size_t>(thread * registers + reg)];
    return element == -1 ? std::nullopt : std::optional(element);
  });
}

}  // namespace

Checked<Fragment> Fragment::parse(TextCursor& cursor) {
  if (!cursor.eat("fragment<") || !cursor.eat("tile=")) return cursor.expected("'fragment<tile='");
  auto extents = parse_list(cursor);
  if (!extents) return LayoutError{extents.error()};
  if (!cursor.eat(",")) return cursor.expected("','");
  auto fragment = cursor.eat("slots=") ? parse_table(cursor, *extents) : parse_affine(cursor, *extents);
  if (fragment && !cursor.eat(">")) return cursor.expected("'>'");
  return fragment;
}

Checked<Fragment> Fragment::parse(std::string_view text) {
  TextCursor cursor(text);
  auto fragment = parse(cursor);
  if (fragment && !cursor.at_end()) return cursor.expected("the end");
  return fragment;
}

std::string Fragment::to_string() const {
  std::string tile = fmt::format("fragment<tile=({})", fmt::join(extents_, ","));
  if (!affine_) {
    return fmt::format("{}, slots=({},{}), table=({})>", tile, threads_, registers_, fmt::join(table_->element, ","));
  }
  bool boxed = !box_.empty() && !std::equal(box_.begin() + 1, box_.end(), extents_.begin() + 1);
  std::string box = boxed ? fmt::format(", box=({})", fmt::join(box_, ",")) : "";
  return fmt::format("{}{}, threads={}, registers={}>", tile, box, thread_layout_.to_string(),
                     register_layout_.to_string());
}

}  // namespace tl
