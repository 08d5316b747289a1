// Foundation of the host prelude: the text every generated kernel starts with.
//
// The prelude is a set of small headers that the host backend writes in front of a kernel, only those the kernel uses;
// `#include "name.h"` lines state what a header needs. They use no standard header: a kernel compiles in a fraction of
// a second. Expected flags: -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off (g++ >= 12 or clang++ >= 14).
//
// | name                                  | meaning                                                              |
// |---------------------------------------|----------------------------------------------------------------------|
// | i8 i16 i32 i64, u8 u16 u32 u64        | fixed-width integers                                                 |
// | TLP_INLINE                            | specifier of every function that must vectorise inside a caller loop |
// | TLP_INLINE_MEMBER                     | the same for a member function                                       |
// | TLP_NOINLINE                          | specifier of a function with a loop nest of its own                  |
// | bits_of(x), float_of(u), double_of(u) | representation of a float / double, and back                         |
// | madd(a, b, c)                         | a * b + c; one rounding where the machine has FMA, else two          |
// | is_same is_floating limits modular    | what the prelude needs to know of types                              |
#pragma once

#define TLP_INLINE static inline __attribute__((always_inline))
#define TLP_INLINE_MEMBER inline __attribute__((always_inline))
#define TLP_NOINLINE static __attribute__((noinline, unused))

namespace tlp {

using i8 = __INT8_TYPE__;
using i16 = __INT16_TYPE__;
using i32 = __INT32_TYPE__;
using i64 = __INT64_TYPE__;
using u8 = __UINT8_TYPE__;
using u16 = __UINT16_TYPE__;
using u32 = __UINT32_TYPE__;
using u64 = __UINT64_TYPE__;

template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;

template <class T>
constexpr bool is_floating = is_same<T, float> || is_same<T, double>;

template <bool C, class A, class B>
struct SelectType {
  using type = A;
};
template <class A, class B>
struct SelectType<false, A, B> {
  using type = B;
};
template <bool C, class A, class B>
using select_type = typename SelectType<C, A, B>::type;

/// The unsigned type in which arithmetic on T neither overflows nor promotes to a signed type.
template <class T>
using modular = select_type<(sizeof(T) <= 4), u32, u64>;

/// Range of an integer type.
template <class T>
struct limits {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr int width = 8 * int(sizeof(T));
  static constexpr T lowest = is_signed ? T(u64(1) << (width - 1)) : T(0);
  static constexpr T highest = T(~u64(lowest));
};

TLP_INLINE u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
TLP_INLINE u64 bits_of(double x) { return __builtin_bit_cast(u64, x); }
TLP_INLINE float float_of(u32 u) { return __builtin_bit_cast(float, u); }
TLP_INLINE double double_of(u64 u) { return __builtin_bit_cast(double, u); }

#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
TLP_INLINE float madd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TLP_INLINE double madd(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
TLP_INLINE float madd(float a, float b, float c) { return a * b + c; }
TLP_INLINE double madd(double a, double b, double c) { return a * b + c; }
#endif

/// Horner's rule: c0 + c1 x + c2 x^2 + ...
template <class T>
TLP_INLINE T horner(T, T c) {
  return c;
}
template <class T, class... Rest>
TLP_INLINE T horner(T x, T c0, T c1, Rest... rest) {
  return madd(horner(x, c1, rest...), x, c0);
}

}  // namespace tlp
