#include "layout/relayout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

using Coord = std::vector<int64_t>;

RelayoutCost classify(const Fragment& from, const Fragment& to, int64_t bits = 32) {
  return classify_relayout(from, to, bits).value();
}

TEST(RelayoutTest, IdentityOfMeaning) {
  Fragment f = Fragment::distribute({8, 16}, 64, 2).value();
  EXPECT_EQ(classify(f, f).kind, RelayoutKind::kIdentity);
  Fragment all = Fragment::replicated({4}, 64).value();
  Fragment first = Fragment::from_thread_value({4}, layout_of("((16,4),4):((0,4),1)")).value();
  EXPECT_EQ(classify(all, first).kind, RelayoutKind::kIdentity);
}

TEST(RelayoutTest, PermutesRegisters) {
  Fragment rows = Fragment::from_thread_value({4, 32}, layout_of("(32,4):(1,32)")).value();
  Fragment pairs = Fragment::from_thread_value({4, 32}, layout_of("(32,(2,2)):(1,(64,32))")).value();
  RelayoutCost cost = classify(rows, pairs);
  EXPECT_EQ(cost.kind, RelayoutKind::kRegisterPermute);
  EXPECT_EQ(cost.register_moves, 2);
  EXPECT_EQ(cost.shuffles, 0);
  EXPECT_EQ(classify(Fragment::replicated({4, 32}, 32).value(), rows).kind, RelayoutKind::kRegisterPermute);
}

TEST(RelayoutTest, CountsShuffles) {
  // Vectors of 4 to vectors of 1 in one warp: for each new register, a source lane gives up to 4 of its registers.
  Fragment wide = Fragment::distribute({128}, 32, 4).value();
  Fragment narrow = Fragment::distribute({128}, 32, 1).value();
  RelayoutCost cost = classify(wide, narrow);
  EXPECT_EQ(cost.kind, RelayoutKind::kWarpShuffle);
  EXPECT_EQ(cost.shuffles, 16);
  EXPECT_EQ(classify(wide, narrow, 64).shuffles, 32);
  EXPECT_EQ(classify(wide, narrow, 16).shuffles, 16);
  // Warps shuffle at the same time.
  EXPECT_EQ(classify(*wide.replicate(3), *narrow.replicate(3)).shuffles, 16);
  EXPECT_EQ(cost.shared_bytes, 512);
  EXPECT_EQ(cost.shared_traffic_bytes, 1024);
  // One lane's value to all: a broadcast is one shuffle for each of the lane's registers that others need.
  Fragment one = Fragment::distribute({32}, 32).value();
  EXPECT_EQ(classify(one, Fragment::replicated({32}, 32).value()).shuffles, 32);
  // A rotation is one shuffle.
  Fragment rotated =
      Fragment::from_slots({32}, 32, 1, [](int64_t t, int64_t) { return std::optional((t + 1) % 32); }).value();
  EXPECT_EQ(classify(one, rotated).shuffles, 1);
}

TEST(RelayoutTest, CrossingWarpsNeedsSharedMemory) {
  Fragment f = Fragment::distribute({100}, 64).value();
  Fragment g = Fragment::distribute({100}, 64, 2).value();
  RelayoutCost cost = classify(f, g, 16);
  EXPECT_EQ(cost.kind, RelayoutKind::kSharedMemory);
  EXPECT_EQ(cost.shuffles, 0);
  EXPECT_EQ(cost.shared_bytes, 200);
  EXPECT_EQ(cost.shared_traffic_bytes, 400);
  EXPECT_EQ(classify(f, Fragment::replicated({100}, 64).value(), 16).shared_traffic_bytes, 200 + 64 * 200);
  EXPECT_EQ(classify_relayout(f, g, 16, 64)->kind, RelayoutKind::kWarpShuffle);
  EXPECT_EQ(classify(Fragment::distribute({3}, 64).value(), Fragment::distribute({3}, 64).value(), 4).shared_bytes, 2);
}

TEST(RelayoutTest, SourceIsTheThreadItselfThenItsWarp) {
  Fragment f = Fragment::from_thread_value({4}, layout_of("((4,32),1):((1,0),0)")).value();
  EXPECT_EQ(relayout_source(f, Coord{2}, 66), 66);
  EXPECT_EQ(relayout_source(f, Coord{2}, 64), 66);
  EXPECT_EQ(relayout_source(Fragment::distribute({64}, 64).value(), Coord{40}, 3), std::nullopt);
}

TEST(RelayoutTest, Refusals) {
  Fragment f = Fragment::distribute({100}, 64).value();
  EXPECT_FALSE(classify_relayout(f, Fragment::distribute({100}, 32).value(), 16));
  EXPECT_FALSE(classify_relayout(f, Fragment::distribute({10, 10}, 64).value(), 16));
  EXPECT_FALSE(classify_relayout(f, f, 0));
  EXPECT_FALSE(classify_relayout(f, f, 16, 0));
  EXPECT_EQ(to_string(RelayoutKind::kWarpShuffle), "warp-shuffle");
}

/// The shuffles by their definition: for each new register, the most registers that one source thread gives.
int64_t shuffles_of(const Fragment& from, const Fragment& to, int64_t warp) {
  int64_t total = 0;
  for (int64_t reg = 0; reg < to.registers(); ++reg) {
    std::map<int64_t, std::set<int64_t>> given;
    for (int64_t thread = 0; thread < to.threads(); ++thread) {
      auto at = to.coordinate(thread, reg);
      if (!at) continue;
      int64_t source = relayout_source(from, *at, thread, warp).value();
      if (source != thread) given[source].insert(from.reg(*at));
    }
    size_t most = 0;
    for (const auto& [source, registers] : given) most = std::max(most, registers.size());
    total += static_cast<int64_t>(most);
  }
  return total;
}

/// Each class against its definition, by enumeration of the slots.
TEST(RelayoutTest, ClassesAndCountsAgreeWithTheirDefinitions) {
  RandomLayouts random(41);
  int seen[4] = {};
  for (int n = 0; n < 600; ++n) {
    int64_t width = random.pick(1, 40), threads = random.pick(1, 12), warp = random.pick(1, 6);
    auto pick = [&]() -> Fragment {
      if (random.pick(0, 4) == 0) return Fragment::replicated({width}, threads).value();
      return Fragment::distribute({width}, threads, random.pick(1, 4)).value();
    };
    Fragment from = pick(), to = pick();
    RelayoutCost cost = classify_relayout(from, to, 32, warp).value();
    ++seen[static_cast<int>(cost.kind)];
    bool same_slot = true, same_thread = true, same_warp = true;
    for (int64_t t = 0; t < threads; ++t) {
      for (int64_t r = 0; r < to.registers(); ++r) {
        auto e = to.element(t, r);
        if (!e) continue;
        bool slot = false, thread = false, in_warp = false;
        for (int64_t s = 0; s < threads; ++s) {
          for (int64_t q = 0; q < from.registers(); ++q) {
            if (from.element(s, q) != e) continue;
            slot |= s == t && q == r;
            thread |= s == t;
            in_warp |= s / warp == t / warp;
          }
        }
        same_slot &= slot, same_thread &= thread, same_warp &= in_warp;
      }
    }
    RelayoutKind expected = same_slot     ? RelayoutKind::kIdentity
                            : same_thread ? RelayoutKind::kRegisterPermute
                            : same_warp   ? RelayoutKind::kWarpShuffle
                                          : RelayoutKind::kSharedMemory;
    EXPECT_EQ(cost.kind, expected) << from.to_string() << " -> " << to.to_string();
    EXPECT_EQ(cost.shuffles, expected == RelayoutKind::kWarpShuffle ? shuffles_of(from, to, warp) : 0);
  }
  for (int count : seen) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace tl
