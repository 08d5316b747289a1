#include <fmt/format.h>

#include "layout/algebra.h"

namespace tl {
namespace {

/// The divided modes, each (tile, rest), and the modes that no tile was given for.
struct DividedModes {
  std::vector<Layout> tiles, rests, untouched;
};

Checked<DividedModes> divide_modes(const Layout& layout, std::span<const Layout> tiles) {
  if (tiles.size() > layout.rank()) {
    return LayoutError{
        fmt::format("divide: {} has {} modes, {} tiles were given", layout.to_string(), layout.rank(), tiles.size())};
  }
  DividedModes out;
  for (size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiles.size()) {
      out.untouched.push_back(layout.mode(i));
      continue;
    }
    auto divided = logical_divide(layout.mode(i), tiles[i]);
    if (!divided) return LayoutError{divided.error()};
    out.tiles.push_back(divided->mode(0));
    out.rests.push_back(divided->mode(1));
  }
  return out;
}

std::vector<Layout> joined(std::vector<Layout> first, const std::vector<Layout>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Checked<Layout> logical_divide(const Layout& layout, const Layout& tile) {
  if (layout.size() == 0) return LayoutError{fmt::format("logical_divide: {} is empty", layout.to_string())};
  auto rest = complement(tile, layout.size());
  if (!rest) return rest;
  // One period of (tile, rest) covers the layout exactly, or something is left over or reached beyond it.
  if (filter(tile).size() * rest->size() != layout.size()) {
    return LayoutError{fmt::format("logical_divide: the {} elements of {} do not divide into tiles {}; pad first",
                                   layout.size(), layout.to_string(), tile.to_string())};
  }
  return composition(layout, concat({tile, *rest}));
}

Checked<Layout> logical_divide(const Layout& layout, std::span<const Layout> tiles) {
  auto divided = divide_modes(layout, tiles);
  if (!divided) return LayoutError{divided.error()};
  std::vector<Layout> modes;
  for (size_t i = 0; i < divided->tiles.size(); ++i) modes.push_back(concat({divided->tiles[i], divided->rests[i]}));
  return concat(joined(std::move(modes), divided->untouched));
}

Checked<Layout> zipped_divide(const Layout& layout, std::span<const Layout> tiles) {
  auto divided = divide_modes(layout, tiles);
  if (!divided) return LayoutError{divided.error()};
  return concat({concat(divided->tiles), concat(joined(divided->rests, divided->untouched))});
}

Checked<Layout> tiled_divide(const Layout& layout, std::span<const Layout> tiles) {
  auto divided = divide_modes(layout, tiles);
  if (!divided) return LayoutError{divided.error()};
  return concat(joined(joined({concat(divided->tiles)}, divided->rests), divided->untouched));
}

Checked<Layout> logical_product(const Layout& block, const Layout& tiling) {
  if (tiling.size() == 0 || tiling.min_value() < 0) {
    return LayoutError{
        fmt::format("logical_product: the tiling {} is empty or has values below 0", tiling.to_string())};
  }
  int64_t size = 0;
  if (__builtin_mul_overflow(block.size(), tiling.cosize(), &size)) {
    return LayoutError{"logical_product: the size does not fit in 64 bits"};
  }
  auto rest = complement(block, size);
  if (!rest) return rest;
  auto copies = composition(*rest, tiling);
  if (!copies) return copies;
  return Layout::make(tuple_of(block.shape(), copies->shape()), tuple_of(block.stride(), copies->stride()));
}

Checked<Layout> blocked_product(const Layout& block, const Layout& tiling) {
  if (block.rank() != tiling.rank()) {
    return LayoutError{
        fmt::format("blocked_product: {} and {} have different ranks", block.to_string(), tiling.to_string())};
  }
  auto product = logical_product(block, tiling);
  if (!product) return product;
  std::vector<Layout> modes;
  for (size_t i = 0; i < block.rank(); ++i)
    modes.push_back(concat({product->mode(0).mode(i), product->mode(1).mode(i)}));
  return concat(modes);
}

Checked<Layout> tiled_product(const Layout& block, const Layout& tiling) {
  auto product = logical_product(block, tiling);
  if (!product) return product;
  std::vector<Layout> modes{product->mode(0)};
  for (size_t i = 0; i < tiling.rank(); ++i) modes.push_back(product->mode(1).mode(i));
  return concat(modes);
}

}  // namespace tl
