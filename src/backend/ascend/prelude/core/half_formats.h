// Conversions of 16-bit floats: the scalar unit computes integers and float32.
#pragma once
#include "half_bits.h"
