// Foundation of the preludes: what they need to know of types. These headers serve every machine that is programmed in
// C++; "machine.h", "half_formats.h" and the headers beside them are a machine's own.
//
// A prelude is a set of small headers, of which a program carries those it uses; `#include "name.h"` lines state what a
// header needs. They use no standard header: a program compiles in a fraction of a second.
//
// | name                                  | meaning                                                         |
// |---------------------------------------|-----------------------------------------------------------------|
// | bits_of(x), float_of(u), double_of(u) | representation of a float / double, and back                    |
// | bit_cast<D>(x)                        | the same bits as D                                              |
// | is_same is_floating limits modular    | what the prelude needs to know of types                         |
// | infinity, not_a_number                | float constants that have no literal                            |
//
// A "machine.h" gives the integers and says how functions are declared:
//
// | name                           | meaning                                                                      |
// |--------------------------------|------------------------------------------------------------------------------|
// | i8 i16 i32 i64 u8 u16 u32 u64  | fixed-width integers                                                         |
// | TLP_INLINE, TLP_INLINE_MEMBER  | specifiers of every function, and of member functions                        |
// | TLP_LIBRARY(name)              | a function of the C library, such as fmodf                                   |
// | bools_are_bytes                | whether a bool is converted as the byte that it is                           |
#pragma once
#include "machine.h"

namespace tlp {

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

template <class D, class S>
TLP_INLINE D bit_cast(S x) {
  return __builtin_bit_cast(D, x);
}
TLP_INLINE u32 bits_of(float x) { return bit_cast<u32>(x); }
TLP_INLINE u64 bits_of(double x) { return bit_cast<u64>(x); }
TLP_INLINE float float_of(u32 u) { return bit_cast<float>(u); }
TLP_INLINE double double_of(u64 u) { return bit_cast<double>(u); }

inline constexpr float infinity = __builtin_bit_cast(float, 0x7f800000u);
inline constexpr float not_a_number = __builtin_bit_cast(float, 0x7fc00000u);

}  // namespace tlp
