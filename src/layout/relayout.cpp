#include "layout/relayout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "layout/coordinates.h"

namespace tl {
namespace {

/// A value that one thread of a warp gets from another one, for its register `to_register`.
struct Shuffled {
  int64_t to_register;
  int64_t source_thread;
  int64_t source_register;
  auto operator<=>(const Shuffled&) const = default;
};

/// What the slots of one fragment need from another.
struct Needs {
  bool crosses_warps = false;
  int64_t register_moves = 0;
  std::vector<Shuffled> shuffled;
};

Needs collect_needs(const Fragment& from, const Fragment& to, int64_t warp_size) {
  Needs needs;
  std::vector<int64_t> moves(static_cast<size_t>(to.threads()), 0);
  needs.crosses_warps = !all_coordinates(to.extents(), [&](std::span<const int64_t> coordinate) {
    int64_t source_register = from.reg(coordinate), to_register = to.reg(coordinate);
    int64_t replicas = to.replicas(coordinate);
    for (int64_t replica = 0; replica < replicas; ++replica) {
      int64_t thread = to.thread(coordinate, replica);
      auto source = relayout_source(from, coordinate, thread, warp_size);
      if (!source) return false;
      if (*source == thread) {
        moves[static_cast<size_t>(thread)] += source_register != to_register;
      } else {
        needs.shuffled.push_back({to_register, *source, source_register});
      }
    }
    return true;
  });
  if (!needs.crosses_warps) needs.register_moves = *std::max_element(moves.begin(), moves.end());
  return needs;
}

/// For each destination register the most different registers that one source thread gives; their sum. Warps shuffle at
/// the same time, so only the busiest counts.
int64_t count_shuffles(std::vector<Shuffled> shuffled) {
  std::sort(shuffled.begin(), shuffled.end());
  shuffled.erase(std::unique(shuffled.begin(), shuffled.end()), shuffled.end());
  int64_t total = 0, most = 0, run = 0;
  for (size_t i = 0; i < shuffled.size(); ++i) {
    bool same_register = i > 0 && shuffled[i].to_register == shuffled[i - 1].to_register;
    bool same_source = same_register && shuffled[i].source_thread == shuffled[i - 1].source_thread;
    if (!same_register) total += std::exchange(most, 0);
    run = same_source ? run + 1 : 1;
    most = std::max(most, run);
  }
  return total + most;
}

RelayoutKind kind_of(const Needs& needs) {
  if (needs.crosses_warps) return RelayoutKind::kSharedMemory;
  if (!needs.shuffled.empty()) return RelayoutKind::kWarpShuffle;
  return needs.register_moves > 0 ? RelayoutKind::kRegisterPermute : RelayoutKind::kIdentity;
}

}  // namespace

std::string_view to_string(RelayoutKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"identity", "register-permute", "warp-shuffle", "shared-memory"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<int64_t> relayout_source(const Fragment& from, std::span<const int64_t> coordinate, int64_t thread,
                                       int64_t warp_size) {
  if (from.holds(thread, coordinate)) return thread;
  int64_t replicas = from.replicas(coordinate);
  for (int64_t replica = 0; replica < replicas; ++replica) {
    int64_t holder = from.thread(coordinate, replica);
    if (holder / warp_size == thread / warp_size) return holder;
  }
  return std::nullopt;
}

Checked<RelayoutCost> classify_relayout(const Fragment& from, const Fragment& to, int64_t element_bits,
                                        int64_t warp_size) {
  if (from.extents() != to.extents() || from.threads() != to.threads()) {
    return LayoutError{
        fmt::format("relayout from {} to {}: tile and threads must agree", from.to_string(), to.to_string())};
  }
  if (element_bits < 1 || warp_size < 1) {
    return LayoutError{fmt::format("relayout of {}-bit elements in warps of {}", element_bits, warp_size)};
  }
  Needs needs = from.is_spelled_like(to) ? Needs{} : collect_needs(from, to, warp_size);
  RelayoutKind kind = kind_of(needs);
  auto bytes = [&](int64_t elements) { return (elements * element_bits + 7) / 8; };
  int64_t words = (element_bits + 31) / 32;
  int64_t shuffles = kind == RelayoutKind::kWarpShuffle ? count_shuffles(std::move(needs.shuffled)) * words : 0;
  return RelayoutCost{kind, needs.register_moves, shuffles, bytes(from.size()), bytes(from.size() + to.filled_slots())};
}

}  // namespace tl
