#pragma once

// The memories of a core, and GM as the launch's tensors.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulate/ascend/access_map.h"
#include "simulate/ascend/ascend_simulator.h"

namespace tl::simulate::ascend {

/// A memory on the chip: starts as all ones that mean nothing.
struct Memory {
  Memory(tl_ascend::Space which, uint64_t size) : space(which), bytes(size), defined(size) { reset(); }
  void reset();

  tl_ascend::Space space;
  std::vector<uint8_t> bytes, defined;
  AccessMap accesses;
};

std::string_view space_name(int space);

/// One tensor in GM.
struct Tensor {
  GmRange range;
  AccessMap accesses;
  /// A byte a byte, where some are not defined at the start; else empty.
  std::vector<uint8_t> defined;
};

class GlobalMemory {
 public:
  explicit GlobalMemory(const std::vector<GmRange>& ranges);
  /// The tensor that holds the address, or null.
  Tensor* find(uint64_t address);
  /// The tensor that ends or begins nearest, for messages; null without tensors.
  const Tensor* nearest(uint64_t address) const;

 private:
  std::vector<Tensor> tensors_;
  size_t last_ = 0;
};

}  // namespace tl::simulate::ascend
