#include "fake_cuda/fake_cuda.h"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

using tl::testing::FakeCuda;
using tl::testing::FakeDevice;
using tl::testing::FakeLaunch;

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

// CUresult
constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kInvalidImage = 200, kInvalidContext = 201,
              kNotFound = 500, kIllegalAddress = 700, kLaunchFailed = 719, kTooLargeTogether = 720,
              kCaptureUnsupported = 900;
constexpr int kMultiprocessors = 132;
constexpr unsigned kUnaskedShared = 48 * 1024;

/// The driver's objects: a context stands for its device.
struct Context {
  int device;
};
struct Function {
  std::string symbol;
  size_t words;
  Context* context;
  unsigned max_shared = kUnaskedShared;
};
struct Module {
  std::map<std::string, Function> functions;
};

/// The kernels of a cubin, with the number of their parameters: sections ".nv.info.<kernel>", whose records of kind
/// 0x17 describe one parameter each. A record is a form, a kind, and two bytes of value or of the length of what
/// follows (form 4).
std::map<std::string, size_t> kernels_of_cubin(const char* image) {
  std::map<std::string, size_t> out;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image + header.e_shoff, sections.size() * sizeof sections[0]);
  const char* names = image + sections.at(header.e_shstrndx).sh_offset;
  const std::string prefix = ".nv.info.";
  for (const Elf64_Shdr& section : sections) {
    const std::string name = names + section.sh_name;
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    size_t& params = out[name.substr(prefix.size())];
    const auto* at = reinterpret_cast<const unsigned char*>(image + section.sh_offset);
    for (const unsigned char* end = at + section.sh_size; at + 4 <= end;) {
      params += at[1] == 0x17 ? 1 : 0;
      at += 4 + (at[0] == 4 ? at[2] + at[3] * 256 : 0);
    }
  }
  return out;
}

struct World {
  FakeCuda state;
  std::map<int, Context> contexts;
  std::vector<std::unique_ptr<Module>> modules;
};

std::unique_ptr<World>& world() {
  static auto only = std::make_unique<World>();
  return only;
}
FakeCuda& state() { return world()->state; }
thread_local Context* current = nullptr;

/// Counts a call; the error that it is to give.
int enter(const char* name) {
  FakeCuda& fake = state();
  ++fake.calls[name];
  if (fake.sticky != 0) return fake.sticky;
  const auto planned = fake.fail_next.find(name);
  if (planned == fake.fail_next.end()) return 0;
  const int error = planned->second;
  fake.fail_next.erase(planned);
  if (error >= kIllegalAddress && error <= kLaunchFailed && error != 701) fake.sticky = error;
  return error;
}

#define ENTER(name)                                      \
  const std::lock_guard<std::mutex> lock(state().mutex); \
  if (const int error = enter(name); error != 0) return error

bool has_device(int device) { return device >= 0 && static_cast<size_t>(device) < state().devices.size(); }

}  // namespace

FAKE FakeCuda* tl_fake_cuda() { return &state(); }
FAKE void tl_fake_cuda_reset() {
  world() = std::make_unique<World>();
  current = nullptr;
}
FAKE int tl_fake_cuda_current() { return current == nullptr ? -1 : current->device; }
FAKE void tl_fake_cuda_set_current(int device) {
  current = device < 0 ? nullptr : &world()->contexts.try_emplace(device, Context{device}).first->second;
}

FAKE int cuInit(unsigned) {
  ENTER("cuInit");
  return 0;
}
FAKE int cuDriverGetVersion(int* version) {
  *version = state().driver_version;
  return 0;
}
FAKE int cuGetErrorName(int error, const char** name) {
  static thread_local std::string text;
  text = "CUDA_ERROR_FAKE_" + std::to_string(error);
  *name = text.c_str();
  return 0;
}
FAKE int cuGetErrorString(int, const char** text) {
  *text = "as the test asked";
  return 0;
}
FAKE int cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = static_cast<int>(state().devices.size());
  return 0;
}
FAKE int cuDeviceGet(int* device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return has_device(ordinal) ? 0 : kInvalidDevice;
}
FAKE int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, state().devices.at(device).name.c_str(), static_cast<size_t>(size) - 1);
  return 0;
}
FAKE int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const FakeDevice& d = state().devices.at(device);
  const std::map<int, int> values{{16, kMultiprocessors}, {75, d.major}, {76, d.minor}, {97, d.shared_bytes}};
  const auto found = values.find(attribute);
  if (found == values.end()) return kInvalidValue;
  *value = found->second;
  return 0;
}
FAKE int cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = size_t{1} << 37;
  return 0;
}
FAKE int cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain");
  if (!has_device(device)) return kInvalidDevice;
  *context = &world()->contexts.try_emplace(device, Context{device}).first->second;
  return 0;
}
FAKE int cuCtxGetCurrent(void** context) {
  ENTER("cuCtxGetCurrent");
  *context = current;
  return 0;
}
FAKE int cuCtxSetCurrent(void* context) {
  ENTER("cuCtxSetCurrent");
  current = static_cast<Context*>(context);
  return 0;
}
FAKE int cuCtxGetDevice(int* device) {
  ENTER("cuCtxGetDevice");
  if (current == nullptr) return kInvalidContext;
  *device = current->device;
  return 0;
}

FAKE int cuModuleLoadData(void** module, const void* image) {
  ENTER("cuModuleLoadData");
  if (current == nullptr) return kInvalidContext;
  if (!state().capturing.empty()) return kCaptureUnsupported;
  auto loaded = std::make_unique<Module>();
  const auto* text = static_cast<const char*>(image);
  if (std::memcmp(text, ELFMAG, SELFMAG) == 0) {
    for (const auto& [symbol, words] : kernels_of_cubin(text)) loaded->functions[symbol] = {symbol, words, current};
  } else {
    std::istringstream lines(text);
    std::string symbol;
    for (size_t words; lines >> symbol >> words;) loaded->functions[symbol] = {symbol, words, current};
  }
  if (loaded->functions.empty()) return kInvalidImage;
  *module = world()->modules.emplace_back(std::move(loaded)).get();
  return 0;
}
FAKE int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER("cuModuleGetFunction");
  auto& functions = static_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return kNotFound;
  *function = &found->second;
  return 0;
}
FAKE int cuFuncSetAttribute(void* function, int attribute, int value) {
  ENTER("cuFuncSetAttribute");
  auto& f = *static_cast<Function*>(function);
  if (attribute != 8 || value > state().devices.at(f.context->device).shared_bytes) return kInvalidValue;
  f.max_shared = static_cast<unsigned>(value);
  return 0;
}

namespace {

int launch(FakeLaunch asked, const Function& f, void** params) {
  if (current != f.context) return kInvalidContext;
  const auto [gx, gy, gz] = asked.grid;
  const auto [bx, by, bz] = asked.block;
  const uint64_t threads = uint64_t{bx} * by * bz;
  const bool grid_fits = gx >= 1 && gx < 1u << 31 && gy >= 1 && gy < 1u << 16 && gz >= 1 && gz < 1u << 16;
  if (!grid_fits || threads < 1 || threads > 1024 || asked.shared_bytes > f.max_shared) return kInvalidValue;
  const int resident = state().devices.at(current->device).resident_blocks * kMultiprocessors;
  if (asked.together && uint64_t{gx} * gy * gz > static_cast<uint64_t>(resident)) return kTooLargeTogether;
  asked.symbol = f.symbol;
  asked.device = current->device;
  asked.params.resize(f.words);
  for (size_t i = 0; i < f.words; ++i) std::memcpy(&asked.params[i], params[i], sizeof asked.params[i]);
  state().launches.push_back(std::move(asked));
  return 0;
}

}  // namespace

FAKE int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, void* stream, void** params, void** extra) {
  ENTER("cuLaunchKernel");
  if (extra != nullptr) return kInvalidValue;
  return launch({"", 0, stream, {gx, gy, gz}, {bx, by, bz}, shared, {}}, *static_cast<Function*>(function), params);
}
FAKE int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, void* stream, void** params) {
  ENTER("cuLaunchCooperativeKernel");
  return launch({"", 0, stream, {gx, gy, gz}, {bx, by, bz}, shared, {}, true}, *static_cast<Function*>(function),
                params);
}
FAKE int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, size_t shared) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  const auto& f = *static_cast<Function*>(function);
  if (threads < 1 || shared > f.max_shared) return kInvalidValue;
  *blocks = state().devices.at(f.context->device).resident_blocks;
  return 0;
}
FAKE int cuStreamIsCapturing(void* stream, int* status) {
  ENTER("cuStreamIsCapturing");
  *status = state().capturing.count(stream) != 0 ? 1 : 0;
  return 0;
}
FAKE int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  ENTER("cuMemcpyHtoD_v2");
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

FAKE int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  ENTER("cuMemcpyDtoH_v2");
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

FAKE int cuMemAllocAsync(uint64_t* address, size_t bytes, void*) {
  ENTER("cuMemAllocAsync");
  if (current == nullptr) return kInvalidContext;
  void* memory = std::calloc(1, bytes);
  if (memory == nullptr) return kOutOfMemory;
  *address = reinterpret_cast<uint64_t>(memory);
  state().allocated[*address] = bytes;
  state().allocations.emplace_back(*address, bytes);
  state().allocated_on.push_back(current->device);
  return 0;
}
FAKE int cuMemFreeAsync(uint64_t address, void* stream) {
  ENTER("cuMemFreeAsync");
  if (current == nullptr) return kInvalidContext;
  state().released_on.push_back(stream);
  if (state().allocated.erase(address) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
FAKE int cuMemsetD32Async(uint64_t address, unsigned word, size_t words, void* stream) {
  ENTER("cuMemsetD32Async");
  if (current == nullptr) return kInvalidContext;
  if (address % 4 != 0) return kInvalidValue;
  state().fills.push_back({address, word, words, stream});
  return 0;
}
