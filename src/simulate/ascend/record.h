#pragma once

// What waits in the queue of a pipe.

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/ascend/access_map.h"

namespace tl::simulate::ascend {

/// State that calls set on the scalar unit; operations take it along when they are issued.
struct Registers {
  /// matrix_num, n_stride, c0_stride, matrix_stride of copies to L1.
  std::array<int64_t, 4> nz{};
  bool nz_set = false;
  /// nd_num, src_nd_stride, dst_nd_stride of drains.
  std::array<int64_t, 3> drain{};
  bool drain_set = false;
  uint64_t pad_value = 0;
  bool pad_set = false;
  /// 0 none, 1 add, 2 max, 3 min.
  int atomic = 0;
  int atomic_element = 0;
  bool hf32 = false;
  int direction = 0;
};

struct RegionCall {
  void (*body)(const void*) = nullptr;
  std::vector<uint64_t> args;
  tl_ascend::Dim3 threads{};
};

inline constexpr size_t kMostArguments = 16;

struct Record {
  tl_ascend::Call call = tl_ascend::kNoCall;
  int line = 0;
  int pipe = 0;
  std::array<int64_t, kMostArguments> args{};
  Registers registers;
  /// What the scalar unit had seen when it issued this.
  std::shared_ptr<const Clock> issued;
  double issue_time = 0;
  /// Unlocks of the mutex that stand before this lock in the program.
  int64_t ticket = 0;
  std::unique_ptr<RegionCall> region;
};

/// What reports call an operation and where it runs.
const char* call_name(int call);
const char* pipe_name(int pipe);

/// An operation in reports: its call and line.
struct Site {
  int call = 0;
  int line = 0;
  /// Of the call that was issued; `line` may be one in its region.
  int origin = 0;
  auto operator<=>(const Site&) const = default;
};

}  // namespace tl::simulate::ascend
