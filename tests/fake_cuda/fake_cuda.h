// A CUDA driver without a GPU: a shared library with the driver's entry points that checks what the real one checks and
// records what it is asked, so that the runtime's half of a launch is tested on any machine.
//
// A module's image is a cubin, or text: a line "<symbol> <words>" a kernel, with the number of its parameters, which
// are taken to be 8 bytes each. Memory of a device is memory of the process; kernels do nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tl::testing {

struct FakeDevice {
  std::string name = "Fake GPU";
  int major = 9, minor = 0;
  int shared_bytes = 227 * 1024;
  /// Blocks of any kernel that a multiprocessor holds at once.
  int resident_blocks = 2;
};

struct FakeLaunch {
  std::string symbol;
  int device = 0;
  void* stream = nullptr;
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes = 0;
  std::vector<uint64_t> params;
  /// Its blocks are all there at once.
  bool together = false;
};

struct FakeFill {
  uint64_t address;
  unsigned word;
  size_t words;
  void* stream;
};

/// The state of the fake, which tests read and set. Fields are guarded by `mutex` while kernels are called from several
/// threads.
struct FakeCuda {
  std::mutex mutex;
  std::vector<FakeDevice> devices = {FakeDevice()};
  int driver_version = 13000;
  /// Streams that are being captured.
  std::set<void*> capturing;
  /// Error that the next call of an entry point ("cuLaunchKernel") gives; one that corrupts the context stays.
  std::map<std::string, int> fail_next;

  /// How often each entry point was called.
  std::map<std::string, int> calls;
  std::vector<FakeLaunch> launches;
  /// Address and size of every memory that was allocated, in order.
  std::vector<std::pair<uint64_t, size_t>> allocations;
  /// Size of all that has not been released, by address; the streams of releases.
  std::map<uint64_t, size_t> allocated;
  std::vector<void*> released_on;
  std::vector<FakeFill> fills;
  /// The device of every allocation.
  std::vector<int> allocated_on;
  int sticky = 0;
};

}  // namespace tl::testing

extern "C" {
/// Of the library: its one state, and a fresh start for it.
tl::testing::FakeCuda* tl_fake_cuda();
void tl_fake_cuda_reset();
/// The current context of this thread, as a device's number; -1 for none.
int tl_fake_cuda_current();
void tl_fake_cuda_set_current(int device);
}
