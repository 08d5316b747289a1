#include "layout/fragment_fit.h"

#include <vector>

namespace tl {
namespace {

/// The layout whose value at i is values[i], if one exists. A layout's first leaf ends where linearity does, and the
/// rest is a layout of the values at its multiples.
std::optional<Layout> fit(const std::vector<int64_t>& values) {
  int64_t size = static_cast<int64_t>(values.size());
  if (values[0] != 0) return std::nullopt;
  std::vector<LayoutMode> leaves;
  for (int64_t block = 1; block < size;) {
    int64_t stride = values[block], extent = 1;
    while (extent * block < size && values[extent * block] == extent * stride) ++extent;
    if (size % (block * extent) != 0) return std::nullopt;
    for (int64_t i = block; i < block * extent; ++i) {
      if (values[i] != values[i % block] + i / block * stride) return std::nullopt;
    }
    leaves.push_back({extent, stride});
    block *= extent;
  }
  auto layout = Layout::make(leaves);
  return layout ? std::optional(*layout) : std::nullopt;
}

}  // namespace

std::optional<Layout> fit_thread_value(int64_t threads, int64_t registers, const Fragment::SlotFunction& element) {
  std::vector<int64_t> by_thread, by_register;
  for (int64_t thread = 0; thread < threads; ++thread) by_thread.push_back(element(thread, 0).value_or(-1));
  for (int64_t reg = 0; reg < registers; ++reg) by_register.push_back(element(0, reg).value_or(-1));
  auto thread_layout = fit(by_thread), register_layout = fit(by_register);
  if (!thread_layout || !register_layout) return std::nullopt;
  for (int64_t thread = 0; thread < threads; ++thread) {
    for (int64_t reg = 0; reg < registers; ++reg) {
      if (element(thread, reg) != by_thread[thread] + by_register[reg]) return std::nullopt;
    }
  }
  return concat({*thread_layout, *register_layout});
}

}  // namespace tl
