#include "passes/tile/check_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "ir/walk.h"

namespace tl {
namespace {

/// In bytes; a symbolic shape, which the builder refuses on chip, counts nothing.
double size_of(const BufferNode& buffer) {
  const auto shape = static_shape(buffer);
  if (!shape) return 0;
  double bytes = buffer.dtype.storage_bits() / 8.0;
  for (const int64_t extent : *shape) bytes *= static_cast<double>(extent);
  return bytes;
}

std::string text_of(double bytes) {
  constexpr double kKiB = 1024, kMiB = kKiB * kKiB;
  return bytes < kMiB ? fmt::format("{:.0f} KiB", bytes / kKiB) : fmt::format("{:.0f} MiB", bytes / kMiB);
}

void check_tiles(const Launch& launch, const Target& target, Diagnostics& diagnostics) {
  if (target.max_tiles == 0) return;
  double total = 0;
  const BufferNode* largest = nullptr;
  visit_ops(launch.body, [&](const Op& nested) {
    const auto* alloc = nested.as<Alloc>();
    if (alloc == nullptr || alloc->buffer->space == MemorySpace::kGlobal) return;
    const double bytes = size_of(*alloc->buffer);
    total += bytes;
    if (largest == nullptr || bytes > size_of(*largest)) largest = alloc->buffer.get();
  });
  if (total <= static_cast<double>(target.max_tiles)) return;
  Diagnostic& d =
      diagnostics.error(91, launch.loc,
                        fmt::format("the tiles of one program take {}, but {} has {} for them", text_of(total),
                                    target.name, text_of(static_cast<double>(target.max_tiles))));
  if (largest->loc) {
    d.notes.push_back(
        {fmt::format("`{}`, the largest, takes {}", largest->name, text_of(size_of(*largest))), largest->loc});
  }
  d.help = "use smaller tiles, and more programs or a loop over them";
}

void check_grid(const Launch& launch, const Target& target, Diagnostics& diagnostics) {
  for (size_t i = 0; i < launch.grid.size(); ++i) {
    const int64_t extent = as_int(launch.grid[i]).value_or(0);
    if (extent <= target.max_grid[i]) continue;
    diagnostics
        .error(91, launch.loc,
               fmt::format("grid extent {} of T.Kernel is {}, but {} starts at most {} programs along it", i, extent,
                           target.name, target.max_grid[i]))
        .help = "use larger tiles, or fewer programs and a loop of each over its part";
  }
}

}  // namespace

void check_capacity(const Function& function, const Target& target, Diagnostics& diagnostics) {
  visit_ops(function.body, [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    check_tiles(*launch, target, diagnostics);
    check_grid(*launch, target, diagnostics);
  });
}

}  // namespace tl
