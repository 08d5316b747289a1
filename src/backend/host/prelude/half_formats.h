// Conversions of 16-bit floats: g++ and clang++ call a library for theirs, or take instructions that not all have.
#pragma once
#include "half_bits.h"
