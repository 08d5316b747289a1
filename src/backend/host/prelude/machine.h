// What g++ and clang++ have under other names: the prelude of host programs begins here.
//
// Expected flags: -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off (g++ >= 12 or clang++ >= 14).
//
// | name         | meaning                                                              |
// |--------------|----------------------------------------------------------------------|
// | TLP_INLINE   | specifier of every function that must vectorise inside a caller loop |
// | TLP_NOINLINE | specifier of a function with a loop nest of its own                  |
#pragma once

#define TLP_INLINE static inline __attribute__((always_inline))
#define TLP_INLINE_MEMBER inline __attribute__((always_inline))
#define TLP_NOINLINE static __attribute__((noinline, unused))
#define TLP_LIBRARY(name) __builtin_##name

namespace tlp {

using i8 = __INT8_TYPE__;
using i16 = __INT16_TYPE__;
using i32 = __INT32_TYPE__;
using i64 = __INT64_TYPE__;
using u8 = __UINT8_TYPE__;
using u16 = __UINT16_TYPE__;
using u32 = __UINT32_TYPE__;
using u64 = __UINT64_TYPE__;

inline constexpr bool bools_are_bytes = true;  // g++ 12 vectorises no loop that converts a bool

}  // namespace tlp
