// What CUDA C++ has under other names: the prelude of CUDA programs begins here.
//
// NVRTC and nvcc declare CUDA's device functions themselves; no header of the toolkit is used. Expected flags:
// -std=c++17 --fmad=false (the language rounds every operation once).
#pragma once

#define TLP_INLINE __device__ __forceinline__
#define TLP_INLINE_MEMBER __device__ __forceinline__
#define TLP_LIBRARY(name) ::name

namespace tlp {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

inline constexpr bool bools_are_bytes = false;

}  // namespace tlp
