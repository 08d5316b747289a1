#pragma once

// SIMT regions: launch, built-ins, atomics, exchanges inside a warp, and mathematical functions.

#include "calls.h"

#define threadIdx (tl_ascend::tl_ascend_host->thread)
#define blockDim (tl_ascend::tl_ascend_host->block_dim)
#define blockIdx (tl_ascend::Dim3{uint32_t(tl_ascend::tl_ascend_host->block), 0u, 0u})
#define gridDim (tl_ascend::Dim3{uint32_t(tl_ascend::tl_ascend_host->blocks), 1u, 1u})
#define warpSize 32

namespace cce {
struct dim3 {
  uint32_t x, y, z;
  int line;
  dim3(int64_t ex, int64_t ey = 1, int64_t ez = 1, int at = __builtin_LINE())
      : x(uint32_t(ex)), y(uint32_t(ey)), z(uint32_t(ez)), line(at) {}
};
}  // namespace cce

namespace tl_ascend {

/// Arguments of a region, kept until its turn on the pipe comes.
template <class... P>
struct Pack {};
template <class F, class... R>
struct Pack<F, R...> {
  F first;
  Pack<R...> rest;
};
template <class F, class... R, class A, class... B>
inline void fill(Pack<F, R...>& pack, A a, B... b) {
  pack.first = F(a);
  if constexpr (sizeof...(R) > 0) fill(pack.rest, b...);
}
template <auto function, class... Taken>
inline void apply(const Pack<>&, Taken... taken) {
  function(taken...);
}
template <auto function, class F, class... R, class... Taken>
inline void apply(const Pack<F, R...>& pack, Taken... taken) {
  apply<function>(pack.rest, taken..., pack.first);
}

template <auto function, class... P, class... A>
inline void start_region(void (*)(P...), cce::dim3 threads, A... a) {
  static_assert(sizeof...(P) == sizeof...(A), "a region takes one argument for each parameter");
  Pack<P...> pack;
  if constexpr (sizeof...(P) > 0) fill(pack, a...);
  tl_ascend_host->region(
      reinterpret_cast<const void*>(function),
      [](const void* p) { apply<function>(*static_cast<const Pack<P...>*>(p)); }, &pack, sizeof(pack),
      {threads.x, threads.y, threads.z}, threads.line);
}

template <class T>
inline uint64_t to_bits(T v) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &v, sizeof(T));
  return bits;
}
template <class T>
inline T from_bits(uint64_t bits) {
  T v;
  __builtin_memcpy(&v, &bits, sizeof(T));
  return v;
}

/// The value of lane `from` of the groups of `width` lanes, where it takes part; else one's own.
template <class T>
inline T exchange(T v, int from, const Lanes& lanes) {
  return from >= 0 && from < 32 && (lanes.active >> from & 1) ? from_bits<T>(lanes.value[from]) : v;
}

/// Over the active lanes, as a binary tree over lane numbers, the absent ones skipped.
template <class T, class Op>
inline T reduce_lanes(T v, int line, Op op) {
  Lanes lanes;
  tl_ascend_host->warp(to_bits(v), line, &lanes);
  uint32_t active = lanes.active;
  for (int step = 1; step < 32; step *= 2) {
    for (int i = 0; i + step < 32; i += 2 * step) {
      if (!(active >> (i + step) & 1)) continue;
      const T right = from_bits<T>(lanes.value[i + step]);
      lanes.value[i] = active >> i & 1 ? to_bits<T>(op(from_bits<T>(lanes.value[i]), right)) : to_bits(right);
      active |= 1u << i;
    }
  }
  return from_bits<T>(lanes.value[0]);
}

template <Space S, class T, class Op>
inline T update(pointer<S, T> p, int line, Op op) {
  void* bytes = tl_ascend_host->access(S, p.at, sizeof(T), line, kAtomic);
  T old, now;
  __builtin_memcpy(&old, bytes, sizeof(T));
  now = op(old);
  __builtin_memcpy(bytes, &now, sizeof(T));
  return old;
}

}  // namespace tl_ascend

template <auto function, class... A>
inline void asc_vf_call(cce::dim3 threads, A... a) {
  tl_ascend::start_region<function>(function, threads, a...);
}

inline void asc_syncthreads(TL_LINE) { tl_ascend::tl_ascend_host->sync_threads(line); }
inline void asc_threadfence() {}
inline void asc_threadfence_block() {}

// --- generic maximum and minimum -------------------------------------------------------------------------------------

namespace tl_ascend {
template <class A, class B>
struct wider {
  using type = decltype(A{} + B{});
};
template <class A>
struct wider<A, A> {
  using type = A;
};
}  // namespace tl_ascend
template <class A, class B>
inline auto max(const A& a, const B& b) {
  const auto x = tl_ascend::value_of(a);
  const auto y = tl_ascend::value_of(b);
  using R = typename tl_ascend::wider<decltype(tl_ascend::value_of(a)), decltype(tl_ascend::value_of(b))>::type;
  return R(x) < R(y) || R(x) != R(x) ? R(y) : R(x);
}
template <class A, class B>
inline auto min(const A& a, const B& b) {
  const auto x = tl_ascend::value_of(a);
  const auto y = tl_ascend::value_of(b);
  using R = typename tl_ascend::wider<decltype(tl_ascend::value_of(a)), decltype(tl_ascend::value_of(b))>::type;
  return R(y) < R(x) || R(x) != R(x) ? R(y) : R(x);
}

// --- atomics and the warp --------------------------------------------------------------------------------------------

template <tl_ascend::Space S, class T, class V>
inline T asc_atomic_add(tl_ascend::pointer<S, T> p, V v, TL_LINE) {
  return tl_ascend::update(p, line, [&](T old) { return T(old + T(v)); });
}
template <tl_ascend::Space S, class T, class V>
inline T asc_atomic_max(tl_ascend::pointer<S, T> p, V v, TL_LINE) {
  return tl_ascend::update(p, line, [&](T old) { return old < T(v) ? T(v) : old; });
}
template <tl_ascend::Space S, class T, class V>
inline T asc_atomic_min(tl_ascend::pointer<S, T> p, V v, TL_LINE) {
  return tl_ascend::update(p, line, [&](T old) { return T(v) < old ? T(v) : old; });
}

#define TL_WARP_REDUCE(type)                                                               \
  inline type asc_reduce_add(type v, TL_LINE) {                                            \
    return tl_ascend::reduce_lanes(v, line, [](type a, type b) { return type(a + b); });   \
  }                                                                                        \
  inline type asc_reduce_max(type v, TL_LINE) {                                            \
    return tl_ascend::reduce_lanes(v, line, [](type a, type b) { return a < b ? b : a; }); \
  }                                                                                        \
  inline type asc_reduce_min(type v, TL_LINE) {                                            \
    return tl_ascend::reduce_lanes(v, line, [](type a, type b) { return b < a ? b : a; }); \
  }
TL_WARP_REDUCE(int32_t)
TL_WARP_REDUCE(uint32_t)
TL_WARP_REDUCE(float)
TL_WARP_REDUCE(half)
#undef TL_WARP_REDUCE

#define TL_SHUFFLE(name, parameter, expression)                                              \
  template <class T>                                                                         \
  inline T name(T v, int parameter, int width = 32, TL_LINE) {                               \
    tl_ascend::Lanes lanes;                                                                  \
    tl_ascend::tl_ascend_host->warp(tl_ascend::to_bits(v), line, &lanes);                    \
    const int lane = int(lanes.lane), base = lane & ~(width - 1);                            \
    const int from = (expression);                                                           \
    return tl_ascend::exchange(v, from >= base && from < base + width ? from : lane, lanes); \
  }
TL_SHUFFLE(asc_shfl_xor, mask, lane ^ mask)
TL_SHUFFLE(asc_shfl_up, delta, lane - delta)
TL_SHUFFLE(asc_shfl_down, delta, lane + delta)
TL_SHUFFLE(asc_shfl, source, base + (source & (width - 1)))
#undef TL_SHUFFLE

inline uint32_t asc_ballot(bool p, TL_LINE) {
  tl_ascend::Lanes lanes;
  tl_ascend::tl_ascend_host->warp(p, line, &lanes);
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= uint32_t((lanes.active >> i & 1) && lanes.value[i] != 0) << i;
  return out;
}
inline uint32_t asc_activemask(TL_LINE) {
  tl_ascend::Lanes lanes;
  tl_ascend::tl_ascend_host->warp(0, line, &lanes);
  return lanes.active;
}
inline bool asc_any(bool p, TL_LINE) { return asc_ballot(p, line) != 0; }
inline bool asc_all(bool p, TL_LINE) { return asc_ballot(!p, line) == 0; }

namespace cooperative_groups {
struct coalesced_group {
  int line;
  void sync() const { asc_activemask(line); }
};
inline coalesced_group coalesced_threads(TL_LINE) { return {line}; }
}  // namespace cooperative_groups

// --- mathematical functions ------------------------------------------------------------------------------------------

extern "C" {
// clang-format off
#define TL_F32(name) float name(float) noexcept;
TL_F32(fabsf) TL_F32(acosf) TL_F32(asinf) TL_F32(atanf) TL_F32(ceilf) TL_F32(cosf) TL_F32(coshf) TL_F32(erff)
TL_F32(exp10f) TL_F32(exp2f) TL_F32(expf) TL_F32(floorf) TL_F32(log10f) TL_F32(log1pf) TL_F32(log2f) TL_F32(logf)
TL_F32(nearbyintf) TL_F32(roundf) TL_F32(sinf) TL_F32(sinhf) TL_F32(sqrtf) TL_F32(tanf) TL_F32(tanhf) TL_F32(truncf)
TL_F32(acoshf) TL_F32(asinhf) TL_F32(atanhf) TL_F32(expm1f)
#undef TL_F32
    // clang-format on
    float powf(float, float) noexcept;
float fmodf(float, float) noexcept;
float fmaf(float, float, float) noexcept;
float atan2f(float, float) noexcept;
float fmaxf(float, float) noexcept;
float fminf(float, float) noexcept;
float copysignf(float, float) noexcept;
}
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
// clang-format off
#define TL_F16(name) \
  inline half h##name(half x) { return half(name##f(float(x))); }
TL_F16(atan) TL_F16(ceil) TL_F16(cos) TL_F16(erf) TL_F16(exp10) TL_F16(exp2) TL_F16(exp) TL_F16(floor)
TL_F16(log10) TL_F16(log1p) TL_F16(log2) TL_F16(log) TL_F16(round) TL_F16(rsqrt) TL_F16(sin) TL_F16(sqrt)
TL_F16(tan) TL_F16(tanh) TL_F16(trunc)
#undef TL_F16
    // clang-format on
    inline half hfabs(half x) {
  return half(fabsf(float(x)));
}

// --- elements of GM past the scalar unit's cache
// -----------------------------------------------------------------------

template <class T, class V>
inline void asc_store_dev(tl_gm_ptr<T> p, V v, TL_LINE) {
  tl_ascend::store<T>(tl_ascend::kGm, p.at, T(v), line);
}
template <class T>
inline auto asc_load_dev(tl_gm_ptr<T> p, TL_LINE) {
  return tl_ascend::load<typename tl_ascend::remove_const_of<T>::type>(tl_ascend::kGm, p.at, line);
}

// --- printing --------------------------------------------------------------------------------------------------------

template <class T>
inline void debug_print_var(const char* message, T value) {
  const auto v = tl_ascend::value_of(value);
  using V = typename tl_ascend::remove_const_of<decltype(tl_ascend::value_of(value))>::type;
  tl_ascend::tl_ascend_host->print(message, nullptr, 0, tl_ascend::element_of<V>, tl_ascend::to_bits<V>(v));
}
template <class T>
inline void debug_print_buffer_value(const char* message, const char* buffer, int64_t index, T value) {
  const auto v = tl_ascend::value_of(value);
  using V = typename tl_ascend::remove_const_of<decltype(tl_ascend::value_of(value))>::type;
  tl_ascend::tl_ascend_host->print(message, buffer, index, tl_ascend::element_of<V>, tl_ascend::to_bits<V>(v));
}
inline void debug_print_msg(const char* message) {
  tl_ascend::tl_ascend_host->print(message, nullptr, 0, tl_ascend::kNoElement, 0);
}

/// The C library's, into a place of its own size.
template <class... A>
inline void printf(const char* format, A... a) {
  const int size = __builtin_snprintf(nullptr, 0, format, a...);
  if (size < 0) return;
  char* text = static_cast<char*>(__builtin_malloc(unsigned(size) + 1));
  __builtin_snprintf(text, unsigned(size) + 1, format, a...);
  tl_ascend::tl_ascend_host->write(text);
  __builtin_free(text);
}

// --- assertions and entry --------------------------------------------------------------------------------------------

#define assert(condition)                                                    \
  do {                                                                       \
    if (!(condition)) tl_ascend::tl_ascend_host->fail(#condition, __LINE__); \
  } while (false)
#define device_assert(condition)                                             \
  do {                                                                       \
    if (!(condition)) tl_ascend::tl_ascend_host->fail(#condition, __LINE__); \
  } while (false)
#define device_assert_with_msg(condition, message)                        \
  do {                                                                    \
    if (!(condition)) tl_ascend::tl_ascend_host->fail(message, __LINE__); \
  } while (false)

namespace tl_ascend {

template <class T>
struct argument {
  static T from(uint64_t word) { return from_bits<T>(word); }
};
template <Space S, class T>
struct argument<pointer<S, T>> {
  static pointer<S, T> from(uint64_t word) { return pointer<S, T>::at_address(word, 0); }
};
template <int... I>
struct Positions {};
template <class, int... I>
using PositionsOf = Positions<I...>;
template <class... P, int... I>
inline void enter(void (*kernel)(P...), const uint64_t* words, Positions<I...>) {
  kernel(argument<P>::from(words[I])...);
}
/// Calls a kernel with one word an argument.
template <class... P>
inline void enter(void (*kernel)(P...), const uint64_t* words) {
#if defined(__clang__)
  enter(kernel, words, __make_integer_seq<PositionsOf, int, sizeof...(P)>{});
#else
  enter(kernel, words, Positions<__integer_pack(int(sizeof...(P)))...>{});
#endif
}

}  // namespace tl_ascend
