#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "simulate/tile.h"
#include "types/float_format.h"

namespace tl::simulate {
namespace {

bool takes_magnitude(ReduceKind kind) { return kind == ReduceKind::kAbsSum || kind == ReduceKind::kAbsMax; }

BinaryOp op_of(ReduceKind kind, DType t) {
  using enum ReduceKind;
  switch (kind) {
    case kSum:
    case kAbsSum:
      return t.is_bool() ? BinaryOp::kOr : BinaryOp::kAdd;
    case kMax:
    case kAbsMax:
      return BinaryOp::kMax;
    case kMin:
      return BinaryOp::kMin;
    case kBitAnd:
      return BinaryOp::kBitAnd;
    case kBitOr:
      return BinaryOp::kBitOr;
    case kBitXor:
      return BinaryOp::kBitXor;
  }
  return BinaryOp::kAdd;
}

/// What a reduction of no elements gives: the value that changes nothing.
Scalar neutral(ReduceKind kind, DType t) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
    case ReduceKind::kMax:
      return t.is_floating() ? Scalar::of_float(t, -infinity) : Scalar::of_int(t, integer_min(t));
    case ReduceKind::kMin:
      return t.is_floating() ? Scalar::of_float(t, infinity) : Scalar::of_uint(t, integer_max(t));
    case ReduceKind::kBitAnd:
      return Scalar::of_uint(t, integer_max(t) | static_cast<uint64_t>(integer_min(t)));
    default:
      return Scalar::zero(t);
  }
}

void convert_all(DType from, DType to, std::vector<Raw>& values) {
  cast_kernel(from, to)(from, to, {values.data(), 1}, values.data(), {0, static_cast<int>(values.size())});
}

/// Elements of a tile before, along and behind one of its dimensions.
struct AroundDim {
  AroundDim(const std::vector<int64_t>& extents, int64_t dim) {
    const auto at = static_cast<size_t>(dim);
    for (size_t d = 0; d < at; ++d) outer *= extents[d];
    for (size_t d = at + 1; d < extents.size(); ++d) inner *= extents[d];
    length = extents[at];
  }
  int64_t outer = 1, length = 1, inner = 1;
};

class ReduceStatement final : public TileStatement {
 public:
  ReduceStatement(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                  bool clear)
      : TileStatement(site, each_lane),
        kind_(kind),
        src_(std::move(src)),
        dst_(std::move(dst)),
        dim_(dim),
        clear_(clear) {
    const DType from = src_->buffer().codec.dtype(), to = dst_->buffer().codec.dtype();
    sum_dtype_ = reduce_dtype(from, to);
    combine_ = binary_kernel(op_of(kind, sum_dtype_), sum_dtype_);
    if (!sum_dtype_.is_bool()) magnitude_ = unary_kernel(UnaryOp::kAbs, sum_dtype_);
  }

 private:
  void prepare(Machine& m, LaneSet& lanes) override {
    src_->locate(m, lanes);
    dst_->locate(m, lanes);
  }

  void execute(Machine& m, int lane) override {
    const Tile src = src_->at(lane), dst = dst_->at(lane);
    check_shape(m, src, dst);
    start(m, dst);
    read_tile(m, src, raw_of(Scalar::zero(src.buffer->codec.dtype())), Undefined::kReport, values_);
    convert(src.buffer->codec.dtype());
    combine(src);
    const DType to = dst.buffer->codec.dtype();
    if (to != sum_dtype_) convert_all(sum_dtype_, to, sums_.values);
    write_tile(m, dst, sums_);
  }

  void check_shape(Machine& m, const Tile& src, const Tile& dst) const {
    std::vector<int64_t> dropped = src.extents;
    const auto dim = static_cast<size_t>(dim_);
    if (dim_ >= 0 && dim < dropped.size()) dropped.erase(dropped.begin() + dim_);
    Tile want{nullptr, {}, dropped, 0, 0};
    if (dim_ < 0 || dim >= src.extents.size() || want.wide_extents() != dst.wide_extents()) {
      stop(50, m.sites[site()].loc,
           fmt::format("reduces a tile of ({}) along dimension {} into one of ({})", fmt::join(src.extents, ", "), dim_,
                       fmt::join(dst.extents, ", ")));
    }
  }

  /// Sums start from the old values or from nothing.
  void start(Machine& m, const Tile& dst) {
    if (clear_) {
      sums_.values.assign(static_cast<size_t>(dst.count()), raw_of(neutral(kind_, sum_dtype_)));
      sums_.defined.clear();
      return;
    }
    const DType t = dst.buffer->codec.dtype();
    read_tile(m, dst, raw_of(Scalar::zero(t)), Undefined::kReport, sums_);
    if (t != sum_dtype_) convert_all(t, sum_dtype_, sums_.values);
    if (kind_ == ReduceKind::kAbsMax) take_magnitude(sums_.values);
  }

  void take_magnitude(std::vector<Raw>& v) const {
    if (sum_dtype_.is_bool()) return;
    magnitude_(sum_dtype_, {v.data(), 1}, v.data(), {0, static_cast<int>(v.size())});
  }

  void convert(DType from) {
    std::vector<Raw>& v = values_.values;
    if (from != sum_dtype_) convert_all(from, sum_dtype_, v);
    if (takes_magnitude(kind_)) take_magnitude(v);
  }

  /// `src` is outer x reduced x inner; rows of `inner` values are combined in ascending order of the reduced index.
  void combine(const Tile& src) {
    const auto [outer, reduced, inner] = AroundDim(src.extents, dim_);
    for (int64_t o = 0; o < outer; ++o) {
      Raw* const sum = sums_.values.data() + o * inner;
      for (int64_t r = 0; r < reduced; ++r) {
        const Raw* const row = values_.values.data() + (o * reduced + r) * inner;
        combine_(sum_dtype_, {sum, 1}, {row, 1}, sum, {0, static_cast<int>(inner)});
      }
    }
  }

  ReduceKind kind_;
  TileRefPtr src_, dst_;
  int64_t dim_;
  bool clear_;
  DType sum_dtype_;
  BinaryKernel combine_;
  UnaryKernel magnitude_ = nullptr;
  TileValues values_, sums_;
};

class ScanStatement final : public TileStatement {
 public:
  ScanStatement(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                bool reverse)
      : TileStatement(site, each_lane), src_(std::move(src)), dst_(std::move(dst)), dim_(dim), reverse_(reverse) {
    sum_dtype_ = reduce_dtype(src_->buffer().codec.dtype(), dst_->buffer().codec.dtype());
    combine_ = binary_kernel(op_of(kind, sum_dtype_), sum_dtype_);
  }

 private:
  void prepare(Machine& m, LaneSet& lanes) override {
    src_->locate(m, lanes);
    dst_->locate(m, lanes);
  }

  void execute(Machine& m, int lane) override {
    const Tile src = src_->at(lane), dst = dst_->at(lane);
    if (src.extents != dst.extents) {
      stop(50, m.sites[site()].loc,
           fmt::format("scans a tile of ({}) into one of ({})", fmt::join(src.extents, ", "),
                       fmt::join(dst.extents, ", ")));
    }
    const DType from = src.buffer->codec.dtype(), to = dst.buffer->codec.dtype();
    read_tile(m, src, raw_of(Scalar::zero(from)), Undefined::kReport, values_);
    if (from != sum_dtype_) convert_all(from, sum_dtype_, values_.values);
    const auto [outer, length, inner] = AroundDim(src.extents, dim_);
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 1; k < length; ++k) {
        const int64_t here = reverse_ ? length - 1 - k : k, before = reverse_ ? here + 1 : here - 1;
        Raw* const row = values_.values.data() + (o * length + here) * inner;
        const Raw* const known = values_.values.data() + (o * length + before) * inner;
        combine_(sum_dtype_, {known, 1}, {row, 1}, row, {0, static_cast<int>(inner)});
      }
    }
    if (to != sum_dtype_) convert_all(sum_dtype_, to, values_.values);
    write_tile(m, dst, values_);
  }

  TileRefPtr src_, dst_;
  int64_t dim_;
  bool reverse_;
  DType sum_dtype_;
  BinaryKernel combine_;
  TileValues values_;
};

/// Combines an array of each thread over groups of threads. What stands in scratch is nobody's business.
class ThreadReduceStatement final : public Statement {
 public:
  ThreadReduceStatement(uint32_t site, ReduceKind kind, TileRefPtr values, int64_t extent, int64_t stride, bool meets)
      : Statement(site), values_(std::move(values)), extent_(extent), stride_(stride), meets_(meets) {
    dtype_ = values_->buffer().codec.dtype();
    combine_ = binary_kernel(op_of(kind, dtype_), dtype_);
  }

  void run(Machine& m, LaneSet& lanes) override {
    combine(m, lanes);
    if (meets_ && m.check && m.in_launch) m.meet();
  }

 private:
  void combine(Machine& m, LaneSet& lanes) {
    values_->locate(m, lanes);
    rows_.assign(static_cast<size_t>(lanes.end()), {});
    lanes.each([&](int lane) {
      read_tile(m, values_->at(lane), raw_of(Scalar::zero(dtype_)), Undefined::kReport, rows_[lane]);
    });
    TileValues sum;
    if (m.world == World::kUniform) {  // one lane stands for all threads, which hold the same
      for (int64_t i = 0; i < extent_; ++i) add(sum, rows_[0].values, i == 0);
      write_tile(m, values_->at(0), sum);
      return;
    }
    lanes.each([&](int lane) {
      const int64_t first = lane - lane / stride_ % extent_ * stride_;
      for (int64_t i = 0; i < extent_; ++i) {
        const int64_t other = first + i * stride_;
        if (other >= lanes.end() || !lanes.has(static_cast<int>(other))) continue;
        add(sum, rows_[static_cast<size_t>(other)].values, i == 0);
      }
      write_tile(m, values_->at(lane), sum);
    });
  }

  void add(TileValues& sum, const std::vector<Raw>& row, bool first) const {
    if (first) {
      sum.values = row;
      sum.defined.clear();
      return;
    }
    combine_(dtype_, {sum.values.data(), 1}, {row.data(), 1}, sum.values.data(), {0, static_cast<int>(row.size())});
  }

  TileRefPtr values_;
  int64_t extent_, stride_;
  bool meets_;
  DType dtype_;
  BinaryKernel combine_;
  std::vector<TileValues> rows_;
};

}  // namespace

StatementPtr make_scan(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                       bool reverse) {
  return std::make_unique<ScanStatement>(site, each_lane, kind, std::move(src), std::move(dst), dim, reverse);
}

StatementPtr make_thread_reduce(uint32_t site, ReduceKind kind, TileRefPtr values, int64_t extent, int64_t stride,
                                bool meets) {
  return std::make_unique<ThreadReduceStatement>(site, kind, std::move(values), extent, stride, meets);
}

StatementPtr make_reduce(uint32_t site, bool each_lane, ReduceKind kind, TileRefPtr src, TileRefPtr dst, int64_t dim,
                         bool clear) {
  return std::make_unique<ReduceStatement>(site, each_lane, kind, std::move(src), std::move(dst), dim, clear);
}

}  // namespace tl::simulate
