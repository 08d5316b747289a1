#include "passes/thread/vector_code.h"

#include <algorithm>

#include "passes/thread/vector_statement.h"

namespace tl {

std::optional<VectorPoints> vector_points(const PointCode& code, const Facts& facts, const AccessRules& rules,
                                          const SharedMemoryOf& shared) {
  std::vector<GuardedStore> stores;
  if (!collect_stores(code.loop().body, stores)) return std::nullopt;
  bool relies_on_apart = false;
  const StoreOrder order = order_of(stores, shared, relies_on_apart);
  if (order == StoreOrder::kPointByPoint) return std::nullopt;
  std::vector<std::span<const GuardedStore>> groups;
  if (order == StoreOrder::kTogether) {
    groups.emplace_back(stores);
  } else {
    for (const GuardedStore& store : stores) groups.emplace_back(&store, 1);
  }
  Block out;
  bool gained = false;
  for (const std::span<const GuardedStore> group : groups) {
    VectorStatement statement(code, group, facts, rules);
    std::optional<Block> fast = statement.run();
    gained |= fast.has_value();
    Block block = fast ? std::move(*fast) : statement.by_points();
    for (OpPtr& op : block) out.push_back(std::move(op));
  }
  if (!gained) return std::nullopt;
  return VectorPoints{std::move(out), relies_on_apart};
}

}  // namespace tl
