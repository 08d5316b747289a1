#include "types/memory_space.h"

#include <iterator>

namespace tl {
namespace {

struct SpaceRow {
  std::string_view scope, name;
};

// In the order of MemorySpace.
constexpr SpaceRow kSpaces[] = {
    {"global", "global"},
    {"shared.dyn", "shared"},
    {"shared", "shared_static"},
    {"local.fragment", "fragment"},
    {"local", "local"},
    {"local.var", "var"},
    {"local.reducer", "reducer"},
    {"shared.barrier", "barrier"},
    {"shared.cluster_barrier", "cluster_barrier"},
    {"shared.tmem", "tensor_memory"},
    {"shared.l1", "l1"},
    {"shared.l0a", "l0a"},
    {"shared.l0b", "l0b"},
    {"shared.l0c", "l0c"},
    {"local.descriptor", "descriptor"},
};

std::optional<MemorySpace> find(std::string_view text, std::string_view SpaceRow::* column) {
  for (size_t i = 0; i < std::size(kSpaces); ++i) {
    if (kSpaces[i].*column == text) return static_cast<MemorySpace>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view scope_name(MemorySpace space) { return kSpaces[static_cast<int>(space)].scope; }
std::string_view space_name(MemorySpace space) { return kSpaces[static_cast<int>(space)].name; }
std::optional<MemorySpace> parse_scope(std::string_view scope) { return find(scope, &SpaceRow::scope); }
std::optional<MemorySpace> parse_space(std::string_view name) { return find(name, &SpaceRow::name); }

}  // namespace tl
