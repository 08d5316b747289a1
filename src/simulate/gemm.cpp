#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "simulate/tile.h"
#include "types/float_format.h"

namespace tl::simulate {
namespace {

/// A matrix of Number, row-major.
template <class Number>
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Number> values;
  Number* row(int64_t i) { return values.data() + i * columns; }
};

template <class Number>
Number number_of(DType t, Raw raw) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (t.is_floating()) return static_cast<Number>(as_double(raw));
    return t.is_int() ? static_cast<Number>(static_cast<int64_t>(raw)) : static_cast<Number>(raw);
  } else {
    return raw;
  }
}

template <class Number>
Matrix<Number> matrix_of(DType t, const std::vector<Raw>& values, int64_t rows, int64_t columns, bool transpose) {
  Matrix<Number> out{rows, columns, std::vector<Number>(static_cast<size_t>(rows * columns))};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out.row(i)[j] = number_of<Number>(t, values[static_cast<size_t>(transpose ? j * rows + i : i * columns + j)]);
    }
  }
  return out;
}

/// c += a b: each element sums its products in ascending k, each product and each sum rounded once.
template <class Number>
void multiply_add(Matrix<Number>& a, Matrix<Number>& b, Matrix<Number>& c) {
  for (int64_t i = 0; i < c.rows; ++i) {
    Number* const sum = c.row(i);
    for (int64_t k = 0; k < a.columns; ++k) {
      const Number x = a.row(i)[k];
      const Number* const y = b.row(k);
      for (int64_t j = 0; j < c.columns; ++j) sum[j] += x * y[j];
    }
  }
}

class GemmStatement final : public TileStatement {
 public:
  GemmStatement(uint32_t site, bool each_lane, TileRefPtr a, TileRefPtr b, TileRefPtr c, bool transpose_a,
                bool transpose_b, NodePtr clear)
      : TileStatement(site, each_lane),
        a_(std::move(a)),
        b_(std::move(b)),
        c_(std::move(c)),
        transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        clear_(std::move(clear)) {}

 private:
  void prepare(Machine& m, LaneSet& lanes) override {
    a_->locate(m, lanes);
    b_->locate(m, lanes);
    c_->locate(m, lanes);
    clear_values_ = clear_->eval(m, lanes);
  }

  void execute(Machine& m, int lane) override {
    const Tile a = a_->at(lane), b = b_->at(lane), c = c_->at(lane);
    const DType ta = a.buffer->codec.dtype(), tb = b.buffer->codec.dtype(), tc = c.buffer->codec.dtype();
    if (!tc.is_floating() && (ta.is_floating() || tb.is_floating())) {
      stop(32, m.sites[site()].loc, fmt::format("multiplies {} and {} into {}", ta.name(), tb.name(), tc.name()));
    }
    if (!tc.is_floating()) return multiply<uint64_t>(m, a, b, c, clear_values_[lane] != 0);
    const bool wide = ta.is_float(64) || tb.is_float(64) || tc.is_float(64);
    wide ? multiply<double>(m, a, b, c, clear_values_[lane] != 0)
         : multiply<float>(m, a, b, c, clear_values_[lane] != 0);
  }

  /// Rows and columns: the last two extents, those before being 1.
  std::pair<int64_t, int64_t> shape(Machine& m, const Tile& t) const {
    const size_t rank = t.extents.size();
    bool usable = rank >= 2;
    for (size_t d = 0; d + 2 < rank; ++d) usable &= t.extents[d] == 1;
    if (!usable) {
      stop(30, m.sites[site()].loc,
           fmt::format("`{}` of extents ({}) is no matrix", t.buffer->buffer->name, fmt::join(t.extents, ", ")));
    }
    return {t.extents[rank - 2], t.extents[rank - 1]};
  }

  template <class Number>
  void multiply(Machine& m, const Tile& a, const Tile& b, const Tile& c, bool clear) {
    const auto [rows, columns] = shape(m, c);
    auto [am, ak] = shape(m, a);
    auto [bk, bn] = shape(m, b);
    if (transpose_a_) std::swap(am, ak);
    if (transpose_b_) std::swap(bk, bn);
    if (am != rows || bn != columns || ak != bk) {
      stop(31, m.sites[site()].loc,
           fmt::format("multiplies {} x {} by {} x {} into {} x {}", am, ak, bk, bn, rows, columns));
    }
    const DType ta = a.buffer->codec.dtype(), tb = b.buffer->codec.dtype(), tc = c.buffer->codec.dtype();
    read_tile(m, a, raw_of(Scalar::zero(ta)), Undefined::kReport, values_);
    auto left = matrix_of<Number>(ta, values_.values, am, ak, transpose_a_);
    read_tile(m, b, raw_of(Scalar::zero(tb)), Undefined::kReport, values_);
    auto right = matrix_of<Number>(tb, values_.values, bk, bn, transpose_b_);
    Matrix<Number> sum{rows, columns, std::vector<Number>(static_cast<size_t>(rows * columns))};
    if (!clear) {
      read_tile(m, c, raw_of(Scalar::zero(tc)), Undefined::kReport, values_);
      sum = matrix_of<Number>(tc, values_.values, rows, columns, false);
    }
    multiply_add(left, right, sum);
    values_.values.resize(sum.values.size());
    values_.defined.clear();
    for (size_t i = 0; i < sum.values.size(); ++i) values_.values[i] = raw_sum(tc, sum.values[i]);
    write_tile(m, c, values_);
  }

  template <class Number>
  static Raw raw_sum(DType t, Number sum) {
    if constexpr (std::is_floating_point_v<Number>) {
      const double value = sum == sum ? double{sum} : std::numeric_limits<double>::quiet_NaN();
      return from_double(round_to_float(t, value));
    } else {
      return raw_of(Scalar::of_uint(t, sum));
    }
  }

  TileRefPtr a_, b_, c_;
  bool transpose_a_, transpose_b_;
  NodePtr clear_;
  Values clear_values_{};
  TileValues values_;
};

}  // namespace

StatementPtr make_gemm(uint32_t site, bool each_lane, TileRefPtr a, TileRefPtr b, TileRefPtr c, bool transpose_a,
                       bool transpose_b, NodePtr clear) {
  return std::make_unique<GemmStatement>(site, each_lane, std::move(a), std::move(b), std::move(c), transpose_a,
                                         transpose_b, std::move(clear));
}

}  // namespace tl::simulate
