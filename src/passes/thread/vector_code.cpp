#include "passes/thread/vector_code.h"

#include <algorithm>

#include "passes/thread/vector_statement.h"

namespace tl {

std::optional<Block> vector_points(const PointCode& code, const Facts& facts, const AccessRules& rules) {
  std::vector<GuardedStore> stores;
  if (!collect_stores(code.loop().body, stores)) return std::nullopt;
  // Taken apart, a condition is asked once a store: it may not read what the stores change.
  for (const GuardedStore& guarded : stores) {
    if (guarded.outdated || (stores.size() > 1 && !guarded.has_plain_place())) return std::nullopt;
  }
  Block out;
  bool gained = false;
  for (const GuardedStore& guarded : stores) {
    VectorStatement statement(code, guarded, facts, rules);
    std::optional<Block> fast = statement.run();
    gained |= fast.has_value();
    Block block = fast ? std::move(*fast) : statement.by_points();
    for (OpPtr& op : block) out.push_back(std::move(op));
  }
  if (!gained) return std::nullopt;
  return out;
}

}  // namespace tl
