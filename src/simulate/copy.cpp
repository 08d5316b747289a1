#include <fmt/format.h>

#include <algorithm>

#include "simulate/tile.h"

namespace tl::simulate {
namespace {

/// Whether some element of one box is also one of the other, at another place of it.
bool overlap(const Tile& a, const Tile& b) {
  if (a.buffer != b.buffer || a.offsets == b.offsets) return false;
  for (size_t d = 0; d < a.offsets.size(); ++d) {
    const int64_t begin = std::max({a.offsets[d], b.offsets[d], int64_t{0}});
    const int64_t end = std::min({a.offsets[d] + a.extents[d], b.offsets[d] + b.extents[d], a.buffer->shape[d]});
    if (begin >= end) return false;
  }
  return true;
}

/// Element (i, j) of each matrix of the last two extents becomes (j, i).
template <class T>
void transpose(std::vector<T>& values, int64_t rows, int64_t columns) {
  std::vector<T> turned(values.size());
  const int64_t size = rows * columns;
  for (int64_t first = 0; first < static_cast<int64_t>(values.size()); first += size) {
    for (int64_t k = 0; k < size; ++k) {
      turned[static_cast<size_t>(first + k % columns * rows + k / columns)] = values[static_cast<size_t>(first + k)];
    }
  }
  values = std::move(turned);
}

class CopyStatement : public TileStatement {
 public:
  CopyStatement(uint32_t site, bool each_lane, CopyForm form, TileRefPtr src, TileRefPtr dst, NodePtr pad)
      : TileStatement(site, each_lane), form_(form), src_(std::move(src)), dst_(std::move(dst)), pad_(std::move(pad)) {}

 protected:
  void prepare(Machine& m, LaneSet& lanes) override {
    src_->locate(m, lanes);
    dst_->locate(m, lanes);
    if (pad_ != nullptr) pad_values_ = pad_->eval(m, lanes);
  }

  void execute(Machine& m, int lane) override {
    Tile src = src_->at(lane);
    const Tile dst = dst_->at(lane);
    const int64_t rows = form_.turns ? src.extents.end()[-2] : 1, columns = form_.turns ? src.extents.back() : 1;
    if (form_.turns) std::swap(src.extents.end()[-2], src.extents.back());
    if (src.wide_extents() != dst.wide_extents()) {
      stop(40, m.sites[site()].loc,
           fmt::format("copies a tile of ({}) to one of ({})", fmt::join(src.extents, ", "),
                       fmt::join(dst.extents, ", ")));
    }
    if (form_.turns) std::swap(src.extents.end()[-2], src.extents.back());
    if (m.check && overlap(src, dst)) {
      m.findings.report(122, site(), 0, m.sites[site()], [&](Diagnostic& d) {
        d.message = fmt::format("copies a part of `{}` to one that overlaps it", src.buffer->buffer->name);
        d.help = "copy through another buffer: elements are copied in any order";
      });
    }
    const DType from = src.buffer->codec.dtype(), to = dst.buffer->codec.dtype();
    const Raw pad = pad_ == nullptr ? raw_of(Scalar::zero(from)) : cast_raw(pad_->dtype(), from, pad_values_[lane]);
    // An element that nothing has written may travel on the chip; it is found where it is used or leaves.
    read_tile(m, src, pad, Undefined::kPass, values_, form_.outside_undefined);
    if (form_.turns && rows * columns > 0) {
      transpose(values_.values, rows, columns);
      transpose(values_.defined, rows, columns);
    }
    if (from != to) {
      Raw* const values = values_.values.data();
      cast_kernel(from, to)(from, to, {values, 1}, values, {0, static_cast<int>(values_.values.size())});
    }
    int64_t undefined = write_tile(m, dst, values_);
    if (form_.turns && undefined >= 0) {
      const int64_t size = rows * columns, k = undefined % size;
      undefined += k % rows * columns + k / rows - k;
    }
    if (undefined >= 0) m.report_undefined(src.site, *src.buffer, src.indices(undefined));
  }

 private:
  CopyForm form_;
  TileRefPtr src_, dst_;
  NodePtr pad_;
  Values pad_values_{};
  TileValues values_;
};

/// The work is done at once, but by an agent of its own, so that whoever comes before the `wait` races with it.
class AsyncCopyStatement final : public CopyStatement {
 public:
  AsyncCopyStatement(uint32_t site, TileRefPtr src, TileRefPtr dst, NodePtr pad, VarSlot* token)
      : CopyStatement(site, false, {}, std::move(src), std::move(dst), std::move(pad)), token_(token) {}

 private:
  void execute(Machine& m, int lane) override {
    const Agent copy = m.start_copy();
    token_->values[0] = m.copies_done.size();
    const ActingAs as_copy(m, m.world, {copy, false}, &Machine::zero);
    CopyStatement::execute(m, lane);
    m.copies_done.push_back({copy, m.agents.release(copy)});
  }

  VarSlot* token_;
};

class FillStatement final : public TileStatement {
 public:
  FillStatement(uint32_t site, bool each_lane, TileRefPtr dst, NodePtr value)
      : TileStatement(site, each_lane), dst_(std::move(dst)), value_(std::move(value)) {}

 private:
  void prepare(Machine& m, LaneSet& lanes) override {
    dst_->locate(m, lanes);
    value_values_ = value_->eval(m, lanes);
  }
  void execute(Machine& m, int lane) override {
    const Tile dst = dst_->at(lane);
    const Raw value = cast_raw(value_->dtype(), dst.buffer->codec.dtype(), value_values_[lane]);
    values_.values.assign(static_cast<size_t>(dst.count()), value);
    write_tile(m, dst, values_);
  }

  TileRefPtr dst_;
  NodePtr value_;
  Values value_values_{};
  TileValues values_;
};

}  // namespace

StatementPtr make_copy(uint32_t site, bool each_lane, CopyForm form, TileRefPtr src, TileRefPtr dst, NodePtr pad,
                       VarSlot* token) {
  if (token != nullptr) {
    return std::make_unique<AsyncCopyStatement>(site, std::move(src), std::move(dst), std::move(pad), token);
  }
  return std::make_unique<CopyStatement>(site, each_lane, form, std::move(src), std::move(dst), std::move(pad));
}

StatementPtr make_fill(uint32_t site, bool each_lane, TileRefPtr dst, NodePtr value) {
  return std::make_unique<FillStatement>(site, each_lane, std::move(dst), std::move(value));
}

}  // namespace tl::simulate
