#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/buffer.h"
#include "simulate/codec.h"
#include "simulate/shadow.h"

namespace tl::simulate {

/// New memory holds all ones, a NaN or -1, so that a value nobody wrote does not pass for a zero.
constexpr uint8_t kUnwritten = 0xFF;

/// The bytes of an allocation or of an argument, with their shadow. Per-thread memory has one copy a lane, one behind
/// the other.
struct Memory {
  uint8_t* data = nullptr;
  std::vector<uint8_t> owned;
  MemorySpace space = MemorySpace::kGlobal;
  /// Copies: 1, or the number of lanes that own one each.
  int copies = 1;
  int64_t copy_bytes = 0;
  /// Bits that one cell of the shadow stands for: the smallest element under which the memory is accessed.
  int cell_bits = 8;
  int64_t cells = 0;  // of one copy
  Shadow shadow;

  bool on_chip() const { return space != MemorySpace::kGlobal; }
};

/// A buffer name at run time: the memory it stands for and its shape now.
struct BufferSlot {
  Buffer buffer;
  Codec codec;
  /// One copy a lane: the memory of a thread, or of a point of a parallel loop.
  bool is_private = false;
  std::shared_ptr<Memory> memory;
  std::vector<int64_t> shape, strides;  // strides in elements
  /// Elements from the first in memory to behind the last.
  int64_t span = 0;
  /// The number in memory of the element whose indices are all 0; not 0 where a stride is negative.
  int64_t origin = 0;

  uint8_t* base(int lane) const { return memory->data + (is_private ? lane * memory->copy_bytes : 0); }
  int64_t first_cell(int64_t element) const { return element * codec.bits() / memory->cell_bits; }
  int64_t cells_per_element() const { return std::max<int64_t>(1, codec.bits() / memory->cell_bits); }
  int64_t lane_cells(int lane) const { return is_private ? lane * memory->cells : 0; }

  /// Gives the slot the shape, row-major strides where none are given, and computes `span` and
  /// `origin`.
  void set_shape(std::vector<int64_t> new_shape, std::vector<int64_t> new_strides);
  /// "name[3, 4]".
  std::string element_text(const std::vector<int64_t>& indices) const;
  /// Indices of an element number.
  std::vector<int64_t> indices(int64_t element) const;
};

}  // namespace tl::simulate
