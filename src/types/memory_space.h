#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tl {

/// Where a buffer lives. `shared` spaces are one per tile program, `local` spaces one per thread, a fragment is a tile
/// spread over the threads of a group.
enum class MemorySpace : uint8_t {
  kGlobal,
  kShared,        // dynamic shared memory
  kSharedStatic,  // statically sized shared memory
  kFragment,
  kLocal,  // per-thread array
  kVar,    // per-thread mutable scalar
  kReducer,
  kBarrier,
  kClusterBarrier,
  kTensorMemory,
  kL1,
  kL0A,
  kL0B,
  kL0C,
  kDescriptor,
};

/// The language's scope string, such as "shared.dyn" or "local.fragment".
std::string_view scope_name(MemorySpace space);
/// The word the text IR uses, such as "shared" or "fragment".
std::string_view space_name(MemorySpace space);
std::optional<MemorySpace> parse_scope(std::string_view scope);
std::optional<MemorySpace> parse_space(std::string_view name);

inline bool is_shared(MemorySpace s) { return s == MemorySpace::kShared || s == MemorySpace::kSharedStatic; }
inline bool is_per_thread(MemorySpace s) { return s == MemorySpace::kLocal || s == MemorySpace::kVar; }

}  // namespace tl
