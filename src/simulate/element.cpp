#include <algorithm>

#include "simulate/node.h"

namespace tl::simulate {

ElementRef::ElementRef(BufferSlot* buffer, NodeList indices, int width, uint32_t site, bool writes)
    : buffer_(buffer), indices_(std::move(indices)), index_values_(indices_.size()), site_(site), writes_(writes) {
  per_lane_ = buffer->is_private ||
              std::any_of(indices_.begin(), indices_.end(), [](const NodePtr& index) { return index->varies(); });
  elements_.resize(per_lane_ ? static_cast<size_t>(width) : 1);
}

void ElementRef::locate(Machine& m, const LaneSet& lanes) {
  for (size_t d = 0; d < indices_.size(); ++d) index_values_[d] = indices_[d]->eval(m, lanes);
  const int begin = per_lane_ ? lanes.begin() : 0, end = per_lane_ ? lanes.end() : 1;
  std::fill(elements_.begin() + begin, elements_.begin() + end, buffer_->origin);
  for (size_t d = 0; d < indices_.size(); ++d) {
    const Values index = index_values_[d];
    const auto extent = static_cast<uint64_t>(buffer_->shape[d]);
    const int64_t stride = buffer_->strides[d];
    for (int lane = begin; lane < end; ++lane) {
      int64_t& element = elements_[static_cast<size_t>(lane)];
      // A negative index is a huge one.
      element = index[lane] < extent && element >= 0 ? element + static_cast<int64_t>(index[lane]) * stride : -1;
    }
  }
  const auto check = [&](int lane) {
    if (elements_[static_cast<size_t>(lane)] < 0) report(m, lane);
  };
  per_lane_ ? lanes.each(check) : check(0);
}

void ElementRef::report(Machine& m, int lane) {
  if (!m.check) return;
  std::vector<int64_t> indices;
  for (const Values& v : index_values_) indices.push_back(static_cast<int64_t>(v[lane]));
  m.report_outside(site_, *buffer_, indices, writes_);
}

void note_read(Machine& m, BufferSlot& buffer, int64_t element, int lane, Stamp stamp) {
  Memory& memory = *buffer.memory;
  const int64_t first = buffer.first_cell(element) + buffer.lane_cells(lane);
  const int64_t end = first + buffer.cells_per_element();
  for (int64_t cell = first; cell < end; ++cell) {
    if (buffer.is_private) {
      if (memory.shadow.defined(cell)) continue;
    } else {
      const Race race = memory.shadow.read(m.timeline, cell, stamp);
      if (race.other.event != 0)
        return m.report_race(m.timeline.at(stamp.event).site, buffer, element, stamp, race, false);
      if (memory.shadow.defined(cell)) continue;
    }
    return m.report_undefined(m.timeline.at(stamp.event).site, buffer, element);
  }
}

void note_write(Machine& m, BufferSlot& buffer, int64_t element, int lane, Stamp stamp, bool defined) {
  Memory& memory = *buffer.memory;
  const int64_t first = buffer.first_cell(element) + buffer.lane_cells(lane);
  const int64_t count = buffer.cells_per_element();
  memory.shadow.define(first, count, defined);
  if (buffer.is_private) return;
  for (int64_t cell = first; cell < first + count; ++cell) {
    const Race race = memory.shadow.write(m.timeline, cell, stamp);
    if (race.other.event != 0)
      return m.report_race(m.timeline.at(stamp.event).site, buffer, element, stamp, race, true);
  }
}

namespace {

class LoadElement final : public Node {
 public:
  LoadElement(BufferSlot* buffer, NodeList indices, bool varies, int width, uint32_t site)
      : Node(buffer->codec.dtype(), varies, width), element_(buffer, std::move(indices), width, site, false) {}

  Values eval(Machine& m, const LaneSet& lanes) override {
    element_.locate(m, lanes);
    BufferSlot& buffer = element_.buffer();
    if (m.check) note(m, lanes);
    // The value nearest to 0: a format of powers of two has no 0.
    const Raw zero = raw_of(Scalar::zero(dtype()));
    each(lanes, [&](int lane) {
      const int64_t element = element_.at(lane);
      out_[static_cast<size_t>(lane)] = element < 0 ? zero : buffer.codec.load(buffer.base(lane), element);
    });
    return result();
  }

 private:
  void note(Machine& m, const LaneSet& lanes) {
    BufferSlot& buffer = element_.buffer();
    const uint32_t event = m.timeline.event(element_.site(), m.actor);
    const auto one = [&](int lane) {
      const int64_t element = element_.at(lane);
      if (element >= 0) note_read(m, buffer, element, lane, {event, m.members[lane]});
    };
    if (varies_) return lanes.each(one);
    // All active lanes read one element: two of them stand for all, as any writer differs from one of the two.
    one(lanes.begin());
    if (lanes.count() > 1) one(lanes.end() - 1);
  }

  ElementRef element_;
};

}  // namespace

NodePtr make_load_node(BufferSlot* buffer, NodeList indices, int width, uint32_t site) {
  const bool varies = buffer->is_private ||
                      std::any_of(indices.begin(), indices.end(), [](const NodePtr& index) { return index->varies(); });
  return std::make_unique<LoadElement>(buffer, std::move(indices), varies, width, site);
}

}  // namespace tl::simulate
