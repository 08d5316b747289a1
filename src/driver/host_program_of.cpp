#include "driver/host_program_of.h"

#include "ir/text.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

class HostWriter {
 public:
  HostWriter(const Function& function, const std::vector<EmittedKernel>& kernels, FunctionSignature& signature,
             std::vector<EmittedMessage>& messages)
      : function_(function), kernels_(kernels), signature_(signature), messages_(messages) {}

  HostProgram run() {
    out_.steps = steps(function_.body);
    return std::move(out_);
  }

 private:
  HostSteps steps(const Block& block) {
    HostSteps out;
    for (const OpPtr& op : block) {
      if (const auto* launch = op->as<Launch>()) {
        out.push_back(launch_step(launch->grid));
      } else if (const auto* core = op->as<CoreLaunch>()) {
        out.push_back(launch_step(core->grid));
      } else if (const auto* bind = op->as<Bind>()) {
        IntProgram value = program(bind->value);
        out.push_back(LetStep{signature_.add_slot(bind->var), std::move(value)});
      } else if (const auto* loop = op->as<For>()) {
        LoopStep step;
        step.begin = program(loop->begin);
        step.end = program(loop->end);
        step.step = program(loop->step);
        step.slot = signature_.add_slot(loop->var);
        step.body = steps(loop->body);
        out.push_back(std::move(step));
      } else if (const auto* branch = op->as<If>()) {
        out.push_back(IfStep{program(branch->condition), steps(branch->then_body), steps(branch->else_body)});
      } else if (const auto* check = op->as<Assert>()) {
        messages_.push_back({false, check->message, {print(check->condition)}, check->loc});
        out.push_back(AssertStep{program(check->condition), static_cast<int>(messages_.size()) - 1});
      } else if (const auto* alloc = op->as<Alloc>()) {
        if (alloc->at) {
          place(*alloc, out);
        } else {
          workspace(*alloc);
        }
      } else {
        TL_CHECK(op->kind == OpKind::kAssume, "the host cannot run " + std::string(op_name(*op)));
      }
    }
    return out;
  }

  LaunchStep launch_step(const std::vector<Expr>& grid) {
    LaunchStep step;
    step.kernel = next_kernel_++;
    for (size_t i = 0; i < grid.size(); ++i) step.grid[i] = program(grid[i]);
    for (const Param& arg : kernels_[step.kernel].args) {
      step.args.push_back(std::visit([&](const auto& node) { return word(node); }, arg));
    }
    if (kernels_[step.kernel].programs_meet) step.args.push_back({KernelArg::Kind::kGridState, 0});
    return step;
  }

  KernelArg word(const Buffer& buffer) const {
    const int param = param_of(buffer.get());
    if (param >= 0) return {KernelArg::Kind::kParam, param};
    const auto it = memory_.find(buffer.get());
    TL_CHECK(it != memory_.end(), "no memory for " + buffer->name);
    return it->second;
  }

  KernelArg word(const Var& var) const {
    const int param = param_of(var.get());
    if (param >= 0) return {KernelArg::Kind::kParam, param};
    return {KernelArg::Kind::kSlot, signature_.slot_of(var)};
  }

  int param_of(const void* node) const {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      if (std::visit([&](const auto& p) { return static_cast<const void*>(p.get()) == node; }, function_.params[i])) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  /// Memory of the caller: a pointer it has passed, or an address that is computed.
  void place(const Alloc& alloc, HostSteps& out) {
    const int param = param_of(alloc.at.get());
    if (param >= 0) {
      memory_[alloc.buffer.get()] = {KernelArg::Kind::kParam, param};
      return;
    }
    IntProgram address = program(alloc.at);
    const int slot = signature_.add_slot(Var("&" + alloc.buffer->name, DType::i64()));
    out.push_back(LetStep{slot, std::move(address)});
    memory_[alloc.buffer.get()] = {KernelArg::Kind::kSlot, slot};
  }

  void workspace(const Alloc& alloc) {
    IntProgram bytes = IntProgram::constant((alloc.buffer->dtype.storage_bits() + 7) / 8);
    for (const Expr& extent : alloc.buffer->shape) bytes.push_all(program(extent)).push(IntOp::kMul);
    memory_[alloc.buffer.get()] = {KernelArg::Kind::kWorkspace, static_cast<int>(out_.workspaces.size())};
    out_.workspaces.push_back(std::move(bytes));
  }

  IntProgram program(const Expr& e) const {
    return int_program_of(e, [this](const Var& v) { return signature_.slot_of(v); });
  }

  const Function& function_;
  const std::vector<EmittedKernel>& kernels_;
  FunctionSignature& signature_;
  std::vector<EmittedMessage>& messages_;
  /// Of buffers that are no parameters.
  std::unordered_map<const BufferNode*, KernelArg> memory_;
  int next_kernel_ = 0;
  HostProgram out_;
};

}  // namespace

HostProgram host_program_of(const Function& function, const std::vector<EmittedKernel>& kernels,
                            FunctionSignature& signature, std::vector<EmittedMessage>& messages) {
  return HostWriter(function, kernels, signature, messages).run();
}

}  // namespace tl
