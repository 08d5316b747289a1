#include "runtime/cuda_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Errors of the driver that have a known cause (cuda.h, CUresult).
struct ErrorRow {
  int error;
  /// The context is lost: every later call of this process on the device fails too.
  bool sticky;
  const char* help;
};

constexpr const char* kEarlier =
    "an earlier kernel of this process did it; start a new process, with CUDA_LAUNCH_BLOCKING=1 to see which, or run "
    "the kernel with target=\"interpret\", which checks every access";

constexpr const char* kNoDriverHelp =
    "install NVIDIA's driver, or name its libcuda.so in the environment variable TILELANG_LIBCUDA; without a GPU use "
    "target=\"c\" or target=\"interpret\"";

constexpr ErrorRow kErrors[] = {
    {1, false, "the launch asks for something that the device cannot do; see the numbers above"},
    {2, false, "free memory of the device, as with torch.cuda.empty_cache()"},
    {98, false, "the kernel's code does not fit this launch"},
    {200, false,
     "the code is damaged, or was made by a newer compiler than the driver knows: update the driver, or use "
     "the NVRTC of its version"},
    {209, false, "compile the kernel for the device that it runs on"},
    {218, false, "update the driver, or use the NVRTC of its version"},
    {222, false, "update the driver, or use the NVRTC of its version"},
    {700, true, kEarlier},
    {701, false, "use fewer threads, or less shared memory"},
    {702, true, "a kernel ran longer than the system allows; start a new process"},
    {710, true, kEarlier},
    {714, true, kEarlier},
    {715, true, kEarlier},
    {716, true, kEarlier},
    {717, true, kEarlier},
    {718, true, kEarlier},
    {719, true, kEarlier},
    {720, false, "use a smaller grid, and a loop over tiles in each program"},
    {801, false, "the device, or the way in which it is shared, does not offer this"},
    {900, false, "call the kernel once before the capture begins"},
    {901, false, "the capture on this stream was invalidated by an earlier call"},
    {906, false, "give the capture a stream of its own, as torch.cuda.graph does"},
};

const ErrorRow* row_of(int error) {
  const auto row =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorRow& r) { return r.error == error; });
  return row == std::end(kErrors) ? nullptr : row;
}

}  // namespace

void throw_no_cuda(std::string what, std::string reason, std::string help) {
  Diagnostic diagnostic;
  diagnostic.code = 93;
  diagnostic.message = std::move(what);
  if (!reason.empty()) diagnostic.notes.push_back({std::move(reason), {}});
  diagnostic.help = help.empty() ? kNoDriverHelp : std::move(help);
  throw CompileError(std::move(diagnostic));
}

void throw_cuda_failure(const CudaFailure& failure, const std::string& what, std::string note) {
  const ErrorRow* row = row_of(failure.error);
  Diagnostic diagnostic;
  diagnostic.code = 94;
  diagnostic.message = fmt::format("{}: {} ({})", what, failure.name, failure.text);
  if (!note.empty()) diagnostic.notes.push_back({std::move(note), {}});
  if (row != nullptr && row->sticky) {
    diagnostic.notes.push_back({"the error stays: no later call of this process can use the device", {}});
  }
  if (row != nullptr) diagnostic.help = row->help;
  throw CompileError(std::move(diagnostic));
}

}  // namespace tl
