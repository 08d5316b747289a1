#pragma once

// Values of elements as bytes hold them.

#include <cstdint>

#include "simulate/ascend/prelude/host_abi.h"

namespace tl::simulate::ascend {

int64_t element_bytes(int element);
/// An element as a float; integers of more than 24 bits are rounded.
float element_value(const uint8_t* bytes, int element);
/// Rounds to the nearest, ties to even; integers saturate.
void store_value(uint8_t* bytes, float value, int element);
/// What the cube makes of a float in its fast mode: ten bits of mantissa, to the nearest.
float to_hf32(float value);

}  // namespace tl::simulate::ascend
