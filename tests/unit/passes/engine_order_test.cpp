#include "passes/core/engine_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tl {
namespace {

constexpr int kEngines = 4;

/// A run of a block's statements written out: what must come before what, by the rules of engines and flags alone.
class WrittenOut {
 public:
  WrittenOut(size_t statements, int64_t iterations, const std::vector<EngineEdge>& edges)
      : statements_(static_cast<int64_t>(statements)), iterations_(iterations) {
    // An engine's events in program order: barriers and waits, the statement, then sets.
    for (int engine = 0; engine < kEngines; ++engine) {
      int last_start = -1;
      for (int64_t i = 0; i < iterations_; ++i) {
        for (int64_t s = 0; s < statements_; ++s) {
          for (const EngineEdge& e : edges) {
            if (static_cast<int64_t>(e.second) != s || static_cast<int>(e.to) != engine) continue;
            const int wait = node();
            chain(last_start, wait);
            if (e.from == e.to) {
              for (const int done : done_[engine]) after(done, wait);
            } else {
              waits_[{index(edges, e), i}] = wait;
            }
            last_start = wait;
          }
          const int start = node(), done = node();
          chain(last_start, start);
          after(start, done);
          last_start = start;
          starts_[{engine, i * statements_ + s}] = start;
          dones_[{engine, i * statements_ + s}] = done;
          done_[engine].push_back(done);
          for (const EngineEdge& e : edges) {
            if (static_cast<int64_t>(e.first) != s || static_cast<int>(e.from) != engine || e.from == e.to) continue;
            const int set = node();
            for (const int before : done_[engine]) after(before, set);
            after(last_start, set);
            sets_[{index(edges, e), i}] = set;
          }
        }
      }
    }
    for (const auto& [key, wait] : waits_) {
      const auto set = sets_.find({key.first, key.second - edges[key.first].distance});
      if (set != sets_.end()) after(set->second, wait);
    }
    close();
  }

  bool holds(const EngineDependence& d, int64_t iteration) const {
    const auto done = dones_.find({static_cast<int>(d.from), iteration * statements_ + static_cast<int64_t>(d.first)});
    const auto start =
        starts_.find({static_cast<int>(d.to), (iteration + d.distance) * statements_ + static_cast<int64_t>(d.second)});
    return start == starts_.end() || reaches(done->second, start->second);
  }

  /// Whether no flag is set while it may still be set.
  bool flags_are_free(const std::vector<EngineEdge>& edges) const {
    for (const auto& [key, set] : sets_) {
      const EngineEdge& e = edges[key.first];
      const auto again = sets_.find({key.first, key.second + e.flags});
      const auto wait = waits_.find({key.first, key.second + e.distance});
      if (again != sets_.end() && wait != waits_.end() && !reaches(wait->second, again->second)) return false;
    }
    return true;
  }

 private:
  static size_t index(const std::vector<EngineEdge>& edges, const EngineEdge& e) {
    return static_cast<size_t>(&e - edges.data());
  }
  int node() {
    next_.emplace_back();
    return static_cast<int>(next_.size()) - 1;
  }
  void after(int before, int then) { next_[static_cast<size_t>(before)].push_back(then); }
  void chain(int before, int then) {
    if (before >= 0) after(before, then);
  }
  void close() {
    reached_.assign(next_.size(), std::vector<bool>(next_.size(), false));
    for (size_t n = 0; n < next_.size(); ++n) {
      std::vector<int> open = {static_cast<int>(n)};
      while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        for (const int to : next_[static_cast<size_t>(at)]) {
          if (reached_[n][static_cast<size_t>(to)]) continue;
          reached_[n][static_cast<size_t>(to)] = true;
          open.push_back(to);
        }
      }
    }
  }
  bool reaches(int a, int b) const { return reached_[static_cast<size_t>(a)][static_cast<size_t>(b)]; }

  const int64_t statements_, iterations_;
  std::vector<std::vector<int>> next_;
  std::vector<std::vector<bool>> reached_;
  std::map<std::pair<int, int64_t>, int> starts_, dones_;
  std::map<int, std::vector<int>> done_;
  std::map<std::pair<size_t, int64_t>, int> sets_, waits_;
};

TEST(EngineOrder, LeavesOutWhatOthersImply) {
  // load, compute, store: the store's engine knows of the load by way of the compute.
  const auto edges = order_engines(3, false,
                                   {{Engine::kMte2, Engine::kVector, 0, 1, 0},
                                    {Engine::kVector, Engine::kMte3, 1, 2, 0},
                                    {Engine::kMte2, Engine::kMte3, 0, 2, 0}});
  EXPECT_EQ(edges.size(), 2u);
}

TEST(EngineOrder, TwoVersionsTakeTwoFlags) {
  const auto edges =
      order_engines(2, true, {{Engine::kMte2, Engine::kVector, 0, 1, 0}, {Engine::kVector, Engine::kMte2, 1, 0, 2}});
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].flags, 2);
  EXPECT_EQ(edges[1].flags, 2);
}

TEST(EngineOrder, AnEdgeBackKeepsAFlagFree) {
  // Nothing stops the first engine, but a flag is set once at a time.
  const auto edges = order_engines(2, true, {{Engine::kMte2, Engine::kVector, 0, 1, 0}});
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[1].from, Engine::kVector);
  EXPECT_EQ(edges[1].distance, 2);
}

TEST(EngineOrder, OneEngineHasABarrier) {
  const auto edges = order_engines(2, true, {{Engine::kCube, Engine::kCube, 1, 1, 1}});
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].from, edges[0].to);
}

TEST(EngineOrder, HoldsForRandomBlocks) {
  std::mt19937 random(950);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 400; ++trial) {
    const auto statements = static_cast<size_t>(1 + below(4));
    const bool repeats = below(3) != 0;
    std::vector<EngineDependence> needed;
    for (int n = 1 + below(5); n > 0; --n) {
      EngineDependence d{static_cast<Engine>(below(kEngines)), static_cast<Engine>(below(kEngines)),
                         static_cast<size_t>(below(static_cast<int>(statements))),
                         static_cast<size_t>(below(static_cast<int>(statements))), repeats ? below(4) : 0};
      if (d.distance == 0 && d.first >= d.second) continue;
      needed.push_back(d);
    }
    const std::vector<EngineEdge> edges = order_engines(statements, repeats, needed);
    const int64_t iterations = repeats ? 8 : 1;
    const WrittenOut run(statements, iterations, edges);
    for (const EngineDependence& d : needed) {
      for (int64_t i = 0; i < iterations; ++i) {
        EXPECT_TRUE(run.holds(d, i)) << "trial " << trial << " iteration " << i;
      }
    }
    EXPECT_TRUE(run.flags_are_free(edges)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace tl
