#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/layout.h"

/// Operations that combine layouts. All refuse empty layouts and, where the text says so, negative strides; none ever
/// returns a layout that breaks its law.
namespace tl {

/// outer ∘ inner: the layout r with r(c) = outer(inner(c)), shaped like `inner` with leaves split where needed.
/// Error: `inner` takes a value outside 0 <= v < outer.size(), or no shape:stride tree of that form exists because
/// steps of `inner` carry over a boundary between modes of `outer`.
Checked<Layout> composition(const Layout& outer, const Layout& inner);
/// `composition` of each top-level mode with its own inner layout; further modes stay.
Checked<Layout> composition_by_mode(const Layout& outer, std::span<const Layout> inner);

/// The layout c with increasing values such that (layout, c) takes every value of 0 <= v < n once (as often as `layout`
/// takes its own), n being the first multiple of the layout's period that is >= `size`.
/// Error: negative strides, or values that no layout complements (gaps that are no multiple of what they enclose).
Checked<Layout> complement(const Layout& layout, int64_t size);

/// r with layout(r(i)) = i for 0 <= i < r.size(): as long as whole leaves of `layout`, sorted by stride, leave no gap;
/// `1:0` when there is no stride 1. For a bijection onto 0 <= v < size it is the inverse.
Layout right_inverse(const Layout& layout);
/// A layout l with l(layout(i)) = i for 0 <= i < layout.size(). Padded strides are allowed. Error: not injective,
/// negative strides, or strides that are no multiples of each other.
Checked<Layout> left_inverse(const Layout& layout);

/// (tile, rest): `tile` gives the elements of one tile as values in the linear index of `layout`; `rest` steps from
/// tile to tile. Error: as for complement and composition; tiles that do not divide need `pad_to_multiples` first.
Checked<Layout> logical_divide(const Layout& layout, const Layout& tile);
/// ((tile0,rest0),(tile1,rest1),...): each top-level mode divided by its own tile; further modes stay.
Checked<Layout> logical_divide(const Layout& layout, std::span<const Layout> tiles);
/// ((tile0,tile1,...),(rest0,rest1,...)).
Checked<Layout> zipped_divide(const Layout& layout, std::span<const Layout> tiles);
/// ((tile0,tile1,...),rest0,rest1,...).
Checked<Layout> tiled_divide(const Layout& layout, std::span<const Layout> tiles);

/// (block, tiling'): copies of `block` laid out one after another in the order of `tiling`. Error: as for complement.
Checked<Layout> logical_product(const Layout& block, const Layout& tiling);
/// ((block0,tiling0),(block1,tiling1),...): mode i of the block is repeated along mode i of the tiling, so that a
/// matrix of blocks is again a matrix. Error: the ranks differ, or as for logical_product.
Checked<Layout> blocked_product(const Layout& block, const Layout& tiling);
/// (block, tiling'0, tiling'1, ...).
Checked<Layout> tiled_product(const Layout& block, const Layout& tiling);

}  // namespace tl
