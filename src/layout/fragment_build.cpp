#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layout/algebra.h"
#include "layout/coordinates.h"
#include "layout/fragment.h"
#include "layout/fragment_fit.h"

namespace tl {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a - 1) / b + 1; }

LayoutError no_fragment(const std::vector<int64_t>& extents, std::string_view why) {
  return {fmt::format("no such fragment of the tile ({}): {}", fmt::join(extents, ","), why)};
}

Checked<Fragment> from_leaves(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
                              const std::vector<LayoutMode>& threads, const std::vector<LayoutMode>& registers) {
  auto thread_layout = Layout::make(threads);
  if (!thread_layout) return no_fragment(extents, thread_layout.error());
  auto register_layout = Layout::make(registers);
  if (!register_layout) return no_fragment(extents, register_layout.error());
  return Fragment::affine(extents, box, *thread_layout, *register_layout);
}

}  // namespace

Checked<Fragment> Fragment::start(const std::vector<int64_t>& extents, int64_t threads) {
  Fragment fragment;
  fragment.extents_ = extents;
  fragment.threads_ = threads;
  if (threads < 1) return no_fragment(extents, fmt::format("{} threads", threads));
  for (int64_t extent : extents) {
    if (extent < 1) return no_fragment(extents, "extents must be positive");
    if (__builtin_mul_overflow(fragment.size_, extent, &fragment.size_)) return no_fragment(extents, "it is too large");
  }
  return fragment;
}

Checked<Fragment> Fragment::affine(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
                                   const Layout& thread_layout, const Layout& register_layout) {
  auto started = start(extents, thread_layout.size());
  if (!started) return started;
  Fragment fragment = *std::move(started);
  if (register_layout.size() < 1) return no_fragment(extents, "no registers");
  if (box.size() != extents.size()) return no_fragment(extents, "the box has another rank");
  for (size_t i = 1; i < box.size(); ++i) {
    if (box[i] < extents[i]) return no_fragment(extents, "the box is smaller than the tile");
  }
  fragment.box_ = box;
  fragment.thread_layout_ = thread_layout;
  fragment.register_layout_ = register_layout;
  if (auto wrong = fragment.invert_affine()) return no_fragment(extents, *wrong);
  return fragment;
}

Checked<Fragment> Fragment::distribute(const std::vector<int64_t>& extents, int64_t threads, int64_t vector) {
  auto started = start(extents, threads);
  if (!started) return started;
  int64_t pass = 0;
  if (vector < 1 || __builtin_mul_overflow(threads, vector, &pass)) {
    return no_fragment(extents, fmt::format("vectors of {}", vector));
  }
  int64_t passes = ceil_div(started->size_, pass);
  return from_leaves(extents, extents, {{threads, vector}}, {{vector, 1}, {passes, pass}});
}

Checked<Fragment> Fragment::distribute_rows(const std::vector<int64_t>& extents, int64_t threads,
                                            int64_t threads_per_row, int64_t vector) {
  auto started = start(extents, threads);
  if (!started) return started;
  if (extents.empty()) return no_fragment(extents, "it has no rows");
  if (threads_per_row < 1 || threads % threads_per_row != 0) {
    return no_fragment(extents, fmt::format("{} threads a row do not divide {} threads", threads_per_row, threads));
  }
  int64_t pass = 0, pitch = 0, stride = 0;
  if (vector < 1 || __builtin_mul_overflow(threads_per_row, vector, &pass)) {
    return no_fragment(extents, fmt::format("vectors of {}", vector));
  }
  int64_t row_passes = ceil_div(extents.back(), pass);
  int64_t rows_at_once = threads / threads_per_row;
  int64_t passes = ceil_div(started->size_ / extents.back(), rows_at_once);
  if (__builtin_mul_overflow(row_passes, pass, &pitch) || __builtin_mul_overflow(rows_at_once, pitch, &stride)) {
    return no_fragment(extents, "it is too large");
  }
  std::vector<int64_t> box(extents);
  box.back() = pitch;
  return from_leaves(extents, box, {{threads_per_row, vector}, {rows_at_once, pitch}},
                     {{vector, 1}, {row_passes, pass}, {passes, stride}});
}

Checked<Fragment> Fragment::replicated(const std::vector<int64_t>& extents, int64_t threads) {
  auto started = start(extents, threads);
  if (!started) return started;
  return from_leaves(extents, extents, {{threads, 0}}, {{started->size_, 1}});
}

Checked<Fragment> Fragment::from_thread_value(const std::vector<int64_t>& extents, const Layout& thread_value,
                                              TileOrder order) {
  if (thread_value.shape().is_leaf() || thread_value.rank() != 2) {
    return no_fragment(extents, fmt::format("{} has not the two modes thread and register", thread_value.to_string()));
  }
  auto started = start(extents, thread_value.mode(0).size());
  if (!started) return started;
  if (order == TileOrder::kRowMajor || extents.size() < 2) {
    return affine(extents, extents, thread_value.mode(0), thread_value.mode(1));
  }
  if (thread_value.size() == 0 || thread_value.min_value() < 0)
    return no_fragment(extents, "empty, or a stride is negative");
  // The column-major index has its unbounded dimension last: the box is longer there.
  std::vector<int64_t> box(extents);
  int64_t column_elements = started->size_ / extents.back();
  box.back() = std::max(extents.back(), ceil_div(thread_value.cosize(), column_elements));
  std::vector<LayoutMode> to_row_major;
  std::vector<int64_t> strides = row_major_strides(box);
  for (size_t i = 0; i < box.size(); ++i) to_row_major.push_back({box[i], strides[i]});
  auto outer = Layout::make(to_row_major);
  if (!outer) return no_fragment(extents, outer.error());
  if (auto composed = composition(*outer, thread_value)) {
    return affine(extents, box, composed->mode(0), composed->mode(1));
  }
  return from_slots(extents, thread_value.mode(0).size(), thread_value.mode(1).size(),
                    [&](int64_t thread, int64_t reg) -> std::optional<int64_t> {
                      int64_t rest = thread_value({thread, reg});
                      int64_t element = 0;
                      std::vector<int64_t> weights = row_major_strides(extents);
                      for (size_t i = 0; i < extents.size(); ++i) {
                        element += rest % extents[i] * weights[i];
                        rest /= extents[i];
                      }
                      return rest == 0 ? std::optional(element) : std::nullopt;
                    });
}

Checked<Fragment> Fragment::from_slots(const std::vector<int64_t>& extents, int64_t threads, int64_t registers,
                                       const SlotFunction& element) {
  auto started = start(extents, threads);
  if (!started) return started;
  if (registers < 1) return no_fragment(extents, "no registers");
  Fragment fragment = *std::move(started);
  fragment.registers_ = registers;
  fragment.affine_ = false;
  if (auto wrong = fragment.invert_slots(element)) return no_fragment(extents, *wrong);
  auto value_of_slot = [&](int64_t thread, int64_t reg) { return fragment.element(thread, reg); };
  if (auto fitted = fit_thread_value(threads, registers, value_of_slot)) {
    return affine(extents, extents, fitted->mode(0), fitted->mode(1));
  }
  return fragment;
}

}  // namespace tl
