#include "passes/core/engine_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "support/diagnostic.h"

namespace tl {
namespace {

constexpr size_t kEngines = static_cast<size_t>(Engine::kFixpipe) + 1;
/// Flags that one edge may take, and iterations that a search looks ahead.
constexpr int64_t kMostFlags = 8;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Points count statements over iterations: statement s of iteration i is point i * statements + s.
class EngineOrder {
 public:
  EngineOrder(size_t statements, bool repeats) : count_(static_cast<int64_t>(statements)), repeats_(repeats) {}

  std::vector<EngineDependence> edges;

  int64_t point(size_t statement, int64_t iteration) const {
    return iteration * count_ + static_cast<int64_t>(statement);
  }

  /// Whether the work of `from` at a point is done before `to` starts at another.
  bool done_before(Engine from, int64_t at, Engine to, int64_t by) const {
    Known known;
    known.fill(kNever);
    leave(from, at, by, known);
    return spread(known, to, by);
  }

  /// Whether `from` has passed a wait before a point ere `to` is done with another.
  bool passed_before(Engine from, int64_t at, Engine to, int64_t by) const {
    Known known;
    known.fill(kNever);
    known[static_cast<size_t>(from)] = at;
    return spread(known, to, by);
  }

  bool holds(const EngineDependence& d) const {
    return done_before(d.from, point(d.first, 0), d.to, point(d.second, d.distance));
  }

 private:
  /// The first point at which each engine starts behind the event.
  using Known = std::array<int64_t, kEngines>;

  int64_t& at(Known& known, Engine engine) const { return known[static_cast<size_t>(engine)]; }

  /// What engines learn from the edges that `engine` sets at `since` or later, and not beyond `until`.
  bool leave(Engine engine, int64_t since, int64_t until, Known& known) const {
    bool changed = false;
    for (const EngineDependence& e : edges) {
      if (e.from != engine) continue;
      // The first iteration whose set stands at `since` or behind; a barrier stands before its second statement.
      const bool barrier = e.from == e.to;
      const int64_t set = barrier ? static_cast<int64_t>(e.second) - 1 : static_cast<int64_t>(e.first);
      const int64_t iteration = since <= set ? 0 : (since - set + count_ - 1) / count_;
      if (!repeats_ && iteration > 0) continue;
      const int64_t reached = point(e.second, iteration + (barrier ? 0 : e.distance));
      if (reached > until || reached >= at(known, e.to)) continue;
      at(known, e.to) = reached;
      changed = true;
    }
    return changed;
  }

  bool spread(Known& known, Engine to, int64_t by) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t e = 0; e < kEngines; ++e) {
        if (known[e] != kNever) changed |= leave(static_cast<Engine>(e), known[e], by, known);
      }
    }
    return at(known, to) <= by;
  }

  const int64_t count_;
  const bool repeats_;
};

/// The fewest flags with which none is set again before its wait is over; nothing where no number suffices.
std::optional<int64_t> flags_of(const EngineOrder& order, const EngineDependence& e, bool repeats) {
  if (!repeats || e.from == e.to) return 1;
  for (int64_t flags = std::max<int64_t>(e.distance, 1); flags <= kMostFlags; ++flags) {
    const int64_t wait = order.point(e.second, e.distance), set = order.point(e.first, flags);
    if (order.passed_before(e.to, wait, e.from, set)) return flags;
  }
  return std::nullopt;
}

bool stronger(const EngineDependence& a, const EngineDependence& b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  if (a.second != b.second) return a.second < b.second;
  return a.first > b.first;
}

}  // namespace

std::vector<EngineEdge> order_engines(size_t statements, bool repeats, std::vector<EngineDependence> needed) {
  std::sort(needed.begin(), needed.end(), stronger);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  EngineOrder order(statements, repeats);
  for (const EngineDependence& d : needed) {
    if (!order.holds(d)) order.edges.push_back(d);
  }
  // Later edges may imply earlier ones.
  const auto all_hold = [&] {
    return std::all_of(needed.begin(), needed.end(), [&](const EngineDependence& d) { return order.holds(d); });
  };
  for (size_t i = order.edges.size(); i-- > 0;) {
    const EngineDependence removed = order.edges[i];
    order.edges.erase(order.edges.begin() + static_cast<std::ptrdiff_t>(i));
    if (!all_hold()) order.edges.insert(order.edges.begin() + static_cast<std::ptrdiff_t>(i), removed);
  }
  for (size_t i = 0; i < order.edges.size(); ++i) {
    const EngineDependence e = order.edges[i];
    if (flags_of(order, e, repeats)) continue;
    // Two iterations apart, so that the first engine may be one ahead.
    order.edges.push_back({e.to, e.from, e.second, e.first, e.distance > 0 ? e.distance : 2});
    TL_CHECK(order.edges.size() < 1000, "flags that are never free again");
  }
  std::vector<EngineEdge> out;
  for (const EngineDependence& e : order.edges) {
    const auto flags = flags_of(order, e, repeats);
    TL_CHECK(flags.has_value(), "a flag that is never free again");
    out.push_back({e, *flags});
  }
  return out;
}

}  // namespace tl
