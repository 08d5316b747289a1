#include "layout/relayout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tl {
namespace {

/// What the slots of one fragment need from another.
struct Needs {
  bool crosses_warps = false;
  bool crosses_threads = false;
  int64_t filled = 0;
  int64_t register_moves = 0;
  int64_t shuffles = 0;
};

/// Adds what one register of `to` needs in one warp; returns the shuffles it takes there.
int64_t add_register(const Fragment& from, const Fragment& to, int64_t first_thread, int64_t warp_size, int64_t reg,
                     std::vector<int64_t>& moves, Needs& needs) {
  std::map<int64_t, std::set<int64_t>> given;  // source thread -> its registers
  int64_t end = std::min(first_thread + warp_size, to.threads());
  for (int64_t thread = first_thread; thread < end; ++thread) {
    auto coordinate = to.coordinate(thread, reg);
    if (!coordinate) continue;
    ++needs.filled;
    auto source = relayout_source(from, *coordinate, thread, warp_size);
    int64_t source_register = from.reg(*coordinate);
    if (!source) {
      needs.crosses_warps = true;
    } else if (*source == thread) {
      moves[static_cast<size_t>(thread)] += source_register != reg;
    } else {
      needs.crosses_threads = true;
      given[*source].insert(source_register);
    }
  }
  size_t busiest = 0;
  for (const auto& [thread, registers] : given) busiest = std::max(busiest, registers.size());
  return static_cast<int64_t>(busiest);
}

Needs collect_needs(const Fragment& from, const Fragment& to, int64_t warp_size) {
  Needs needs;
  std::vector<int64_t> moves(static_cast<size_t>(to.threads()), 0);
  for (int64_t reg = 0; reg < to.registers(); ++reg) {
    int64_t shuffles = 0;
    for (int64_t first = 0; first < to.threads(); first += warp_size) {
      shuffles = std::max(shuffles, add_register(from, to, first, warp_size, reg, moves, needs));
    }
    needs.shuffles += shuffles;
  }
  needs.register_moves = *std::max_element(moves.begin(), moves.end());
  return needs;
}

RelayoutKind kind_of(const Needs& needs) {
  if (needs.crosses_warps) return RelayoutKind::kSharedMemory;
  if (needs.crosses_threads) return RelayoutKind::kWarpShuffle;
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
  Needs needs = collect_needs(from, to, warp_size);
  RelayoutKind kind = kind_of(needs);
  auto bytes = [&](int64_t elements) { return (elements * element_bits + 7) / 8; };
  int64_t shuffles = kind == RelayoutKind::kWarpShuffle ? needs.shuffles * ((element_bits + 31) / 32) : 0;
  return RelayoutCost{kind, needs.register_moves, shuffles, bytes(from.size()), bytes(from.size() + needs.filled)};
}

}  // namespace tl
