#pragma once

// The calls of a kernel: each hands its arguments to the simulator, which queues it on its pipe. Arguments are taken
// as 64-bit numbers, so that what does not fit the field of an instruction is seen and not wrapped.

#include "pointers.h"

#define __NPU_ARCH__ 3510
#define __global__
#define __vector__
#define __cube__
#define __mix__(a, b)
#define __aicore__
#define __simt_vf__
#define __launch_bounds__(...)
#define __simt_callee__
#define __SIMT_DEVICE_FUNCTIONS_DECL__
#define ASC_IS_AIC (tl_ascend::tl_ascend_host->is_cube != 0)
#define ASC_IS_AIV (tl_ascend::tl_ascend_host->is_cube == 0)
#define block_idx (tl_ascend::tl_ascend_host->block)

enum pipe_t : int { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t : int { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum asc_load_l2_cache_mode : int {};
enum asc_store_l2_cache_mode : int {};
enum asc_unit_flag_mode : int {};
enum asc_quant_mode : int {};
using QuantMode_t = asc_quant_mode;
enum asc_relu_pre_mode : int {};
enum asc_dual_dst_mode : int {};
enum asc_lock_mode : int { ASC_LOCK_BLOCK, ASC_LOCK_NON_BLOCK };
enum class asc_hf32_round_mode : int { NEAREST_AWAY = 0, NEAREST_ZERO = 0, NEAREST_EVEN = 1 };

namespace tl_ascend {

/// Stands in every loop of a kernel, so that one without an end can be stopped.
constexpr void turn() {
  if (!__builtin_is_constant_evaluated() && --tl_ascend_host->turns == 0) tl_ascend_host->look_up();
}

template <class T>
inline int64_t word(T v) {
  return int64_t(v);
}
template <Space S, class T>
inline int64_t word(pointer<S, T> p) {
  return int64_t(p.at);
}

template <class... A>
inline void issue(Call call, int line, A... a) {
  const int64_t words[] = {word(a)..., 0};
  tl_ascend_host->issue(call, words, sizeof...(A), line);
}

template <class T>
inline constexpr int64_t bytes_of = sizeof(T);
template <>
inline constexpr int64_t bytes_of<void> = 1;
template <>
inline constexpr int64_t bytes_of<const void> = 1;
template <class T>
inline constexpr int element = element_of<typename remove_const_of<T>::type>;

}  // namespace tl_ascend

// A trailing line is not given by the kernel: its default is the line of the call.
#define TL_LINE int line = __builtin_LINE()

inline void asc_init(TL_LINE) { tl_ascend::issue(tl_ascend::kInit, line); }
inline int32_t asc_get_sub_block_id() { return tl_ascend::tl_ascend_host->sub_block; }
inline int32_t asc_get_block_num() { return tl_ascend::tl_ascend_host->blocks; }

// --- flags and barriers ----------------------------------------------------------------------------------------------

inline void asc_sync_notify(int from, int to, int id, TL_LINE) {
  tl_ascend::issue(tl_ascend::kNotify, line, from, to, id);
}
inline void asc_sync_wait(int from, int to, int id, TL_LINE) { tl_ascend::issue(tl_ascend::kWait, line, from, to, id); }
inline void asc_sync_pipe(int pipe, TL_LINE) { tl_ascend::issue(tl_ascend::kBarrier, line, pipe); }
inline void asc_sync(TL_LINE) { tl_ascend::issue(tl_ascend::kBarrier, line, PIPE_ALL); }
inline void asc_lock(int pipe, int id, int mode = 0, TL_LINE) {
  tl_ascend::issue(tl_ascend::kLock, line, pipe, id, mode);
}
inline void asc_unlock(int pipe, int id, int mode = 0, TL_LINE) {
  tl_ascend::issue(tl_ascend::kUnlock, line, pipe, id, mode);
}
#define TL_CROSS_CORE(name, call) \
  inline void asc_sync_##name(int pipe, int id, TL_LINE) { tl_ascend::issue(tl_ascend::call, line, pipe, id); }
TL_CROSS_CORE(intra_arrive, kIntraArrive)
TL_CROSS_CORE(intra_wait, kIntraWait)
TL_CROSS_CORE(block_arrive, kBlockArrive)
TL_CROSS_CORE(block_wait, kBlockWait)
TL_CROSS_CORE(subblock_arrive, kSubblockArrive)
TL_CROSS_CORE(subblock_wait, kSubblockWait)
TL_CROSS_CORE(inter_arrive, kInterArrive)
TL_CROSS_CORE(inter_wait, kInterWait)
#undef TL_CROSS_CORE

// --- GM, UB and L1 ---------------------------------------------------------------------------------------------------

template <class T, class U>
inline void asc_copy_gm2ub_align(tl_ub_ptr<T> dst, tl_gm_ptr<U> src, int64_t n_burst, int64_t length, int64_t left_pad,
                                 int64_t right_pad, int64_t const_pad, int, int64_t src_stride, int64_t dst_stride,
                                 TL_LINE) {
  tl_ascend::issue(tl_ascend::kGm2Ub, line, dst, src, n_burst, length, left_pad, right_pad, const_pad, src_stride,
                   dst_stride, tl_ascend::bytes_of<T>);
}
template <class T, class U>
inline void asc_copy_ub2gm_align(tl_gm_ptr<T> dst, tl_ub_ptr<U> src, int64_t n_burst, int64_t length, int,
                                 int64_t dst_stride, int64_t src_stride, TL_LINE) {
  tl_ascend::issue(tl_ascend::kUb2Gm, line, dst, src, n_burst, length, dst_stride, src_stride);
}
template <class T>
inline void asc_set_copy_pad_val(T value, TL_LINE) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  tl_ascend::issue(tl_ascend::kSetPadValue, line, bits);
}
template <class T, class U>
inline void asc_copy_ub2l1(tl_l1_ptr<T> dst, tl_ub_ptr<U> src, int64_t n_burst, int64_t length, int64_t src_gap,
                           int64_t dst_gap, TL_LINE) {
  tl_ascend::issue(tl_ascend::kUb2L1, line, dst, src, n_burst, length, src_gap, dst_gap);
}

inline void asc_set_gm2l1_nz_para(int64_t matrix_num, int64_t n_stride, int64_t c0_stride, int64_t matrix_stride,
                                  TL_LINE) {
  tl_ascend::issue(tl_ascend::kSetNzPara, line, matrix_num, n_stride, c0_stride, matrix_stride);
}
inline void asc_set_gm2l1_nz_para(uint64_t packed, TL_LINE) {
  asc_set_gm2l1_nz_para(packed & 0xffff, packed >> 16 & 0xffff, packed >> 32 & 0xffff, packed >> 48, line);
}
#define TL_GM_TO_L1(name, call)                                                                                 \
  template <class T, class U>                                                                                   \
  inline void name(tl_l1_ptr<T> dst, tl_gm_ptr<U> src, int64_t loop1, int, int64_t n, int64_t d, int64_t loop4, \
                   int64_t small_c0, TL_LINE) {                                                                 \
    tl_ascend::issue(tl_ascend::call, line, dst, src, loop1, n, d, loop4, small_c0, tl_ascend::bytes_of<T>);    \
  }
TL_GM_TO_L1(asc_copy_gm2l1_nd2nz, kNd2Nz)
TL_GM_TO_L1(asc_copy_gm2l1_dn2nz, kDn2Nz)
#undef TL_GM_TO_L1

struct asc_fill_value_config {
  uint64_t repeat, blk_num, dst_gap;
};
template <class T>
inline void asc_fill_l1(tl_l1_ptr<T> dst, uint32_t value, asc_fill_value_config c, TL_LINE) {
  tl_ascend::issue(tl_ascend::kFillL1, line, dst, value, c.repeat, c.blk_num, c.dst_gap, tl_ascend::bytes_of<T>);
}

// --- L0 and the cube -------------------------------------------------------------------------------------------------

#define TL_L1_TO_L0(name, pointer, call)                                                                               \
  template <class T, class U>                                                                                          \
  inline void name(pointer<T> dst, tl_l1_ptr<U> src, int64_t m_start, int64_t k_start, int64_t m_step, int64_t k_step, \
                   int64_t src_stride, int64_t dst_stride, TL_LINE) {                                                  \
    tl_ascend::issue(tl_ascend::call, line, dst, src, m_start, k_start, m_step, k_step, src_stride, dst_stride,        \
                     tl_ascend::bytes_of<T>);                                                                          \
  }
TL_L1_TO_L0(asc_copy_l12l0a, tl_l0a_ptr, kLoadL0a)
TL_L1_TO_L0(asc_copy_l12l0b, tl_l0b_ptr, kLoadL0b)
TL_L1_TO_L0(asc_copy_l12l0a_transpose, tl_l0a_ptr, kLoadL0aT)
TL_L1_TO_L0(asc_copy_l12l0b_transpose, tl_l0b_ptr, kLoadL0bT)
#undef TL_L1_TO_L0

// Operands with shared exponents are not simulated; headers may name their loads.
template <class... Arguments>
inline void asc_copy_l12l0a_mx(const Arguments&...) {
  static_assert(sizeof...(Arguments) == 0, "asc_copy_l12l0a_mx is not simulated yet");
}
template <class... Arguments>
inline void asc_copy_l12l0b_mx(const Arguments&...) {
  static_assert(sizeof...(Arguments) == 0, "asc_copy_l12l0b_mx is not simulated yet");
}

template <class C, class A, class B>
inline void asc_mmad(tl_l0c_ptr<C> c, tl_l0a_ptr<A> a, tl_l0b_ptr<B> b, int64_t m, int64_t k, int64_t n,
                     int64_t unit_flag, int64_t disable_gemv, int64_t bias_source, int64_t init_zero, TL_LINE) {
  tl_ascend::issue(tl_ascend::kMmad, line, c, a, b, m, k, n, unit_flag, disable_gemv, bias_source, init_zero,
                   tl_ascend::element<A>, tl_ascend::element<B>);
}
inline void asc_set_mmad_direction_m(TL_LINE) { tl_ascend::issue(tl_ascend::kSetDirection, line, 0); }
inline void asc_set_mmad_direction_n(TL_LINE) { tl_ascend::issue(tl_ascend::kSetDirection, line, 1); }
inline void asc_enable_hf32(TL_LINE) { tl_ascend::issue(tl_ascend::kSetHf32, line, 1); }
inline void asc_disable_hf32(TL_LINE) { tl_ascend::issue(tl_ascend::kSetHf32, line, 0); }
inline void asc_set_hf32_round_mode(asc_hf32_round_mode) {}
inline void asc_enable_hf32_trans(asc_hf32_round_mode, TL_LINE) { tl_ascend::issue(tl_ascend::kSetHf32, line, 1); }
inline void asc_set_fp32_mode(TL_LINE) { tl_ascend::issue(tl_ascend::kSetHf32, line, 0); }

// --- drain -----------------------------------------------------------------------------------------------------------

inline void asc_set_l0c_copy_nz_para(int64_t nd_num, int64_t src_nd_stride, int64_t dst_nd_stride, TL_LINE) {
  tl_ascend::issue(tl_ascend::kSetDrainPara, line, nd_num, src_nd_stride, dst_nd_stride);
}
template <class T, class C>
inline void asc_copy_l0c2gm(tl_gm_ptr<T> dst, tl_l0c_ptr<C> src, int64_t n, int64_t m, int64_t dst_stride,
                            int64_t src_stride, int, int unit_flag, int quant, int relu, int64_t split, int64_t nz2nd,
                            int64_t nz2dn, int64_t, TL_LINE) {
  tl_ascend::issue(tl_ascend::kDrainGm, line, dst, src, n, m, dst_stride, src_stride, unit_flag, quant, relu, split,
                   nz2nd, nz2dn, tl_ascend::element<T>);
}
/// The long form of the earlier generation.
template <class T, class C>
inline void asc_copy_l0c2gm(tl_gm_ptr<T> dst, tl_l0c_ptr<C> src, int64_t n, int64_t m, int64_t dst_stride,
                            int64_t src_stride, int64_t, int64_t, int64_t unit_flag, uint64_t quant, int64_t relu,
                            int64_t split, int64_t nz2nd, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                            int64_t nz2dn, TL_LINE) {
  tl_ascend::issue(tl_ascend::kDrainGm, line, dst, src, n, m, dst_stride, src_stride, unit_flag, quant, relu, split,
                   nz2nd, nz2dn, tl_ascend::element<T>);
}
template <class T, class C>
inline void asc_copy_l0c2ub(tl_ub_ptr<T> dst, tl_l0c_ptr<C> src, int64_t n, int64_t m, int64_t dst_stride,
                            int64_t src_stride, int64_t core, int dual, int unit_flag, int quant, int relu,
                            int64_t split, int64_t nz2nd, int64_t nz2dn, int64_t, TL_LINE) {
  tl_ascend::issue(tl_ascend::kDrainUb, line, dst, src, n, m, dst_stride, src_stride, core, dual, unit_flag, quant,
                   relu, split, nz2nd, nz2dn, tl_ascend::element<T>);
}

// --- the atomic mode of stores to GM ---------------------------------------------------------------------------------

inline void asc_set_atomic_none(TL_LINE) { tl_ascend::issue(tl_ascend::kSetAtomic, line, 0, 0); }
#define TL_ATOMIC_MODE(suffix, element)                                                                           \
  inline void asc_set_atomic_add_##suffix(TL_LINE) { tl_ascend::issue(tl_ascend::kSetAtomic, line, 1, element); } \
  inline void asc_set_atomic_max_##suffix(TL_LINE) { tl_ascend::issue(tl_ascend::kSetAtomic, line, 2, element); } \
  inline void asc_set_atomic_min_##suffix(TL_LINE) { tl_ascend::issue(tl_ascend::kSetAtomic, line, 3, element); }
TL_ATOMIC_MODE(float, tl_ascend::kF32)
TL_ATOMIC_MODE(float16, tl_ascend::kF16)
TL_ATOMIC_MODE(bfloat, tl_ascend::kBf16)
TL_ATOMIC_MODE(int8, tl_ascend::kI8)
TL_ATOMIC_MODE(int16, tl_ascend::kI16)
TL_ATOMIC_MODE(int32, tl_ascend::kI32)
TL_ATOMIC_MODE(int, tl_ascend::kI32)
#undef TL_ATOMIC_MODE
