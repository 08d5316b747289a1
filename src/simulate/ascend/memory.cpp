#include "simulate/ascend/memory.h"

#include <algorithm>

namespace tl::simulate::ascend {

void Memory::reset() {
  std::fill(bytes.begin(), bytes.end(), uint8_t{0xff});
  std::fill(defined.begin(), defined.end(), uint8_t{0});
  accesses.clear();
}

std::string_view space_name(int space) {
  constexpr std::string_view kNames[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C"};
  return kNames[space];
}

GlobalMemory::GlobalMemory(const std::vector<GmRange>& ranges) {
  // One tensor may be given twice, or a part of another: bytes have one history.
  std::vector<GmRange> apart;
  std::vector<GmRange> sorted = ranges;
  std::stable_sort(sorted.begin(), sorted.end(), [](const GmRange& a, const GmRange& b) { return a.base < b.base; });
  for (const GmRange& range : sorted) {
    if (range.bytes == 0) continue;
    if (apart.empty() || range.base >= apart.back().base + apart.back().bytes) {
      apart.push_back(range);
      continue;
    }
    GmRange& before = apart.back();
    before.bytes = std::max(before.base + before.bytes, range.base + range.bytes) - before.base;
    before.name += "/" + range.name;
    before.readable |= range.readable;
    before.writable |= range.writable;
    before.defined |= range.defined;
  }
  for (GmRange& range : apart) {
    Tensor tensor{range, {}, {}};
    if (!range.defined) tensor.defined.assign(range.bytes, 0);
    tensors_.push_back(std::move(tensor));
  }
}

Tensor* GlobalMemory::find(uint64_t address) {
  const auto holds = [&](const Tensor& t) { return address - t.range.base < t.range.bytes; };
  if (last_ < tensors_.size() && holds(tensors_[last_])) return &tensors_[last_];
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!holds(tensors_[i])) continue;
    last_ = i;
    return &tensors_[i];
  }
  return nullptr;
}

const Tensor* GlobalMemory::nearest(uint64_t address) const {
  const auto distance = [&](const Tensor& t) {
    const uint64_t end = t.range.base + t.range.bytes;
    return address < t.range.base ? t.range.base - address : address - std::min(address, end);
  };
  const auto best = std::min_element(tensors_.begin(), tensors_.end(),
                                     [&](const Tensor& a, const Tensor& b) { return distance(a) < distance(b); });
  return best == tensors_.end() ? nullptr : &*best;
}

}  // namespace tl::simulate::ascend
