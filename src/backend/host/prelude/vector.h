// Explicit vectors of the machine's width, for the loops that a compiler does not vectorise well by itself.
//
// | name                          | meaning                                                                       |
// |-------------------------------|-------------------------------------------------------------------------------|
// | kVectorBytes                  | 64 with AVX-512, 32 with AVX, else 16                                         |
// | vec<T>, lanes<T>              | a vector of arithmetic type T and its number of elements                      |
// | load<T>(p), store(p, v)       | unaligned                                                                     |
// | splat<T>(x)                   | all lanes equal                                                               |
// | multiply_add(a, b, c)         | a * b + c by lane, fused where the machine has FMA                            |
// | transpose(rows)               | in place, of lanes<T> vectors                                                 |
// | load_floats(p)                | lanes<float> elements of float, f16, bf16, i8 or u8 as floats (exact)         |
// | store_floats(p, v)            | the same number of elements of float, f16 or bf16, each rounded once          |
#pragma once
#include "cast.h"

namespace tlp {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T>
constexpr int lanes = kVectorBytes / int(sizeof(T));
template <class T, int N = lanes<T>>
using vec = typename VectorOf<T, N>::type;

template <class T, int N = lanes<T>>
TLP_INLINE vec<T, N> load(const T* p) {
  vec<T, N> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T, class V>
TLP_INLINE void store(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class T>
TLP_INLINE vec<T> splat(T x) {
  return x - vec<T>{};  // x - 0 is x, also for -0
}

#if defined(__clang__)
template <class V>
TLP_INLINE V multiply_add(V a, V b, V c) {
#pragma clang fp contract(fast)
  return a * b + c;
}
#elif defined(__AVX512F__)
TLP_INLINE vec<float> multiply_add(vec<float> a, vec<float> b, vec<float> c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
}
TLP_INLINE vec<double> multiply_add(vec<double> a, vec<double> b, vec<double> c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
}
#elif defined(__FMA__)
TLP_INLINE vec<float> multiply_add(vec<float> a, vec<float> b, vec<float> c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
TLP_INLINE vec<double> multiply_add(vec<double> a, vec<double> b, vec<double> c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#else
template <class V>
TLP_INLINE V multiply_add(V a, V b, V c) {
  return a * b + c;
}
#endif

/// The low and high halves of the interleaved elements a0 b0 a1 b1 ...
#define TLP_INTERLEAVE(N, LOW, HIGH)                                          \
  template <class V>                                                          \
  TLP_INLINE void interleave(V a, V b, V& low, V& high, VectorOf<char, N>*) { \
    low = __builtin_shufflevector(a, b, LOW);                                 \
    high = __builtin_shufflevector(a, b, HIGH);                               \
  }
#define TLP_LIST(...) __VA_ARGS__
TLP_INTERLEAVE(2, TLP_LIST(0, 2), TLP_LIST(1, 3))
TLP_INTERLEAVE(4, TLP_LIST(0, 4, 1, 5), TLP_LIST(2, 6, 3, 7))
TLP_INTERLEAVE(8, TLP_LIST(0, 8, 1, 9, 2, 10, 3, 11), TLP_LIST(4, 12, 5, 13, 6, 14, 7, 15))
TLP_INTERLEAVE(16, TLP_LIST(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
               TLP_LIST(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
#undef TLP_INTERLEAVE
#undef TLP_LIST

/// Transposes by log2(N) perfect shuffles of the rows (S. Warren, "Hacker's Delight", chapter 7).
template <class T>
TLP_INLINE void transpose(vec<T> (&rows)[lanes<T>]) {
  constexpr int n = lanes<T>;
#pragma GCC unroll 4
  for (int stage = 1; stage < n; stage *= 2) {
    vec<T> next[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      interleave(rows[i], rows[i + n / 2], next[2 * i], next[2 * i + 1], (VectorOf<char, n>*)nullptr);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
}

TLP_INLINE vec<float> load_floats(const float* p) { return load(p); }
TLP_INLINE vec<float> load_floats(const bf16* p) {
  vec<u16, lanes<float>> bits;
  __builtin_memcpy(&bits, p, sizeof bits);
  return __builtin_bit_cast(vec<float>, __builtin_convertvector(bits, vec<u32>) << 16);
}
#if defined(__AVX512F__) && !defined(__clang__)  // g++ 12 converts narrow vectors lane by lane
TLP_INLINE vec<float> load_floats(const i8* p) {
  return __builtin_convertvector(__builtin_ia32_pmovsxbd512_mask(load<char, 16>((const char*)p), vec<i32>{}, -1),
                                 vec<float>);
}
TLP_INLINE vec<float> load_floats(const u8* p) {
  return __builtin_convertvector(__builtin_ia32_pmovzxbd512_mask(load<char, 16>((const char*)p), vec<i32>{}, -1),
                                 vec<float>);
}
#elif defined(__AVX2__) && !defined(__clang__)
TLP_INLINE vec<char, 16> load_low_bytes(const void* p) {
  vec<char, 16> bytes{};
  __builtin_memcpy(&bytes, p, 8);
  return bytes;
}
TLP_INLINE vec<float> load_floats(const i8* p) {
  return __builtin_convertvector(__builtin_ia32_pmovsxbd256(load_low_bytes(p)), vec<float>);
}
TLP_INLINE vec<float> load_floats(const u8* p) {
  return __builtin_convertvector(__builtin_ia32_pmovzxbd256(load_low_bytes(p)), vec<float>);
}
#else
TLP_INLINE vec<float> load_floats(const i8* p) {
  return __builtin_convertvector((load<i8, lanes<float>>(p)), vec<float>);
}
TLP_INLINE vec<float> load_floats(const u8* p) {
  return __builtin_convertvector((load<u8, lanes<float>>(p)), vec<float>);
}
#endif
TLP_INLINE vec<float> load_floats(const f16* p) {
#if defined(__AVX512F__)
  vec<i16, 16> bits;
  __builtin_memcpy(&bits, p, sizeof bits);
  return (vec<float>)__builtin_ia32_vcvtph2ps512_mask(bits, vec<float>{}, -1, 4);
#elif defined(__F16C__) && !defined(__clang__)
  vec<i16, 8> bits;
  __builtin_memcpy(&bits, p, sizeof bits);
  return __builtin_ia32_vcvtph2ps256(bits);
#else
  float values[lanes<float>];
  for (int i = 0; i < lanes<float>; ++i) values[i] = float(p[i]);
  return load(values);
#endif
}

TLP_INLINE void store_floats(float* p, vec<float> v) { store(p, v); }
TLP_INLINE void store_floats(bf16* p, vec<float> v) {
  vec<u32> u = __builtin_bit_cast(vec<u32>, v);
  vec<u32> rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16, nan = u >> 16 | 0x40;
  vec<u16, lanes<float>> bits = __builtin_convertvector(v == v ? rounded : nan, vec<u16, lanes<float>>);
  __builtin_memcpy(p, &bits, sizeof bits);
}
TLP_INLINE void store_floats(f16* p, vec<float> v) {
#if defined(__AVX512F__)
  vec<i16, 16> bits = __builtin_ia32_vcvtps2ph512_mask(v, 4, vec<i16, 16>{}, -1);
  __builtin_memcpy(p, &bits, sizeof bits);
#elif defined(__F16C__)
  vec<i16, 8> bits = __builtin_ia32_vcvtps2ph256(v, 4);
  __builtin_memcpy(p, &bits, sizeof bits);
#else
  for (int i = 0; i < lanes<float>; ++i) p[i] = f16(v[i]);
#endif
}

}  // namespace tlp
