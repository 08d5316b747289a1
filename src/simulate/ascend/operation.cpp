#include "simulate/ascend/operation.h"

#include <fmt/format.h>

#include <array>

#include "simulate/ascend/machine.h"

namespace tl::simulate::ascend {
namespace {

/// Pipes whose operations have completed when the next one of the pipe has an effect. Copies of MTE2 and MTE3 and
/// drains may overtake each other: only overlapping destinations show it.
bool completes_in_order(int pipe) {
  return pipe != tl_ascend::kPipeMte2 && pipe != tl_ascend::kPipeMte3 && pipe != tl_ascend::kPipeFix;
}

}  // namespace

Operation::Operation(Core& core, int call, int line, int pipe)
    : core_(core), call_(call), line_(line), origin_(line), pipe_(pipe) {
  access_.core = core.number;
  access_.sequence = core.begin(pipe);
  access_.pipe = static_cast<uint8_t>(pipe);
  access_.site = core.machine.site({call, line, line});
  order_ = {&core.seen[static_cast<size_t>(pipe)], core.number, core.first, static_cast<uint8_t>(pipe),
            completes_in_order(pipe)};
}

void Operation::at(int call, int line) {
  call_ = call;
  line_ = line;
  access_.site = core_.machine.site({call, line, origin_});
}

bool Operation::require(bool condition, const std::string& message) {
  if (!condition && core_.machine.book.wants(128, line_, 0, static_cast<int>(std::hash<std::string>{}(message)))) {
    core_.machine.book.add(128, line_, fmt::format("{}: {}", call_name(call_), message));
  }
  return condition;
}

void Operation::undefined(std::string_view where, int64_t first) {
  if (!core_.machine.book.wants(121, line_, 0)) return;
  core_.machine.book.add(
      121, line_,
      fmt::format("{} uses bytes of {} that nothing has written, from byte {}", call_name(call_), where, first));
}

bool Operation::inside(const Memory& memory, int64_t first, int64_t bytes, bool writes) {
  const int64_t size = static_cast<int64_t>(memory.bytes.size());
  if (first >= 0 && bytes <= size && first <= size - bytes) return true;
  if (core_.machine.book.wants(120, line_, 0, writes)) {
    core_.machine.book.add(
        120, line_,
        fmt::format("{} {} bytes [{}, {}) of {}, which has {} bytes", call_name(call_), writes ? "writes" : "reads",
                    first, first + bytes, space_name(memory.space), size));
  }
  return false;
}

bool Operation::read(Memory& memory, int64_t first, int64_t bytes) {
  if (!inside(memory, first, bytes, false)) return false;
  bytes_ += static_cast<uint64_t>(bytes);
  memory.accesses.read(static_cast<uint64_t>(first), static_cast<uint64_t>(first + bytes), access_, order_, conflicts_);
  if (!conflicts_.empty()) report(conflicts_, space_name(memory.space), 0, false);
  return true;
}

bool Operation::write(Memory& memory, int64_t first, int64_t bytes) {
  if (!inside(memory, first, bytes, true)) return false;
  bytes_ += static_cast<uint64_t>(bytes);
  memory.accesses.write(static_cast<uint64_t>(first), static_cast<uint64_t>(first + bytes), access_, order_,
                        conflicts_);
  if (!conflicts_.empty()) report(conflicts_, space_name(memory.space), 0, true);
  return true;
}

namespace {

/// The tensor around [address, address + bytes) that may be accessed so; else what is wrong is reported.
Tensor* tensor_for(Machine& machine, uint64_t address, int64_t bytes, bool writes, int call, int line) {
  Tensor* tensor = machine.gm.find(address);
  const bool holds =
      tensor != nullptr && static_cast<uint64_t>(bytes) <= tensor->range.base + tensor->range.bytes - address;
  if (holds && (writes ? tensor->range.writable : tensor->range.readable)) return tensor;
  if (!machine.book.wants(120, line, 0, writes)) return nullptr;
  std::string message;
  const Tensor* near = holds || tensor != nullptr ? tensor : machine.gm.nearest(address);
  if (holds) {
    message =
        fmt::format("{} {} `{}`, which it may not", call_name(call), writes ? "writes" : "reads", tensor->range.name);
  } else if (near == nullptr) {
    message = fmt::format("{} accesses GM, and the launch has no tensors", call_name(call));
  } else {
    const int64_t first = static_cast<int64_t>(address - near->range.base);
    message = fmt::format("{} {} bytes [{}, {}) of `{}`, which has {} bytes", call_name(call),
                          writes ? "writes" : "reads", first, first + bytes, near->range.name, near->range.bytes);
  }
  machine.book.add(120, line, std::move(message));
  return nullptr;
}

}  // namespace

Tensor* Operation::read_gm(uint64_t address, int64_t bytes) {
  Tensor* tensor = tensor_for(core_.machine, address, bytes, false, call_, line_);
  if (tensor == nullptr) return nullptr;
  bytes_ += static_cast<uint64_t>(bytes);
  const uint64_t first = address - tensor->range.base;
  tensor->accesses.read(first, first + static_cast<uint64_t>(bytes), access_, order_, conflicts_);
  if (!conflicts_.empty()) report(conflicts_, "`" + tensor->range.name + "`", 0, false);
  return tensor;
}

Tensor* Operation::write_gm(uint64_t address, int64_t bytes, bool atomic) {
  Tensor* tensor = tensor_for(core_.machine, address, bytes, true, call_, line_);
  if (tensor == nullptr) return nullptr;
  bytes_ += static_cast<uint64_t>(bytes);
  const uint64_t first = address - tensor->range.base;
  access_.atomic = atomic;
  tensor->accesses.write(first, first + static_cast<uint64_t>(bytes), access_, order_, conflicts_);
  access_.atomic = false;
  if (!conflicts_.empty()) report(conflicts_, "`" + tensor->range.name + "`", 0, true);
  return tensor;
}

void Operation::report(const std::vector<Conflict>& conflicts, std::string_view where, uint64_t base, bool writes) {
  Machine& machine = core_.machine;
  for (const Conflict& c : conflicts) {
    const Site& other = machine.site_of(c.then.site);
    const bool elsewhere = c.then.core != core_.number;
    const int kind = writes * 2 + c.then_writes + (elsewhere ? 4 : 0) + pipe_ * 8 + c.then.pipe * 128;
    if (!machine.book.wants(125, line_, other.line, kind)) continue;
    const char* mine = pipe_name(pipe_);
    const char* theirs = pipe_name(c.then.pipe);
    std::string help;
    if (elsewhere) {
      help = "let each core have its own part, add atomically, or order the cores";
    } else if (c.then.pipe == pipe_) {
      help = fmt::format("asc_sync_pipe({}) between them, or a flag to another pipe and back", mine);
    } else {
      help = fmt::format("asc_sync_notify({0}, {1}, id) behind {2} and asc_sync_wait({0}, {1}, id) before {3}", theirs,
                         mine, machine.book.name_of_line(other.origin), machine.book.name_of_line(origin_));
    }
    machine.book.add(
        125, line_,
        fmt::format("{} on {} {} bytes [{}, {}) of {} that {} on {}{} {}, and nothing orders the two", call_name(call_),
                    mine, writes ? "writes" : "reads", base + c.first, base + c.last, where, call_name(other.call),
                    theirs, elsewhere ? " of another core" : "", c.then_writes ? "writes" : "reads"),
        other.line, "the other access", std::move(help));
  }
  conflicts_.clear();
}

void perform(Core& core, const Record& record, Operation& operation) {
  using namespace tl_ascend;
  switch (record.call) {
    case kGm2Ub:
      return copy_gm_to_ub(core, record, operation);
    case kUb2Gm:
      return copy_ub_to_gm(core, record, operation);
    case kUb2L1:
      return copy_ub_to_l1(core, record, operation);
    case kNd2Nz:
    case kDn2Nz:
      return copy_gm_to_l1(core, record, operation);
    case kFillL1:
      return fill_l1(core, record, operation);
    case kLoadL0a:
    case kLoadL0b:
    case kLoadL0aT:
    case kLoadL0bT:
      return load_l0(core, record, operation);
    case kMmad:
      return multiply(core, record, operation);
    case kDrainGm:
    case kDrainUb:
      return drain(core, record, operation);
    case kVfCall:
      return core.machine.regions.run(record, operation);
    default:
      TL_CHECK(false, "not an operation of a pipe");
  }
}

}  // namespace tl::simulate::ascend
