// Operations on the modes of one layout: what rewrites, picks, cuts and lengthens them.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "layout/algebra.h"
#include "layout/layout.h"

namespace tl {
namespace {

LayoutError rank_error(std::string_view operation, const Layout& layout, size_t given) {
  return {
      fmt::format("{}: {} has {} top-level modes, {} were given", operation, layout.to_string(), layout.rank(), given)};
}

/// `layout` with the extent of its last leaf replaced.
IntTuple with_last_leaf(const IntTuple& shape, int64_t extent) {
  if (shape.is_leaf()) return extent;
  std::vector<IntTuple> children;
  for (size_t i = 0; i + 1 < shape.rank(); ++i) children.push_back(shape[i]);
  children.push_back(with_last_leaf(shape[shape.rank() - 1], extent));
  return IntTuple(std::move(children));
}

Checked<Layout> pad_mode(const Layout& mode, int64_t multiple) {
  std::vector<int64_t> extents = mode.shape().leaves();
  if (multiple < 1 || extents.empty()) {
    return LayoutError{fmt::format("pad_to_multiples: {} has no size that {} divides", mode.to_string(), multiple)};
  }
  int64_t inner = 1;
  for (size_t i = 0; i + 1 < extents.size(); ++i) inner *= extents[i];
  // The last extent must reach its old value and make inner * extent a multiple; one step is multiple / gcd.
  int64_t step = multiple / std::gcd(inner, multiple);
  int64_t last = (extents.back() + step - 1) / step * step;
  return Layout::make(with_last_leaf(mode.shape(), last), mode.stride());
}

/// Sorted by stride, each leaf starts beyond everything the smaller ones reach. Sufficient for injectivity.
bool is_superincreasing(std::vector<LayoutMode> modes) {
  std::sort(modes.begin(), modes.end(), [](auto& a, auto& b) { return a.stride < b.stride; });
  int64_t reach = 0;
  for (const LayoutMode& mode : modes) {
    if (mode.stride <= reach) return false;
    reach += (mode.extent - 1) * mode.stride;
  }
  return true;
}

}  // namespace

Layout concat(const std::vector<Layout>& layouts) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout& layout : layouts) {
    shapes.push_back(layout.shape());
    strides.push_back(layout.stride());
  }
  auto joined = Layout::make(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
  return *std::move(joined);
}

Layout flatten(const Layout& layout) { return *Layout::make(layout.leaves()); }

Layout coalesce(const Layout& layout) {
  if (layout.size() == 0) return *Layout::make(0, 0);
  std::vector<LayoutMode> merged;
  for (const LayoutMode& mode : layout.leaves()) {
    if (mode.extent == 1) continue;
    if (!merged.empty() && merged.back().extent * merged.back().stride == mode.stride) {
      merged.back().extent *= mode.extent;
    } else {
      merged.push_back(mode);
    }
  }
  return *Layout::make(merged);
}

Layout coalesce_modes(const Layout& layout) {
  if (layout.shape().is_leaf()) return coalesce(layout);
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.rank(); ++i) modes.push_back(coalesce(layout.mode(i)));
  return concat(modes);
}

Layout filter(const Layout& layout) {
  std::vector<LayoutMode> kept;
  for (const LayoutMode& mode : layout.leaves()) {
    if (mode.stride != 0) kept.push_back(mode);
  }
  return layout.size() == 0 ? coalesce(layout) : coalesce(*Layout::make(kept));
}

bool equivalent(const Layout& a, const Layout& b) { return coalesce(a) == coalesce(b); }

bool is_injective(const Layout& layout) {
  std::vector<LayoutMode> modes;
  for (LayoutMode mode : layout.leaves()) {
    if (mode.extent == 0) return true;
    if (mode.extent == 1) continue;
    if (mode.stride == 0) return false;
    modes.push_back({mode.extent, std::abs(mode.stride)});  // reflecting a leaf only shifts all values
  }
  if (is_superincreasing(modes)) return true;
  std::unordered_set<int64_t> seen;
  for (int64_t i = 0; i < layout.size(); ++i) {
    if (!seen.insert(layout(i)).second) return false;
  }
  return true;
}

Checked<Layout> select_modes(const Layout& layout, std::span<const size_t> modes) {
  std::vector<Layout> picked;
  for (size_t mode : modes) {
    if (mode >= layout.rank()) {
      return LayoutError{fmt::format("select_modes: {} has no mode {}", layout.to_string(), mode)};
    }
    picked.push_back(layout.mode(mode));
  }
  return concat(picked);
}

Checked<LayoutSlice> slice(const Layout& layout, std::span<const std::optional<int64_t>> coordinate) {
  if (coordinate.size() != layout.rank()) return rank_error("slice", layout, coordinate.size());
  std::vector<Layout> kept;
  int64_t offset = 0;
  for (size_t i = 0; i < coordinate.size(); ++i) {
    Layout mode = layout.mode(i);
    if (!coordinate[i]) {
      kept.push_back(mode);
    } else if (*coordinate[i] < 0 || *coordinate[i] >= mode.size()) {
      return LayoutError{
          fmt::format("slice: index {} is outside mode {} of {}", *coordinate[i], i, layout.to_string())};
    } else {
      offset += mode(*coordinate[i]);
    }
  }
  return LayoutSlice{concat(kept), offset};
}

Checked<Layout> restrict_to(const Layout& layout, std::span<const int64_t> extents) {
  if (extents.size() != layout.rank()) return rank_error("restrict_to", layout, extents.size());
  std::vector<Layout> modes;
  for (size_t i = 0; i < extents.size(); ++i) {
    auto prefix = make_identity(extents[i]);
    if (!prefix) return prefix;
    auto cut = composition(layout.mode(i), *prefix);
    if (!cut) return LayoutError{fmt::format("restrict_to: mode {} of {}: {}", i, layout.to_string(), cut.error())};
    modes.push_back(*std::move(cut));
  }
  return layout.shape().is_leaf() ? modes[0] : concat(modes);
}

Checked<Layout> pad_to_multiples(const Layout& layout, std::span<const int64_t> multiples) {
  if (multiples.size() != layout.rank()) return rank_error("pad_to_multiples", layout, multiples.size());
  std::vector<IntTuple> shapes, strides;
  for (size_t i = 0; i < multiples.size(); ++i) {
    auto padded = pad_mode(layout.mode(i), multiples[i]);
    if (!padded) return padded;
    shapes.push_back(padded->shape());
    strides.push_back(padded->stride());
  }
  if (layout.shape().is_leaf()) return Layout::make(shapes[0], strides[0]);
  return Layout::make(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

}  // namespace tl
