#include "runtime/kernel_messages.h"

#include <fmt/format.h>

#include <bit>
#include <tuple>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Text that has grown to this many bytes is handed on while the kernel still runs.
constexpr size_t kFlushSize = size_t{1} << 16;

const Message& message_of(const Artifact& artifact, int index) {
  TL_CHECK(index >= 0 && static_cast<size_t>(index) < artifact.messages.size(), "a kernel names no message");
  return artifact.messages[index];
}

std::string value_text(const tl_host_value& value) {
  switch (value.kind) {
    case 1:
      return fmt::format("{}", value.bits);
    case 2:
      return fmt::format("{}", std::bit_cast<double>(value.bits));
    case 3:
      return value.bits != 0 ? "true" : "false";
    default:
      return fmt::format("{}", static_cast<int64_t>(value.bits));
  }
}

std::string place_text(const tl_host_place* p) {
  if (p == nullptr) return {};
  return fmt::format("BlockIdx=({}, {}, {}), ThreadIdx=({}, {}, {})", p->block[0], p->block[1], p->block[2],
                     p->thread[0], p->thread[1], p->thread[2]);
}

bool before(const tl_host_place& a, const tl_host_place& b) {
  const auto key = [](const tl_host_place& p) {
    return std::tuple(p.block[2], p.block[1], p.block[0], p.thread[2], p.thread[1], p.thread[0]);
  };
  return key(a) < key(b);
}

[[noreturn]] void throw_failed(const Message& message, const std::string& place) {
  Diagnostic diagnostic;
  diagnostic.code = 110;
  diagnostic.message = "Device assert failed";
  if (!message.text.empty()) diagnostic.message += ": " + message.text;
  if (!message.file.empty()) {
    diagnostic.loc = make_loc(message.file, message.line, message.column, message.end_column);
  }
  if (!message.labels.empty()) diagnostic.notes.push_back({"the condition is " + message.labels[0], {}});
  if (!place.empty()) diagnostic.notes.push_back({"it failed at " + place, {}});
  throw CompileError(std::move(diagnostic));
}

}  // namespace

std::string print_text(const Message& message, const tl_host_place* place, int count, const tl_host_value* values) {
  std::string head = message.text;
  if (const std::string where = place_text(place); !where.empty()) head += (head.empty() ? "" : ": ") + where;
  if (count == 0) return head + "\n";
  std::string out;
  for (int i = 0; i < count; ++i) {
    const bool labelled = static_cast<size_t>(i) < message.labels.size() && !message.labels[i].empty();
    out += fmt::format("{}{}{}{}\n", head, head.empty() ? "" : ": ", labelled ? message.labels[i] + "=" : "",
                       value_text(values[i]));
  }
  return out;
}

KernelMessages::KernelMessages(const Artifact& artifact, const PrintSink& print) : artifact_(artifact), sink_(print) {
  context_.user = this;
  context_.fail = [](void* user, int32_t message, const tl_host_place* place) {
    static_cast<KernelMessages*>(user)->fail(message, place);
  };
  context_.print = [](void* user, int32_t message, const tl_host_place* place, int32_t count,
                      const tl_host_value* values) {
    static_cast<KernelMessages*>(user)->print(message, place, count, values);
  };
}

void KernelMessages::fail(int message, const tl_host_place* place) {
  const Failure failure{message, place != nullptr ? *place : tl_host_place{}};
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_.store(true, std::memory_order_relaxed);
  if (!first_ || before(failure.place, first_->place)) first_ = failure;
}

void KernelMessages::print(int message, const tl_host_place* place, int count, const tl_host_value* values) {
  const std::string line = print_text(message_of(artifact_, message), place, count, values);
  const std::lock_guard<std::mutex> lock(mutex_);
  text_ += line;
  if (text_.size() < kFlushSize) return;
  try {
    flush();
  } catch (...) {
    // Nothing may pass through the kernel's frames.
    sink_error_ = std::current_exception();
    text_.clear();
    failed_.store(true, std::memory_order_relaxed);
  }
}

void KernelMessages::flush() {
  if (text_.empty()) return;
  sink_(text_);
  text_.clear();
}

void KernelMessages::fail_on_host(int message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  flush();
  throw_failed(message_of(artifact_, message), {});
}

void KernelMessages::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sink_error_) std::rethrow_exception(sink_error_);
  flush();
  if (first_) throw_failed(message_of(artifact_, first_->message), place_text(&first_->place));
}

}  // namespace tl
