#include "driver/executor.h"

#include <algorithm>
#include <deque>

#include "driver/ascend_executor.h"
#include "ir/text.h"
#include "simulate/interpreter.h"
#include "target/target.h"

namespace tl {
namespace {

/// Strides of a row-major array in elements.
std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Memory in place of a tensor that was not given, which nothing touches: the interpreter wants memory behind every
/// tensor.
void* stand_in(const TensorArg& tensor, std::deque<std::vector<uint8_t>>& memory) {
  int64_t bytes = tensor.dtype.bytes();
  for (const int64_t extent : tensor.shape) bytes *= extent;
  return memory.emplace_back(static_cast<size_t>(std::max<int64_t>(bytes, 1))).data();
}

/// A checked argument as the interpreter takes it: in the declared element type, whatever its own was.
Arg interpreter_argument(const ParamSpec& param, const BoundCall& call, size_t index,
                         std::deque<std::vector<uint8_t>>& memory) {
  if (param.kind != ParamKind::kTensor) return Scalar::of_bits(param.dtype, call.words[index]);
  TensorArg out;
  out.data = reinterpret_cast<void*>(call.words[index]);
  out.dtype = param.dtype;
  for (const Dim& dim : param.shape) out.shape.push_back(dim.value.evaluate(call.slots));
  if (param.strides.empty()) {
    out.strides = compact_strides(out.shape);
  } else {
    for (const Dim& dim : param.strides) out.strides.push_back(dim.value.evaluate(call.slots));
  }
  if (call.given[index]->kind == Argument::Kind::kNull) out.data = stand_in(out, memory);
  return out;
}

class InterpretExecutor : public Executor {
 public:
  explicit InterpretExecutor(std::shared_ptr<const Artifact> artifact)
      : artifact_(std::move(artifact)), function_(parse_function(artifact_->program)) {}

  void run(const BoundCall& call, const PrintSink& print, const Poll& poll, const WarningSink&) override {
    std::vector<Arg> args;
    std::deque<std::vector<uint8_t>> memory;
    for (size_t i = 0; i < artifact_->signature.params.size(); ++i) {
      args.push_back(interpreter_argument(artifact_->signature.params[i], call, i, memory));
    }
    InterpretOptions options;
    options.print = [&](std::string_view line) { print(std::string(line) + "\n"); };
    options.poll = poll;
    const RunReport report = interpret(*function_, args, options);
    if (report.has_errors()) throw CompileError(report.diagnostics());
  }

 private:
  std::shared_ptr<const Artifact> artifact_;
  std::unique_ptr<Function> function_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(std::shared_ptr<const Artifact> artifact, CompileLater later) {
  if (artifact->target == "interpret") return std::make_unique<InterpretExecutor>(std::move(artifact));
  if (target_device_type(artifact->target) == Device::kCuda) {
    return make_cuda_executor(std::move(artifact), std::move(later));
  }
  const Target* target = find_target(artifact->target);
  if (target != nullptr && target->kind == TargetKind::kAscend) return make_ascend_executor(std::move(artifact));
  return make_host_executor(std::move(artifact));
}

}  // namespace tl
