// Copies between GM, UB and L1.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simulate/ascend/machine.h"
#include "simulate/ascend/operation.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

constexpr int64_t kBlock = 32, kMostBursts = 4095, kLongestBurst = 2097151;

/// Calls `part(first, bytes)` for `count` pieces of `bytes` bytes that start `stride` apart, adjacent ones as one.
template <class Part>
bool pieces(int64_t first, int64_t count, int64_t bytes, int64_t stride, const Part& part) {
  if (count == 1 || stride == bytes) return part(first, count * bytes);
  bool all = true;
  for (int64_t i = 0; i < count; ++i) all &= part(first + i * stride, bytes);
  return all;
}

bool all_defined(const uint8_t* defined, int64_t bytes, int64_t& first) {
  const uint8_t* hole = static_cast<const uint8_t*>(std::memchr(defined, 0, static_cast<size_t>(bytes)));
  if (hole == nullptr) return true;
  first = hole - defined;
  return false;
}

/// Bytes of GM to a memory with what is known of them.
void fetch(Memory& memory, int64_t to, Tensor& tensor, uint64_t address, int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  std::memcpy(&memory.bytes[static_cast<size_t>(to)], reinterpret_cast<const void*>(address), size);
  uint8_t* defined = &memory.defined[static_cast<size_t>(to)];
  if (tensor.defined.empty()) {
    std::memset(defined, 1, size);
  } else {
    std::memcpy(defined, &tensor.defined[address - tensor.range.base], size);
  }
}

bool bursts_fit(Operation& op, int64_t count, int64_t length, int64_t ub, int64_t ub_stride, int64_t row) {
  bool fine = op.require(count >= 0 && count <= kMostBursts, fmt::format("{} bursts; 1 to 4095 are allowed", count));
  fine &= op.require(length >= 0 && length <= kLongestBurst,
                     fmt::format("a burst of {} bytes; 1 to 2097151 are allowed", length));
  fine &= op.require(ub % kBlock == 0, fmt::format("the UB address {} is no multiple of 32", ub));
  fine &= op.require(count <= 1 || ub_stride % kBlock == 0 || ub_stride == row,
                     fmt::format("the stride of {} bytes in UB is no multiple of 32", ub_stride));
  return fine;
}

}  // namespace

void copy_gm_to_ub(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t dst = a[0], src = a[1], count = a[2], length = a[3], element = a[9], src_stride = a[7],
                dst_stride = a[8];
  const int64_t left = a[4] * element, right = a[5] * element, row = left + length + right;
  if (!bursts_fit(op, count, length, dst, dst_stride, row)) return;
  if (!op.require(left >= 0 && left <= kBlock && right >= 0 && right <= kBlock, "a pad of more than 32 bytes")) return;
  if (!op.require(count <= 1 || dst_stride <= 0xffffffffLL, "a UB stride beyond 32 bits")) return;
  if (count == 0 || length == 0) return;
  const bool from = pieces(src, count, length, src_stride, [&](int64_t first, int64_t bytes) {
    return op.read_gm(static_cast<uint64_t>(first), bytes) != nullptr;
  });
  Memory& ub = core.ub();
  const bool to =
      pieces(dst, count, row, dst_stride, [&](int64_t first, int64_t bytes) { return op.write(ub, first, bytes); });
  if (!from || !to) return;
  for (int64_t b = 0; b < count; ++b) {
    const uint64_t address = static_cast<uint64_t>(src + b * src_stride);
    const int64_t at = dst + b * dst_stride;
    fetch(ub, at + left, *core.machine.gm.find(address), address, length);
    const bool pad_known = a[6] == 0 || r.registers.pad_set;
    uint64_t pad = r.registers.pad_value;
    if (a[6] == 0) std::memcpy(&pad, reinterpret_cast<const void*>(address), static_cast<size_t>(element));
    for (int64_t i = 0; i < left + right; i += element) {
      const auto byte = static_cast<size_t>(at + (i < left ? i : i + length));
      std::memcpy(&ub.bytes[byte], &pad, static_cast<size_t>(element));
      std::memset(&ub.defined[byte], pad_known, static_cast<size_t>(element));
    }
  }
}

void copy_ub_to_gm(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t dst = a[0], src = a[1], count = a[2], length = a[3], dst_stride = a[4], src_stride = a[5];
  if (!bursts_fit(op, count, length, src, src_stride, length) || count == 0 || length == 0) return;
  Memory& ub = core.ub();
  const bool from =
      pieces(src, count, length, src_stride, [&](int64_t first, int64_t bytes) { return op.read(ub, first, bytes); });
  const bool atomic = r.registers.atomic != 0;
  const bool to = pieces(dst, count, length, dst_stride, [&](int64_t first, int64_t bytes) {
    return op.write_gm(static_cast<uint64_t>(first), bytes, atomic) != nullptr;
  });
  if (!from || !to) return;
  for (int64_t b = 0; b < count; ++b) {
    const auto at = static_cast<size_t>(src + b * src_stride);
    const auto address = static_cast<uint64_t>(dst + b * dst_stride);
    int64_t hole = 0;
    if (!all_defined(&ub.defined[at], length, hole)) op.undefined("UB", static_cast<int64_t>(at) + hole);
    auto* to_bytes = reinterpret_cast<uint8_t*>(address);
    if (atomic) {
      store_atomically(to_bytes, &ub.bytes[at], length, r.registers.atomic, r.registers.atomic_element);
    } else {
      std::memcpy(to_bytes, &ub.bytes[at], static_cast<size_t>(length));
    }
    Tensor& tensor = *core.machine.gm.find(address);
    if (!tensor.defined.empty())
      std::memset(&tensor.defined[address - tensor.range.base], 1, static_cast<size_t>(length));
  }
}

void copy_ub_to_l1(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t dst = a[0], src = a[1], count = a[2], length = a[3] * kBlock;
  const int64_t src_stride = length + a[4] * kBlock, dst_stride = length + a[5] * kBlock;
  bool fine = op.require(core.memories.l1 != nullptr, "this kernel has no cube core");
  fine &= op.require(count >= 0 && count <= kMostBursts, "more than 4095 bursts");
  fine &= op.require(src % kBlock == 0 && dst % kBlock == 0, "an address that is no multiple of 32");
  fine &= op.require(a[3] >= 0 && a[3] <= 0xffff && a[4] >= 0 && a[4] <= 0xffff && a[5] >= 0 && a[5] <= 0xffff,
                     "a length or gap beyond 16 bits");
  if (!fine || count == 0 || length == 0) return;
  Memory &ub = core.ub(), &l1 = *core.memories.l1;
  const bool from = pieces(src, count, length, src_stride, [&](int64_t f, int64_t n) { return op.read(ub, f, n); });
  const bool to = pieces(dst, count, length, dst_stride, [&](int64_t f, int64_t n) { return op.write(l1, f, n); });
  if (!from || !to) return;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t s = src + b * src_stride, d = dst + b * dst_stride;
    std::copy_n(ub.bytes.begin() + s, length, l1.bytes.begin() + d);
    std::copy_n(ub.defined.begin() + s, length, l1.defined.begin() + d);
  }
}

void copy_gm_to_l1(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t dst = a[0], src = a[1], loop1 = a[2], n = a[3], d = a[4], loop4 = a[5], element = a[7];
  const auto [matrices, n_stride, c0_stride, matrix_stride] = r.registers.nz;
  const bool rows_are_n = r.call == kNd2Nz;
  bool fine = op.require(r.registers.nz_set, "asc_set_gm2l1_nz_para comes before it");
  fine &= op.require(std::ranges::all_of(r.registers.nz, [](int64_t v) { return v >= 0 && v <= 0xffff; }),
                     "a value of asc_set_gm2l1_nz_para beyond 16 bits");
  fine &= op.require(n >= 0 && n <= 0xffff, fmt::format("n_value {} beyond 16 bits", n));
  fine &= op.require(dst % kBlock == 0, "the L1 address is no multiple of 32");
  if (!fine || n == 0 || d == 0) return;
  const int64_t c0 = kBlock / element, columns = (d + c0 - 1) / c0;
  Memory& l1 = *core.memories.l1;
  for (int64_t h = 0; h < matrices; ++h) {
    const int64_t rows = rows_are_n ? n : d, length = (rows_are_n ? d : n) * element;
    const bool from = pieces(src + h * loop4, rows, length, loop1, [&](int64_t first, int64_t bytes) {
      return op.read_gm(static_cast<uint64_t>(first), bytes) != nullptr;
    });
    bool to = true;
    const int64_t base = dst + h * matrix_stride * kBlock;
    if (n_stride == 1) {
      to = pieces(base, columns, n * kBlock, c0_stride * kBlock,
                  [&](int64_t f, int64_t b) { return op.write(l1, f, b); });
    } else {
      for (int64_t c = 0; c < columns; ++c) {
        to &= pieces(base + c * c0_stride * kBlock, n, kBlock, n_stride * kBlock,
                     [&](int64_t f, int64_t b) { return op.write(l1, f, b); });
      }
    }
    if (!from || !to) continue;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t at = base + (c * c0_stride + i * n_stride) * kBlock, lanes = std::min(c0, d - c * c0);
        std::fill_n(l1.bytes.begin() + at, kBlock, uint8_t{0});
        std::fill_n(l1.defined.begin() + at, kBlock, uint8_t{1});
        if (rows_are_n) {
          const auto address = static_cast<uint64_t>(src + h * loop4 + i * loop1 + c * kBlock);
          fetch(l1, at, *core.machine.gm.find(address), address, lanes * element);
          continue;
        }
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const auto address = static_cast<uint64_t>(src + h * loop4 + (c * c0 + lane) * loop1 + i * element);
          fetch(l1, at + lane * element, *core.machine.gm.find(address), address, element);
        }
      }
    }
  }
}

void fill_l1(Core& core, const Record& r, Operation& op) {
  const auto& a = r.args;
  const int64_t dst = a[0], repeat = a[2], bytes = a[3] * kBlock, stride = (a[3] + a[4]) * kBlock, element = a[5];
  bool fine = op.require(dst % kBlock == 0, "the L1 address is no multiple of 32");
  for (int i = 2; i < 5; ++i) fine &= op.require(a[i] >= 0 && a[i] <= 32767, "a count or gap beyond 32767");
  if (!fine || repeat == 0 || bytes == 0) return;
  Memory& l1 = *core.memories.l1;
  if (!pieces(dst, repeat, bytes, stride, [&](int64_t f, int64_t b) { return op.write(l1, f, b); })) return;
  for (int64_t i = 0; i < repeat; ++i) {
    for (int64_t b = 0; b < bytes; b += element) {
      const auto at = static_cast<size_t>(dst + i * stride + b);
      std::memcpy(&l1.bytes[at], &a[1], static_cast<size_t>(element));
      std::memset(&l1.defined[at], 1, static_cast<size_t>(element));
    }
  }
}

}  // namespace tl::simulate::ascend
