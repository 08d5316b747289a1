#include "simulate/ascend/access_map.h"

#include <algorithm>

namespace tl::simulate::ascend {
namespace {

/// Readers kept of a range. Cores without an order among them need two; those of one group seven each.
constexpr size_t kReaders = 24;

}  // namespace

void join(Clock& into, const Clock& other) {
  for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

AccessMap::Segments::iterator AccessMap::cut(uint64_t at) {
  auto it = segments_.upper_bound(at);
  if (it == segments_.begin()) return it;
  auto before = std::prev(it);
  if (before->second.last <= at) return it;
  if (before->first == at) return before;
  Segment right = before->second;
  before->second.last = at;
  return segments_.emplace_hint(it, at, std::move(right));
}

void AccessMap::add_reader(Segment& segment, const Access& now) {
  for (Access& reader : segment.readers) {
    if (reader.core == now.core && reader.pipe == now.pipe) {
      reader = now;
      return;
    }
  }
  if (segment.readers.size() < kReaders) segment.readers.push_back(now);
}

void AccessMap::read(uint64_t first, uint64_t last, const Access& now, const Order& order, std::vector<Conflict>& out) {
  if (first >= last) return;
  auto it = cut(first);
  for (uint64_t at = first; at < last;) {
    if (it == segments_.end() || it->first > at) {
      const uint64_t end = it == segments_.end() ? last : std::min(last, it->first);
      segments_.emplace_hint(it, at, Segment{end, {}, {now}});
      at = end;
      continue;
    }
    if (it->second.last > last) it = std::prev(cut(last));
    Segment& segment = it->second;
    if (segment.write.sequence != 0 && !order.after(segment.write)) {
      out.push_back({segment.write, true, at, segment.last});
    }
    add_reader(segment, now);
    at = segment.last;
    ++it;
  }
}

void AccessMap::write(uint64_t first, uint64_t last, const Access& now, const Order& order,
                      std::vector<Conflict>& out) {
  if (first >= last) return;
  auto it = cut(first);
  while (it != segments_.end() && it->first < last) {
    if (it->second.last > last) it = std::prev(cut(last));
    const Segment& segment = it->second;
    if (segment.write.sequence != 0 && !(segment.write.atomic && now.atomic) && !order.after(segment.write)) {
      out.push_back({segment.write, true, it->first, segment.last});
    }
    for (const Access& reader : segment.readers) {
      if (!order.after(reader)) out.push_back({reader, false, it->first, segment.last});
    }
    it = segments_.erase(it);
  }
  segments_.emplace_hint(it, first, Segment{last, now, {}});
}

}  // namespace tl::simulate::ascend
