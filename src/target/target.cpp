#include "target/target.h"

#include <algorithm>

namespace tl {
namespace {

constexpr int64_t kKiB = 1024;
/// On a host every thread of the pool keeps its tiles, so they are far below what one process may have.
constexpr int64_t kMaxHostTiles = 256 * 1024 * kKiB;

/// The same table, for every compute capability.
constexpr int64_t kRegisters = 65536, kThreadRegisters = 255;

// Grids: the same table, and the block numbers of an Ascend, which have 16 bits. Where programs are a loop it has no
// end.
constexpr std::array<int64_t, 3> kAnyGrid = {INT64_MAX, INT64_MAX, INT64_MAX};
constexpr std::array<int64_t, 3> kCudaGrid = {(int64_t{1} << 31) - 1, 65535, 65535};
constexpr std::array<int64_t, 3> kAscendGrid = {65535, 1, 1};

// Shared memory limits: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability" (1 KiB a
// block is reserved by the system from sm_80 on). Host: tiles live on the stack or in thread-local memory.
const std::vector<Target> kTargets = {
    {"host", TargetKind::kHost, 1024, kAnyGrid, 1024 * kKiB, 1024 * kKiB, kMaxHostTiles, 64, 32 * 1024 * kKiB, false, 0,
     0, "C++ through the system compiler"},
    {"interpret", TargetKind::kInterpreter, 1024, kAnyGrid, 1024 * kKiB, 1024 * kKiB, kMaxHostTiles, 8, 0, false, 0, 0,
     "the meaning of a program, with checks"},
    {"sm_75", TargetKind::kCuda, 1024, kCudaGrid, 64 * kKiB, 48 * kKiB, 0, 16, 0, false, kRegisters, kThreadRegisters,
     "Turing"},
    {"sm_80", TargetKind::kCuda, 1024, kCudaGrid, 163 * kKiB, 48 * kKiB, 0, 16, 0, true, kRegisters, kThreadRegisters,
     "A100"},
    {"sm_86", TargetKind::kCuda, 1024, kCudaGrid, 99 * kKiB, 48 * kKiB, 0, 16, 0, true, kRegisters, kThreadRegisters,
     "Ampere, GeForce and workstation"},
    {"sm_89", TargetKind::kCuda, 1024, kCudaGrid, 99 * kKiB, 48 * kKiB, 0, 16, 0, true, kRegisters, kThreadRegisters,
     "Ada"},
    {"sm_90a", TargetKind::kCuda, 1024, kCudaGrid, 227 * kKiB, 48 * kKiB, 0, 16, 0, true, kRegisters, kThreadRegisters,
     "Hopper"},
    {"sm_100a", TargetKind::kCuda, 1024, kCudaGrid, 227 * kKiB, 48 * kKiB, 0, 32, 0, true, kRegisters, kThreadRegisters,
     "Blackwell, data centre"},
    {"sm_120a", TargetKind::kCuda, 1024, kCudaGrid, 99 * kKiB, 48 * kKiB, 0, 32, 0, true, kRegisters, kThreadRegisters,
     "Blackwell, GeForce and workstation"},
    {"ascend950", TargetKind::kAscend, 2048, kAscendGrid, 216 * kKiB, 216 * kKiB, 0, 1, 0, false, 0, 0,
     "Ascend 950, one AI Core"},
};

}  // namespace

const std::vector<Target>& all_targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto row = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& t) { return t.name == name; });
  return row == kTargets.end() ? nullptr : &*row;
}

}  // namespace tl
