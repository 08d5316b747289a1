// Copies of contiguous rows and tiles, with conversion, and streaming stores.
//
// | name                                      | meaning                                                               |
// |-------------------------------------------|-----------------------------------------------------------------------|
// | copy_row(dst, src, n)                     | dst[i] = cast of src[i]; the two do not overlap                       |
// | copy_tile(dst, ldd, src, lds, rows, cols) | row by row; leading dimensions count elements                         |
// | fill_row(dst, x, n)                       | dst[i] = x                                                            |
// | stream_row(dst, src, n)                   | copy_row whose stores bypass the caches                               |
// | stream_map(dst, n, element)               | dst[i] = element(i), stored likewise; `element` is a pure             |
// |                                           | [&](i64 i) { return ...; } of dst's type that reads no dst            |
// | stream_fence()                            | orders streaming stores before later stores: call it once after the   |
// |                                           | last of them in a task                                                |
//
// Streaming stores save the read of each destination line. They pay off for outputs too large for the last cache level
// and cost time for smaller ones. Vector add of 3 x 64 MiB takes 0.6 of the time of ordinary stores when written with
// stream_map: a few lines are read, then written. Filling a whole tile first and streaming it afterwards takes longer
// than ordinary stores, because reading and writing no longer overlap: stream_row suits tiles that were computed on.
#pragma once
#include "cast.h"
#include "vector.h"

namespace tlp {

template <class D, class S>
TLP_INLINE void copy_row(D* __restrict dst, const S* __restrict src, i64 n) {
  if constexpr (is_same<D, S>) {
    if (n > 0) __builtin_memcpy(dst, src, u64(n) * sizeof(D));
  } else {
    i64 i = 0;
    if constexpr (is_half<S> && is_same<D, float>) {
      for (; i + lanes<float> <= n; i += lanes<float>) store(dst + i, load_floats(src + i));
    } else if constexpr (is_half<D> && is_same<S, float>) {
      for (; i + lanes<float> <= n; i += lanes<float>) store_floats(dst + i, load(src + i));
    }
    for (; i < n; ++i) dst[i] = cast<D>(src[i]);
  }
}

template <class D, class S>
TLP_INLINE void copy_tile(D* dst, i64 ld_dst, const S* src, i64 ld_src, i64 rows, i64 columns) {
  for (i64 i = 0; i < rows; ++i) copy_row(dst + i * ld_dst, src + i * ld_src, columns);
}

template <class T>
TLP_INLINE void fill_row(T* dst, T x, i64 n) {
  for (i64 i = 0; i < n; ++i) dst[i] = x;
}

/// Stores one vector at an address aligned to its size.
TLP_INLINE void stream_vector(float* p, vec<float> v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, (vec<float>*)p);
#elif defined(__AVX512F__)
  __builtin_ia32_movntps512(p, v);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(p, v);
#elif defined(__SSE__)
  __builtin_ia32_movntps(p, v);
#else
  store(p, v);
#endif
}
TLP_INLINE void stream_fence() {
#if defined(__SSE__)
  __builtin_ia32_sfence();
#endif
}

/// Elements of T before the first vector boundary at or after dst, at most n; n if no element lies on a boundary.
template <class T>
TLP_INLINE i64 elements_before_boundary(const T* dst, i64 n) {
  i64 past = i64((__UINTPTR_TYPE__)dst % kVectorBytes);
  if (past % i64(sizeof(T)) != 0) return n;
  i64 head = past == 0 ? 0 : (kVectorBytes - past) / i64(sizeof(T));
  return head < n ? head : n;
}

template <class T, class F>
TLP_INLINE void stream_map(T* __restrict dst, i64 n, F&& element) {
  constexpr i64 chunk = 4 * kVectorBytes / i64(sizeof(T));
  i64 i = 0;
  for (i64 head = elements_before_boundary(dst, n); i < head; ++i) dst[i] = element(i);
  for (; i + chunk <= n; i += chunk) {
    alignas(kVectorBytes) T values[chunk];
    for (i64 j = 0; j < chunk; ++j) values[j] = element(i + j);
    vec<float> vectors[4];
    __builtin_memcpy(vectors, values, sizeof vectors);
    char* to = (char*)(dst + i);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) stream_vector((float*)(to + v * kVectorBytes), vectors[v]);
  }
  for (; i < n; ++i) dst[i] = element(i);
}

template <class D, class S>
TLP_INLINE void stream_row(D* __restrict dst, const S* __restrict src, i64 n) {
  stream_map(dst, n, [&](i64 i) __attribute__((always_inline)) { return cast<D>(src[i]); });
}

}  // namespace tlp
