#include "driver/ascend_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>

#include "ir/line_table.h"
#include "ir/text.h"
#include "runtime/host_program_run.h"
#include "runtime/kernel_messages.h"
#include "runtime/shared_object.h"
#include "simulate/ascend/ascend_simulator.h"
#include "simulate/ascend/host_text.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

namespace ascend = simulate::ascend;

/// Where the lines of an emitted text come from in the user's program.
class UserLines {
 public:
  explicit UserLines(const Artifact& artifact) {
    const std::unique_ptr<Function> function = parse_function(artifact.program);
    const std::vector<Loc> known = LineTable(*function).lines();
    lines_.emplace_back();
    Loc at;
    const std::string& text = artifact.source;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      const size_t marker = line.find("//@");
      if (marker != std::string_view::npos) {
        const auto number = static_cast<size_t>(std::atoi(std::string(line.substr(marker + 3)).c_str()));
        if (number < known.size()) at = known[number];
      } else if (line.starts_with("extern") || line.starts_with("__simt_vf__")) {
        at = Loc();
      }
      lines_.push_back(at);
      begin = end + 1;
    }
  }

  /// The user's line of an emitted one; the emitted one itself where it has none.
  Loc of(const Loc& emitted) const {
    const auto line = emitted ? static_cast<size_t>(emitted->line) : 0;
    return line < lines_.size() && lines_[line] ? lines_[line] : emitted;
  }

 private:
  std::vector<Loc> lines_;
};

Diagnostic at_user_lines(Diagnostic d, const UserLines& lines) {
  d.loc = lines.of(d.loc);
  for (auto& note : d.notes) note.loc = lines.of(note.loc);
  return d;
}

class AscendMachine {
 public:
  AscendMachine(const Artifact& artifact, const ascend::Program& program, const BoundCall& call, const UserLines& lines,
                const PrintSink& print)
      : artifact_(artifact), program_(program), call_(call), lines_(lines), print_(print) {}

  void launch(const LaunchStep& step, const int64_t (&grid)[3], std::span<uint64_t> args) {
    if (grid[0] > 65535) throw_grid_too_large(artifact_, step, grid, "has more than 65535 programs");
    ascend::Launch launch;
    launch.kernel = artifact_.kernels[step.kernel].symbol;
    launch.blocks = grid[0];
    launch.words.assign(args.begin(), args.end());
    for (size_t i = 0; i < artifact_.signature.params.size(); ++i) add_tensor(i, launch);
    for (const auto& [bytes, memory] : workspaces_) {
      launch.memory.push_back({"workspace", reinterpret_cast<uint64_t>(memory.get()), bytes});
    }
    ascend::RunOptions options;
    options.ub_limit = 248 * 1024;
    const char* timeline = std::getenv("TL_ASCEND_TIMELINE");
    options.timeline = timeline != nullptr;
    // A sink may be of Python, which does not run on the small stack of a thread of a region.
    std::vector<std::string> printed;
    options.print = [&](std::string_view line) { printed.emplace_back(line); };
    const ascend::RunReport report = ascend::run(program_, launch, options);
    for (const std::string& line : printed) print_(line + "\n");
    if (timeline != nullptr) std::ofstream(timeline) << ascend::timeline_json(report);
    if (report.clean()) return;
    std::vector<Diagnostic> found;
    for (Diagnostic& d : report.diagnostics()) found.push_back(at_user_lines(std::move(d), lines_));
    throw CompileError(std::move(found));
  }

  uint64_t workspace(int64_t bytes) {
    auto memory = std::make_unique<std::byte[]>(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
    const auto address = reinterpret_cast<uint64_t>(memory.get());
    workspaces_.emplace_back(static_cast<uint64_t>(bytes), std::move(memory));
    return address;
  }
  uint64_t grid_state() { internal_error(__FILE__, __LINE__, "kind", "programs that meet, on AI cores"); }
  void fail(int message) {
    KernelMessages(artifact_, [](std::string_view) {}).fail_on_host(message);
  }
  bool stopped() const { return false; }

 private:
  void add_tensor(size_t i, ascend::Launch& launch) const {
    const ParamSpec& spec = artifact_.signature.params[i];
    const Argument* given = call_.given[i];
    if (spec.kind != ParamKind::kTensor || given == nullptr || given->kind != Argument::Kind::kTensor) return;
    const TensorView& view = given->tensor;
    int64_t last = 0;
    for (int d = 0; d < view.rank; ++d) {
      const int64_t stride = view.strides != nullptr ? view.strides[d] : compact_stride(view, d);
      if (view.shape[d] == 0) return;
      last += (view.shape[d] - 1) * stride;
    }
    const auto bytes = static_cast<uint64_t>((last + 1) * view.dtype.bytes());
    launch.memory.push_back({spec.name, view.address(), bytes, true, !view.read_only, true});
  }

  static int64_t compact_stride(const TensorView& view, int axis) {
    int64_t out = 1;
    for (int d = axis + 1; d < view.rank; ++d) out *= view.shape[d];
    return out;
  }

  const Artifact& artifact_;
  const ascend::Program& program_;
  const BoundCall& call_;
  const UserLines& lines_;
  const PrintSink& print_;
  std::deque<std::pair<uint64_t, std::unique_ptr<std::byte[]>>> workspaces_;
};

class AscendExecutor : public Executor {
 public:
  explicit AscendExecutor(std::shared_ptr<const Artifact> artifact)
      : artifact_(std::move(artifact)),
        library_(artifact_->name, artifact_->binary),
        program_([this](const std::string& name) { return library_.find(name); }, artifact_->name + ".asc"),
        lines_(*artifact_) {
    artifact_->verify();
  }

  void run(const BoundCall& call, const PrintSink& print, const Poll&) override {
    AscendMachine machine(*artifact_, program_, call, lines_, print);
    HostProgramRun(*artifact_, call, machine).run();
  }

 private:
  std::shared_ptr<const Artifact> artifact_;
  SharedObject library_;
  ascend::Program program_;
  const UserLines lines_;
};

}  // namespace

std::string ascend_host_text(const Artifact& artifact) {
  return ascend::host_text(artifact.source, {}, artifact.name + ".asc");
}

std::vector<std::string> ascend_host_flags() { return ascend::host_flags(); }

std::unique_ptr<Executor> make_ascend_executor(std::shared_ptr<const Artifact> artifact) {
  return std::make_unique<AscendExecutor>(std::move(artifact));
}

}  // namespace tl
