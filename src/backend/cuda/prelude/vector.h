// Moves of several neighbouring elements by one memory access.
//
// | name            | meaning                                                                             |
// |-----------------|-------------------------------------------------------------------------------------|
// | copy<N>(to, from) | to[0 .. N) = from[0 .. N), by one access of N elements (2, 4, 8 or 16 bytes); both |
// |                 | addresses are multiples of its size                                                 |
#pragma once
#include "base.h"

namespace tlp {

template <int Bytes>
struct Words;
template <>
struct Words<1> {
  using type = u8;
};
template <>
struct Words<2> {
  using type = u16;
};
template <>
struct Words<4> {
  using type = u32;
};
template <>
struct Words<8> {
  using type = uint2;
};
template <>
struct Words<16> {
  using type = uint4;
};

template <int N, class T>
TLP_INLINE void copy(T* to, const T* from) {
  using Word = typename Words<N* int(sizeof(T))>::type;
  *(Word*)to = *(const Word*)from;
}

}  // namespace tlp
