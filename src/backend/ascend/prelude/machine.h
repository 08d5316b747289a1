// What Ascend C has under other names: the prelude of functions of threads begins here.
//
// Nothing in here is used by the program of a core itself: its arithmetic is C++'s own.
#pragma once

#define TLP_INLINE __simt_callee__ inline
#define TLP_INLINE_MEMBER __simt_callee__ inline
#define TLP_LIBRARY(name) ::name

namespace tlp {

using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

inline constexpr bool bools_are_bytes = false;

}  // namespace tlp
