#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tl::testing {

/// Choices from one seed, the same on every machine (std::uniform_int_distribution is not).
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) {}

  uint64_t bits() { return engine_(); }
  /// From `lo` to `hi`, both included.
  int64_t pick(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine_() % static_cast<uint64_t>(hi - lo + 1));
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <class T>
  const T& choose(const std::vector<T>& from) {
    return from[static_cast<size_t>(pick(0, static_cast<int64_t>(from.size()) - 1))];
  }
  template <class T>
  T choose(std::initializer_list<T> from) {
    return from.begin()[pick(0, static_cast<int64_t>(from.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tl::testing
