#include <fmt/format.h>

#include "simulate/ascend/machine.h"
#include "simulate/ascend/region_runner.h"

// Accesses of single elements: what threads of a region do beside plain accesses to UB, which the kernel's headers
// check themselves, and what the scalar unit does.

namespace tl::simulate::ascend {

using namespace tl_ascend;

std::string RegionRunner::thread_name(uint64_t thread) const {
  if (thread == kManyThreads) return "several threads";
  if (thread == kAtomicThread) return "an atomic operation of another thread";
  const Dim3 size = call_->threads;
  return fmt::format("thread ({}, {}, {})", thread % size.x, thread / size.x % size.y, thread / (size.x * size.y));
}

void RegionRunner::race(int space, uint64_t address, int line, int mode, uint64_t other, bool other_writes) {
  const int other_line = static_cast<int>(other >> kLineShift & kLineMask);
  if (!machine_.book.wants(123, line, other_line, mode * 2 + other_writes)) return;
  machine_.book.add(
      123, line,
      fmt::format("{} {} {} byte {} that {} {}, without asc_syncthreads between", thread_name(current_),
                  mode == kRead    ? "reads"
                  : mode == kWrite ? "writes"
                                   : "updates",
                  space_name(space), address, thread_name(other & kThreadMask), other_writes ? "writes" : "reads"),
      other_line, "the other access");
}

void RegionRunner::suspect(uint64_t address, int bytes, int line, int mode) {
  const Memory& ub = machine_.current->ub();
  const uint64_t size = ub.bytes.size();
  const auto width = static_cast<uint64_t>(bytes);
  ReportBook& book = machine_.book;
  if (address > size - width) {
    if (book.wants(120, line, 0, mode)) {
      book.add(120, line,
               fmt::format("{} {} bytes [{}, {}) of UB, which has {} bytes", thread_name(current_),
                           mode == kRead ? "reads" : "writes", static_cast<int64_t>(address),
                           static_cast<int64_t>(address + width), size));
    }
    return;
  }
  if (address % width != 0 && book.wants(128, line, 0, mode)) {
    book.add(128, line, fmt::format("an element of {} bytes at UB byte {} is not aligned", bytes, address));
  }
  for (uint64_t b = address; b < address + width; ++b) {
    const uint64_t thread = machine_.host.stamp & kThreadMask;
    const auto clashes = [&](uint64_t mark) { return mark >> kTimeShift == time_ && (mark & kThreadMask) != thread; };
    if (mode == kRead && ub.defined[b] == 0) {
      if (book.wants(121, line, 0)) {
        book.add(121, line, fmt::format("{} reads UB byte {}, which nothing has written", thread_name(current_), b));
      }
      return;
    }
    if (clashes(written_[b])) return race(kUb, b, line, mode, written_[b], true);
    if (mode != kRead && clashes(read_[b])) return race(kUb, b, line, mode, read_[b], false);
  }
}

void* RegionRunner::access(int space, uint64_t address, int bytes, int line, int mode) {
  const auto width = static_cast<uint64_t>(bytes);
  ReportBook& book = machine_.book;
  uint8_t* data = nullptr;
  uint8_t* defined = nullptr;
  uint64_t *written = nullptr, *read = nullptr;
  if (space == kUb) {
    Memory& ub = machine_.current->ub();
    if (address > ub.bytes.size() - width) {
      suspect(address, bytes, line, mode);
      return nowhere_;
    }
    touched_[address >> kPageShift] = 1;
    data = &ub.bytes[address];
    defined = &ub.defined[address];
    written = &written_[address];
    read = &read_[address];
  } else {
    Tensor* tensor = machine_.gm.find(address);
    const bool inside = tensor != nullptr && address + width <= tensor->range.base + tensor->range.bytes;
    if (!inside || !(mode == kRead ? tensor->range.readable : tensor->range.writable)) {
      Operation operation(*machine_.current, kSimtAccess, line, kPipeV);
      mode == kRead ? operation.read_gm(address, bytes) : operation.write_gm(address, bytes);
      return nowhere_;
    }
    const uint64_t offset = address - tensor->range.base;
    if (!tensor->defined.empty()) defined = &tensor->defined[offset];
    data = reinterpret_cast<uint8_t*>(address);
    Page& marks = page(address);
    written = &marks.written[address & (kPage - 1)];
    read = &marks.read[address & (kPage - 1)];
  }
  if (address % width != 0) {
    if (book.wants(128, line, 0, mode)) {
      book.add(
          128, line,
          fmt::format("an element of {} bytes at {} address {} is not aligned", bytes, space_name(space), address));
    }
    return nowhere_;
  }
  const uint64_t thread = mode == kAtomic ? kAtomicThread : current_;
  const uint64_t mine = time_ << kTimeShift | (static_cast<uint64_t>(line) & kLineMask) << kLineShift | thread;
  const auto clashes = [&](uint64_t mark) {
    const uint64_t other = mark & kThreadMask;
    return mark >> kTimeShift == time_ && other != current_ && other != thread;
  };
  bool said = false;
  for (uint64_t b = 0; b < width; ++b) {
    if (mode != kWrite && defined != nullptr && defined[b] == 0 && !said) {
      said = true;
      if (book.wants(121, line, 0)) {
        book.add(121, line,
                 fmt::format("{} reads {} byte {}, which nothing has written", thread_name(current_), space_name(space),
                             address + b));
      }
    }
    if (clashes(written[b]) && !said) {
      said = true;
      race(space, address + b, line, mode, written[b], true);
    }
    if (mode != kRead && clashes(read[b]) && !said) {
      said = true;
      race(space, address + b, line, mode, read[b], false);
    }
    if (mode == kRead) {
      const bool shared = read[b] >> kTimeShift == time_ && (read[b] & kThreadMask) != thread;
      read[b] = shared ? read[b] | kManyThreads : mine;
    } else {
      written[b] = mine;
      if (defined != nullptr) defined[b] = 1;
    }
  }
  return data;
}

}  // namespace tl::simulate::ascend
