// Results of the cube on their way to GM or UB.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simulate/ascend/element_value.h"
#include "simulate/ascend/machine.h"
#include "simulate/ascend/operation.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

/// The conversions of a drain that need no scale.
enum Conversion : int { kAsIs = 0, kToF16 = 1, kToBf16 = 16 };

struct Shape {
  int64_t n, m, dst_stride, src_stride, quant, relu, element;
};

/// Reads the accumulators as they are stored and gives row `i` as it arrives.
class Rows {
 public:
  Rows(const Memory& l0c, int64_t base, const Shape& shape)
      : l0c_(l0c), base_(base), shape_(shape), width_(shape.quant == kAsIs ? 4 : 2) {
    row_.resize(static_cast<size_t>(shape.n * width_));
  }
  const uint8_t* row(int64_t i) {
    for (int64_t j = 0; j < shape_.n; ++j) {
      const auto at = static_cast<size_t>(base_ + ((j / 16) * shape_.src_stride * 16 + i * 16 + j % 16) * 4);
      if (l0c_.defined[at] == 0 && hole < 0) hole = static_cast<int64_t>(at);
      uint8_t* to = &row_[static_cast<size_t>(j * width_)];
      float value;
      std::memcpy(&value, &l0c_.bytes[at], 4);
      if (shape_.quant == kAsIs && shape_.element != kF32) {
        int32_t whole;
        std::memcpy(&whole, &value, 4);
        if (shape_.relu != 0) whole = std::max(whole, 0);
        std::memcpy(to, &whole, 4);
        continue;
      }
      if (shape_.relu != 0 && value < 0) value = 0;
      store_value(to, value, shape_.quant == kAsIs ? kF32 : shape_.quant == kToF16 ? kF16 : kBf16);
    }
    return row_.data();
  }
  int64_t hole = -1;

 private:
  const Memory& l0c_;
  int64_t base_;
  const Shape& shape_;
  int64_t width_;
  std::vector<uint8_t> row_;
};

bool shape_is_legal(Operation& op, const Record& r, const Shape& s, int64_t split, int64_t nz2nd, int64_t nz2dn) {
  bool fine = op.require(s.n >= 0 && s.n <= 4095, fmt::format("n = {}; 1 to 4095 are allowed", s.n));
  fine &= op.require(s.m >= 0 && s.m <= 8192, fmt::format("m = {}; 1 to 8192 are allowed", s.m));
  fine &= op.require(nz2nd == 1 && nz2dn == 0 && split == 0, "only the form nz2nd = 1 is simulated");
  fine &= op.require(r.registers.drain_set && r.registers.drain[0] == 1,
                     "asc_set_l0c_copy_nz_para(1, ...) comes before it");
  fine &= op.require(s.relu == 0 || s.relu == 1, "only the plain relu is simulated");
  fine &= op.require(s.quant == kAsIs || s.quant == kToF16 || s.quant == kToBf16,
                     fmt::format("quant mode {}, which needs a scale that is not simulated", s.quant));
  const bool fits = s.quant == kAsIs    ? s.element == kF32 || s.element == kI32
                    : s.quant == kToF16 ? s.element == kF16
                                        : s.element == kBf16;
  return fine &&
         op.require(fits, fmt::format("quant mode {} does not give elements of the destination's type", s.quant));
}

bool read_accumulators(Operation& op, Memory& l0c, int64_t base, const Shape& s) {
  bool fine = true;
  const int64_t columns = (s.n + 15) / 16;
  if (s.src_stride == s.m) return op.read(l0c, base, columns * s.m * 64);
  for (int64_t c = 0; c < columns; ++c) fine &= op.read(l0c, base + c * s.src_stride * 64, s.m * 64);
  return fine;
}

void drain_to_gm(Core& core, const Record& r, Operation& op, const Shape& s, Rows& rows) {
  const int64_t width = element_bytes(static_cast<int>(s.element)), bytes = s.n * width, stride = s.dst_stride * width;
  const bool atomic = r.registers.atomic != 0, dense = stride == bytes;
  bool fine = true;
  for (int64_t i = 0; i < (dense ? 1 : s.m); ++i) {
    const auto address = static_cast<uint64_t>(r.args[0] + i * stride);
    fine &= op.write_gm(address, dense ? bytes * s.m : bytes, atomic) != nullptr;
  }
  if (!fine) return;
  for (int64_t i = 0; i < s.m; ++i) {
    const auto address = static_cast<uint64_t>(r.args[0] + i * stride);
    auto* to = reinterpret_cast<uint8_t*>(address);
    if (atomic) {
      store_atomically(to, rows.row(i), bytes, r.registers.atomic, r.registers.atomic_element);
    } else {
      std::memcpy(to, rows.row(i), static_cast<size_t>(bytes));
    }
    Tensor& tensor = *core.machine.gm.find(address);
    if (!tensor.defined.empty())
      std::memset(&tensor.defined[address - tensor.range.base], 1, static_cast<size_t>(bytes));
  }
}

void drain_to_ub(Core& core, const Record& r, Operation& op, const Shape& s, Rows& rows) {
  const int64_t width = element_bytes(static_cast<int>(s.element)), dual = r.args[7];
  const auto& ubs = core.memories.ub;
  const int64_t first = dual == 0 ? r.args[6] : 0;
  bool fine = op.require(dual >= 0 && dual <= 2, "a dual mode other than 0, 1 and 2");
  fine &= op.require(first >= 0 && first < static_cast<int64_t>(ubs.size()) && (dual == 0 || ubs.size() == 2),
                     "there is no such vector core");
  fine &= op.require(dual != 1 || s.m % 2 == 0, "m is odd and cannot be split");
  fine &= op.require(dual != 2 || s.n % 32 == 0, "n is no multiple of 32 and cannot be split");
  if (!fine) return;
  const int64_t m_each = dual == 1 ? s.m / 2 : s.m, n_each = dual == 2 ? s.n / 2 : s.n;
  for (int64_t part = 0; part < (dual == 0 ? 1 : 2); ++part) {
    Memory& ub = *ubs[static_cast<size_t>(first + part)];
    for (int64_t i = 0; i < m_each; ++i) fine &= op.write(ub, r.args[0] + i * s.dst_stride * width, n_each * width);
  }
  for (int64_t i = 0; i < s.m && fine; ++i) {
    const uint8_t* row = rows.row(i);
    for (int64_t part = 0; part < (dual == 2 ? 2 : 1); ++part) {
      Memory& ub = *ubs[static_cast<size_t>(dual == 1 ? i / m_each : first + part)];
      const int64_t at = r.args[0] + (i % m_each) * s.dst_stride * width;
      std::copy_n(row + part * n_each * width, n_each * width, ub.bytes.begin() + at);
      std::fill_n(ub.defined.begin() + at, n_each * width, uint8_t{1});
    }
  }
}

}  // namespace

void drain(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const bool to_gm = r.call == kDrainGm;
  const size_t q = to_gm ? 7 : 9;
  const Shape s{a[2], a[3], a[4], a[5], a[q], a[q + 1], a[q + 5]};
  if (!shape_is_legal(op, r, s, a[q + 2], a[q + 3], a[q + 4]) || s.n == 0 || s.m == 0) return;
  Memory& l0c = *core.memories.l0c;
  if (!read_accumulators(op, l0c, a[1], s)) return;
  Rows rows(l0c, a[1], s);
  to_gm ? drain_to_gm(core, r, op, s, rows) : drain_to_ub(core, r, op, s, rows);
  if (rows.hole >= 0) op.undefined("L0C", rows.hole);
}

}  // namespace tl::simulate::ascend
