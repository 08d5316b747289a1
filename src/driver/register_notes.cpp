#include "driver/register_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/walk.h"

namespace tl {
namespace {

constexpr int64_t kRegisterBytes = 4;

/// A buffer keeps its name and place through all passes.
using Identity = std::pair<std::string, std::string>;
Identity identity(const BufferNode& buffer) { return {buffer.name, to_string(buffer.loc)}; }

std::set<Identity> tiles_of(const Function& function) {
  std::set<Identity> out;
  visit_ops(function.body, [&](const Op& op) {
    const auto* alloc = op.as<Alloc>();
    if (alloc == nullptr) return;
    const MemorySpace space = alloc->buffer->space;
    if (space == MemorySpace::kFragment || space == MemorySpace::kLocal) out.insert(identity(*alloc->buffer));
  });
  return out;
}

int64_t registers_of(const BufferNode& array) {
  int64_t bits = array.dtype.storage_bits();
  for (const int64_t extent : static_shape(array).value_or(std::vector<int64_t>())) bits *= extent;
  return (bits / 8 + kRegisterBytes - 1) / kRegisterBytes;
}

/// Registers that a thread of the launch can have.
int64_t available(const Launch& launch, const Target& target) {
  constexpr int64_t kUnit = 8;  // they are given out in units of this many
  int64_t threads = 1;
  for (const int64_t extent : launch.threads) threads *= extent;
  threads *= hint<int64_t>(launch.hints, "resident_blocks", 1);
  return std::min(target.thread_registers, target.registers / std::max<int64_t>(threads, 1) / kUnit * kUnit);
}

Diagnostic note_of(const Launch& launch, const std::set<Identity>& tiles, const Target& target) {
  int64_t all = 0;
  const BufferNode* largest = nullptr;
  visit_ops(launch.body, [&](const Op& op) {
    const auto* alloc = op.as<Alloc>();
    if (alloc == nullptr || alloc->buffer->space != MemorySpace::kLocal || !tiles.count(identity(*alloc->buffer))) {
      return;
    }
    all += registers_of(*alloc->buffer);
    if (largest == nullptr || registers_of(*alloc->buffer) > registers_of(*largest)) largest = alloc->buffer.get();
  });
  Diagnostic out{Severity::kWarning, 91, {}, launch.loc, {}, {}};
  const int64_t limit = available(launch, target);
  if (largest == nullptr) {
    out.message = fmt::format("a thread needs more than the {} registers it has, and keeps the rest in memory", limit);
    out.help = "use more threads, or compute less at a time";
    return out;
  }
  if (largest->loc) out.loc = largest->loc;
  if (all < limit) {
    out.message = fmt::format(
        "the tiles of a thread take {} of its {} registers; with what it computes beside them these do not suffice, "
        "and "
        "some values are kept in memory",
        all, limit);
  } else {
    out.message = fmt::format(
        "the tiles of a thread take {} registers, of the {} that it has for everything; the rest is kept in memory",
        all, limit);
  }
  out.notes.push_back({fmt::format("`{}`, the largest, takes {}", largest->name, registers_of(*largest)), {}});
  out.help = "use smaller tiles, or more threads to share them";
  return out;
}

}  // namespace

std::vector<Diagnostic> register_notes(const Function& function, const Function& lowered, const Target& target) {
  const std::set<Identity> tiles = tiles_of(function);
  std::vector<Diagnostic> out;
  visit_ops(lowered.body, [&](const Op& op) {
    if (const auto* launch = op.as<Launch>()) out.push_back(note_of(*launch, tiles, target));
  });
  return out;
}

}  // namespace tl
