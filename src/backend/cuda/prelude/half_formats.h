// Conversions of 16-bit floats, by the machine's own instructions where it has them.
#pragma once
#include "base.h"

namespace tlp {

/// Rounds to odd: truncates, then sets the last bit when inexact. A later rounding to <= 22 bits is then single.
TLP_INLINE float round_to_odd(double x) {
  float truncated = __double2float_rz(x);
  bool exact = double(truncated) == x || x != x;
  return float_of(bits_of(truncated) | (exact ? 0u : 1u));
}

// The bits leave an instruction on floats by a move: where their low byte alone is stored, the ptxas of CUDA 13.0 takes
// the 16-bit register for the float that it holds, and converts it. The move is no instruction of the machine.

struct f16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
  TLP_INLINE_MEMBER static u16 from_float(float x) {
    u16 bits;
    asm("{.reg .b16 t; cvt.rn.f16.f32 t, %1; mov.b16 %0, t;}" : "=h"(bits) : "f"(x));
    return bits;
  }
};

struct bf16_format {
  TLP_INLINE_MEMBER static float to_float(u16 bits) { return float_of(u32(bits) << 16); }
#if __CUDA_ARCH__ >= 800
  TLP_INLINE_MEMBER static u16 from_float(float x) {
    u16 bits;
    asm("{.reg .b16 t; cvt.rn.bf16.f32 t, %1; mov.b16 %0, t;}" : "=h"(bits) : "f"(x));
    return bits;
  }
#else
  TLP_INLINE_MEMBER static u16 from_float(float x) {
    u32 u = bits_of(x), rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return u16(x != x ? 0x7fffu : rounded);
  }
#endif
};

}  // namespace tlp
