#pragma once

// What a kernel compiled for the host and the simulator agree on: the calls of the Ascend C API as numbers, and the
// table through which the kernel reaches the simulated core. Read by both sides; every field is plain data.

#include <stdint.h>

namespace tl_ascend {

enum Pipe : int { kPipeS, kPipeV, kPipeM, kPipeMte1, kPipeMte2, kPipeMte3, kPipeFix, kPipeAll, kPipeCount = kPipeAll };

enum Space : int { kGm, kUb, kL1, kL0a, kL0b, kL0c, kSpaceCount };

/// Names of calls, as reports show them and as records carry them. The numbers beside a row are its arguments.
enum Call : int {
  kNoCall,
  kSimtAccess,    // an element access inside a SIMT region
  kScalarAccess,  // an element access of the scalar unit
  kVfCall,        // a SIMT region
  kGm2Ub,         // dst src bursts length left right const_pad src_stride dst_stride element_bytes
  kUb2Gm,         // dst src bursts length dst_stride src_stride
  kUb2L1,         // dst src bursts length src_gap dst_gap
  kNd2Nz,         // dst src loop1 n d loop4 small_c0 element_bytes
  kDn2Nz,         // the same
  kFillL1,        // dst value repeat blocks gap value_bytes
  kLoadL0a,
  kLoadL0b,  // dst src m_start k_start m_step k_step src_stride dst_stride element_bytes
  kLoadL0aT,
  kLoadL0bT,  // the same
  kMmad,      // c a b m k n unit_flag gemv_off bias init_zero element
  kDrainGm,   // dst src n m dst_stride src_stride unit_flag quant relu split nz2nd nz2dn element_bytes
  kDrainUb,   // dst src n m dst_stride src_stride core dual unit_flag quant relu split nz2nd nz2dn element
  kNotify,
  kWait,     // source destination id
  kBarrier,  // pipe
  kLock,
  kUnlock,  // pipe id
  kIntraArrive,
  kIntraWait,
  kBlockArrive,
  kBlockWait,
  kSubblockArrive,
  kSubblockWait,
  kInterArrive,
  kInterWait,
  kSetPadValue,   // value
  kSetNzPara,     // matrix_num n_stride c0_stride matrix_stride
  kSetDrainPara,  // nd_num src_nd_stride dst_nd_stride
  kSetAtomic,     // operation (0 none, 1 add, 2 max, 3 min) element
  kSetHf32,       // on
  kSetDirection,  // 0 m, 1 n
  kInit,
  kCallCount
};

enum Element : int {
  kF32,
  kF16,
  kBf16,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF8e4m3,
  kF8e5m2,
  kOtherElement,
  kNoElement
};

enum Mode : int { kRead, kWrite, kAtomic };

struct Dim3 {
  uint32_t x, y, z;
};

/// Marks of one byte of UB in `written` and `read`: time << 32 | line << 12 | thread. The time counts intervals between
/// barriers, so marks of an earlier interval mean nothing and are never cleared.
inline constexpr uint64_t kThreadMask = 0xfff, kManyThreads = 0xfff, kAtomicThread = 0xffe;
inline constexpr int kLineShift = 12, kTimeShift = 32;
inline constexpr uint64_t kLineMask = 0xfffff;
/// UB is marked as touched in pages of this many bytes.
inline constexpr int kPageShift = 10;

/// The 32 lanes of a warp at a collective call.
struct Lanes {
  uint64_t value[32];
  uint32_t active;
  uint32_t lane;
};

struct Host {
  // The core that runs, and inside a SIMT region the thread.
  uint8_t* ub;
  uint8_t* ub_defined;
  uint64_t* ub_written;
  uint64_t* ub_read;
  uint8_t* ub_touched;
  uint64_t ub_bytes;
  /// time << 32 | thread, in a SIMT region.
  uint64_t stamp;
  int32_t in_region;
  int32_t is_cube;
  int32_t sub_block;
  int32_t block;
  int32_t blocks;
  Dim3 thread, block_dim;
  /// Iterations of the kernel's loops until it calls `look_up`.
  uint32_t turns;

  /// Puts a call into the queue of its pipe, or performs it where it acts on the scalar unit.
  void (*issue)(int call, const int64_t* args, int count, int line);
  /// A SIMT region: `body` runs once a thread, on a copy of `bytes` bytes of arguments.
  void (*region)(const void* function, void (*body)(const void*), const void* args, int bytes, Dim3 threads, int line);
  /// The bytes behind one element that is accessed; bytes of no consequence where it must not be.
  void* (*access)(int space, uint64_t address, int bytes, int line, int mode);
  /// Says what is wrong with an access to UB in a region that the kernel itself found wrong.
  void (*suspect)(uint64_t address, int bytes, int line, int mode);
  void (*sync_threads)(int line);
  /// Meets the other lanes of the warp that are at the same call.
  void (*warp)(uint64_t value, int line, Lanes* lanes);
  /// An assertion does not hold; does not return.
  void (*fail)(const char* condition, int line);
  /// Gives whoever started the kernel a chance to end it; sets `turns` anew.
  void (*look_up)();
  /// A value as bits of `element`; of `buffer[index]` where `buffer` is given; no value for kNoElement.
  void (*print)(const char* message, const char* buffer, int64_t index, int element, uint64_t bits);
  /// Text as the kernel itself has put it together.
  void (*write)(const char* text);
};

/// The thread bound that `__launch_bounds__` gave a region.
struct RegionBound {
  const void* function;
  int threads;
};

/// One kernel of a text.
struct Kernel {
  const char* name;
  void (*enter)(const uint64_t* words);
  /// 0 vector, 1 cube, 2 mixed (one cube core and two vector cores).
  int kind;
  /// Blocks wait for each other.
  int all_alive;
};

}  // namespace tl_ascend
