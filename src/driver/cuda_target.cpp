#include "driver/cuda_target.h"

#include <charconv>

namespace tl {
namespace {

constexpr std::string_view kPrefix = "sm_";

/// 90 of "sm_90a".
int number_of(const Target& target) {
  const std::string_view digits = target.name.substr(kPrefix.size());
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool runs_on(const Target& target, int device) {
  const int number = number_of(target);
  if (target.name.ends_with('a')) return number == device;
  return number <= device && number / 10 == device / 10;
}

}  // namespace

const Target* cuda_target_of(int major, int minor) {
  const Target* found = nullptr;
  for (const Target& target : all_targets()) {
    if (target.kind != TargetKind::kCuda || !runs_on(target, major * 10 + minor)) continue;
    if (found == nullptr || number_of(target) > number_of(*found)) found = &target;
  }
  return found;
}

}  // namespace tl
