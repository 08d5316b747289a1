#include "simulate/ascend/region_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/ascend/machine.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

constexpr size_t kThreadStack = 128 << 10;
constexpr uint32_t kWarp = 32, kMostThreads = 2048;

}  // namespace

RegionRunner::RegionRunner(Machine& machine, uint64_t ub_bytes)
    : machine_(machine), written_(ub_bytes), read_(ub_bytes), touched_((ub_bytes >> kPageShift) + 1) {}

RegionRunner::~RegionRunner() {
  closing_ = true;
  for (const auto& worker : workers_) worker->fiber->resume();
}

void RegionRunner::attach(Host& host) {
  host.ub_written = written_.data();
  host.ub_read = read_.data();
  host.ub_touched = touched_.data();
}

void RegionRunner::run(Core& core, const Record& record, Operation& operation) {
  const RegionCall& call = *record.region;
  const uint64_t count = uint64_t{call.threads.x} * call.threads.y * call.threads.z;
  if (!operation.require(count >= 1 && count <= kMostThreads,
                         fmt::format("a region of {} threads; 1 to {} are allowed", count, kMostThreads))) {
    return;
  }
  Host& host = machine_.host;
  call_ = &call;
  line_ = record.line;
  threads_.assign(count, {});
  next_ = done_ = 0;
  first_time_ = ++time_;
  host.block_dim = call.threads;
  host.in_region = 1;
  while (done_ < count) {
    if (next_ < count) {
      if (free_.empty()) {
        Worker* worker = workers_.emplace_back(std::make_unique<Worker>()).get();
        worker->fiber = std::make_unique<Fiber>([this, worker] { work(*worker); }, kThreadStack);
        free_.push_back(worker);
      }
      Worker* worker = free_.back();
      free_.pop_back();
      resume(*worker);
    } else if (!release_warps()) {
      release_barrier();
    }
    run_ready();
  }
  host.in_region = 0;
  Memory& ub = core.ub();
  for (uint64_t p = 0; p < touched_.size(); ++p) {
    if (touched_[p] == 0) continue;
    touched_[p] = 0;
    const uint64_t base = p << kPageShift;
    collect(operation, base, &written_[base], &read_[base], std::min<uint64_t>(kPage, ub.bytes.size() - base), false);
  }
  std::vector<uint64_t> numbers;
  for (const auto& [number, marks] : page_of_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) {
    const Page& marks = *page_of_[number];
    collect(operation, number << kPageShift, marks.written, marks.read, kPage, true);
  }
  page_of_.clear();
}

void RegionRunner::work(Worker& worker) {
  while (!closing_) {
    while (next_ < threads_.size()) {
      const uint32_t mine = next_++;
      threads_[mine].worker = &worker;
      switch_to(mine);
      call_->body(call_->args.data());
      threads_[mine].state = State::kDone;
      ++done_;
    }
    free_.push_back(&worker);
    worker.fiber->pause();
  }
}

void RegionRunner::switch_to(uint32_t thread) {
  current_ = thread;
  const Dim3 size = call_->threads;
  machine_.host.thread = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
  machine_.host.stamp = time_ << kTimeShift | thread;
}

void RegionRunner::resume(Worker& worker) { worker.fiber->resume(); }

void RegionRunner::block(State state, int line) {
  const uint32_t mine = current_;
  threads_[mine].state = state;
  threads_[mine].line = line;
  threads_[mine].worker->fiber->pause();
  switch_to(mine);
}

void RegionRunner::sync_threads(int line) { block(State::kAtBarrier, line); }

void RegionRunner::warp(uint64_t value, int line, Lanes* lanes) {
  threads_[current_].value = value;
  threads_[current_].lanes = lanes;
  block(State::kAtWarp, line);
}

/// In each warp whose lanes all wait, the lanes at the call of the first of them go on together.
bool RegionRunner::release_warps() {
  bool any = false;
  for (size_t base = 0; base < threads_.size(); base += kWarp) {
    const size_t end = std::min(threads_.size(), base + kWarp);
    size_t first = base;
    while (first < end && threads_[first].state != State::kAtWarp) ++first;
    if (first == end) continue;
    Lanes all{};
    for (size_t i = first; i < end; ++i) {
      const Thread& thread = threads_[i];
      if (thread.state != State::kAtWarp || thread.line != threads_[first].line) continue;
      all.value[i - base] = thread.value;
      all.active |= 1u << (i - base);
    }
    for (size_t i = first; i < end; ++i) {
      if ((all.active >> (i - base) & 1) == 0) continue;
      *threads_[i].lanes = all;
      threads_[i].lanes->lane = static_cast<uint32_t>(i - base);
      threads_[i].state = State::kReady;
    }
    any = true;
  }
  return any;
}

void RegionRunner::release_barrier() {
  int line = 0, other = 0;
  uint64_t there = 0;
  for (Thread& thread : threads_) {
    if (thread.state != State::kAtBarrier) continue;
    ++there;
    if (line == 0) line = thread.line;
    if (thread.line != line) other = thread.line;
    thread.state = State::kReady;
  }
  ++time_;
  if (there == threads_.size() && other == 0) return;
  if (!machine_.book.wants(76, line, other)) return;
  machine_.book.add(76, line,
                    other != 0 ? std::string("threads of one region wait at different asc_syncthreads")
                               : fmt::format("asc_syncthreads is reached by {} of {} threads", there, threads_.size()),
                    other, other != 0 ? "others wait here" : "",
                    "all threads of a region must reach the same asc_syncthreads equally often");
}

void RegionRunner::run_ready() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state != State::kReady) continue;
    threads_[i].state = State::kWaiting;
    resume(*threads_[i].worker);
  }
}

/// The accesses of the region to one page, as runs of bytes with one line.
void RegionRunner::collect(Operation& operation, uint64_t base, const uint64_t* written, const uint64_t* read,
                           uint64_t bytes, bool gm) {
  for (const bool writes : {false, true}) {
    const uint64_t* marks = writes ? written : read;
    for (uint64_t i = 0; i < bytes;) {
      const uint64_t mark = marks[i];
      uint64_t end = i + 1;
      if (mark >> kTimeShift >= first_time_) {
        const auto key = [&](uint64_t m) {
          return m >> kTimeShift >= first_time_
                     ? (m >> kLineShift & kLineMask) * 2 + ((m & kThreadMask) == kAtomicThread)
                     : ~uint64_t{0};
        };
        while (end < bytes && key(marks[end]) == key(mark)) ++end;
        record_run(operation, base + i, end - i, mark, writes, gm);
      }
      i = end;
    }
  }
}

void RegionRunner::record_run(Operation& operation, uint64_t address, uint64_t bytes, uint64_t mark, bool writes,
                              bool gm) {
  operation.at(kSimtAccess, static_cast<int>(mark >> kLineShift & kLineMask));
  if (!gm) {
    Memory& ub = operation.core().ub();
    const auto first = static_cast<int64_t>(address), size = static_cast<int64_t>(bytes);
    writes ? operation.write(ub, first, size) : operation.read(ub, first, size);
    return;
  }
  while (bytes > 0) {
    const Tensor* tensor = machine_.gm.find(address);
    if (tensor == nullptr) return;
    const uint64_t part = std::min(bytes, tensor->range.base + tensor->range.bytes - address);
    const auto size = static_cast<int64_t>(part);
    writes ? operation.write_gm(address, size, (mark & kThreadMask) == kAtomicThread)
           : operation.read_gm(address, size);
    address += part;
    bytes -= part;
  }
}

RegionRunner::Page& RegionRunner::page(uint64_t address) {
  Page*& found = page_of_[address >> kPageShift];
  if (found == nullptr) {
    if (pages_.size() < page_of_.size()) pages_.push_back(std::make_unique<Page>());
    found = pages_[page_of_.size() - 1].get();
  }
  return *found;
}

}  // namespace tl::simulate::ascend
